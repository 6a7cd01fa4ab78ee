// Package finalobservationunread is rule VAL099, final-observation-unread; rule.md says what it finds.
package finalobservationunread

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports the observation that an environment returns after it has reset itself, where targets count the value of the next state
// of a step that a limit of time cut, and nothing reads the last observation of the old episode.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	steps, _ := p.Roles.EnvCalls()
	for _, c := range steps {
		fn := stepOf(c)
		if !c.Unpacked || len(c.Into) != 5 || fn == nil {
			continue
		}
		finals, at := query.FinalsOf(fn.Class.Def.Body), taken(c)
		if at == nil || len(finals) == 0 || readsOne(p, c, fn.Class.Module, finals) || !countsCut(p, c) {
			continue
		}
		p.Report(pass.Finding{
			At: at, Frame: c.Frame, Evidence: domain.Derived,
			Related: p.There(query.Place{Frame: fn.Class.Module.Frame, Node: finals[0].Value}, "the last observation of the old episode is handed out here, and nothing reads it"),
		})
	}
}

// stepOf is the method of the program that answers a step.
func stepOf(c roles.EnvCall) *infer.FuncRef {
	at, ok := c.Node.Fun.(*ast.Attribute)
	if !ok {
		return nil
	}
	env, ok := infer.RefOf(c.Frame.Val(at.X)).(*infer.Instance)
	if !ok {
		return nil
	}
	v := env.Class.Lookup("step")
	if v == nil {
		return nil
	}
	fn, ok := v.Ref.(*infer.FuncRef)
	if !ok || fn.Class == nil || fn.Class.Def == nil || fn.Class.Module == nil || fn.Class.Module.Frame == nil {
		return nil
	}
	return fn
}

// readsOne reports whether the program reads a last observation, or hands on all that may hold one.
func readsOne(p *pass.Pass, c roles.EnvCall, of *infer.Module, finals []query.Final) bool {
	if slices.ContainsFunc(reads(c, 4), func(x ast.Expr) bool { return !isKeyRead(c.Frame, x) }) {
		return true
	}
	stored, named := map[ast.Node]bool{}, map[string]bool{}
	for _, f := range finals {
		stored[f.By], named[f.Key+f.Attr] = true, f.Key+f.Attr != ""
		if f.At > 0 && f.At < 4 && len(reads(c, f.At)) > 0 {
			return true
		}
	}
	var known []*infer.Module
	found := false
	for m := range p.Modules() {
		known = append(known, m)
		ast.WalkModule(m.AST, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.String:
				found = found || named[x.Value] && !stored[n]
			case *ast.Attribute:
				found = found || named[x.Attr] && !stored[n]
			}
			return !found
		})
	}
	return found || slices.ContainsFunc(finals, func(f query.Final) bool {
		return f.At == 0 && p.MentionedElsewhere(of, f.Key+f.Attr, known)
	})
}

// reads are the places at which the function that steps reads an element of what the step returned.
func reads(c roles.EnvCall, element int) []ast.Expr {
	return readsOf(c.Frame, query.Path(c.Into[element]))
}

// readsOf are the places at which a function reads a variable or attribute.
func readsOf(f *infer.Frame, path string) (out []ast.Expr) {
	bound := map[ast.Node]bool{}
	query.Targets(f.Body(), func(t ast.Expr, _ ast.Stmt) { bound[t] = true })
	for x := range query.In[ast.Expr](f) {
		if path != "" && query.Path(x) == path && !bound[x] {
			out = append(out, x)
		}
	}
	return out
}

// isKeyRead reports whether a dict is read for one key alone, or asked whether it has it.
func isKeyRead(f *infer.Frame, dict ast.Expr) bool {
	for n := range query.In[ast.Expr](f) {
		var key ast.Expr
		switch n := n.(type) {
		case *ast.Subscript:
			if n.X == dict {
				key = n.Index
			}
		case *ast.Call:
			if at, ok := n.Fun.(*ast.Attribute); ok && at.X == dict && at.Attr == "get" && len(n.Args) > 0 {
				key = n.Args[0]
			}
		case *ast.Compare:
			if len(n.Ys) == 1 && n.Ys[0] == dict {
				key = n.X
			}
		}
		if _, ok := key.(*ast.String); ok {
			return true
		}
	}
	return false
}

// countsCut reports whether targets count the next value of a step that a limit of time cut: they are masked by the flag of the end alone,
// or multiply the value by the flag of the cut.
func countsCut(p *pass.Pass, c roles.EnvCall) bool {
	masked, byEnd, byCut := false, false, false
	for _, b := range p.Bellmans() {
		for _, n := range b.Next {
			for _, m := range n.Masks {
				x := m.Strip()
				masked = true
				switch {
				case !x.Known():
				case x.IsOneMinus():
					byEnd = byEnd || x.Input(1).IsEnd(domain.Terminated)
				case x.IsOp("not", "logical_not", "invert", "bitwise_not"):
					byEnd = byEnd || x.Input(0).IsEnd(domain.Terminated)
				default:
					byCut = byCut || m.IsEnd(domain.Truncated)
				}
			}
		}
	}
	apart := func(x ast.Expr) bool { return !joined(c.Frame, x) }
	end, cut := slices.ContainsFunc(reads(c, 2), apart), reads(c, 3)
	switch {
	case picksRows(c.Frame):
		return false
	case slices.ContainsFunc(cut, apart):
		return byCut
	case len(cut) == 0:
		return end && masked && len(reads(c, 4)) == 0 // what else tells cuts from ends may be in the dict
	}
	return end && byEnd // a function that only plays does not tell ends from cuts
}

// joined reports whether a flag is read to be joined with another, as in terminated | truncated.
func joined(f *infer.Frame, flag ast.Expr) bool {
	for n := range query.In[ast.Expr](f) {
		switch n := n.(type) {
		case *ast.BinOp:
			if n.Op == ast.BitOr && (n.X == flag || n.Y == flag) {
				return true
			}
		case *ast.BoolOp:
			if n.Or && slices.Contains(n.Values, flag) {
				return true
			}
		case *ast.Call:
			if name := query.CalleeName(n); (name == "logical_or" || name == "maximum") && slices.Contains(n.Args, flag) {
				return true
			}
		}
	}
	return false
}

// picksRows reports whether a function keeps some rows only, by what they are not: those that were cut may be left out.
func picksRows(f *infer.Frame) bool {
	for at := range query.In[*ast.Subscript](f) {
		if not, ok := at.Index.(*ast.UnaryOp); ok && (not.Op == ast.Invert || not.Op == ast.Not) {
			return true
		}
	}
	return false
}

// taken is where the function that steps first reads the returned observation for something else than to act on it in the next round; nil
// where it does not, as one that evaluates.
func taken(c roles.EnvCall) ast.Node {
	if _, named := c.Into[0].(*ast.Name); !named {
		return nil
	}
	for _, x := range reads(c, 0) {
		if x.Span().Start > c.Node.Loc.End && !isCarriedOn(c, x) {
			return x
		}
	}
	return nil
}

// isCarriedOn reports whether a read is part of what is given to a variable that is read before the step.
func isCarriedOn(c roles.EnvCall, x ast.Expr) bool {
	found := false
	query.Targets(c.Frame.Body(), func(t ast.Expr, by ast.Stmt) {
		if as, ok := by.(*ast.Assign); ok && as.Value.Span().Covers(x.Span()) {
			found = found || slices.ContainsFunc(readsOf(c.Frame, query.Path(t)), func(e ast.Expr) bool { return e.Span().Start < c.Node.Loc.End })
		}
	})
	return found
}
