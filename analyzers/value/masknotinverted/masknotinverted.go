// Package masknotinverted is rule VAL070, mask-not-inverted; rule.md says what it finds.
package masknotinverted

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports targets that count the next value where an episode ended, and nowhere else.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	bellmans := p.Bellmans()
	if len(bellmans) == 0 || playsWhileTrue(p) {
		return
	}
	for _, b := range bellmans {
		for _, n := range b.Next {
			for _, m := range n.Masks {
				if p.In(b.At.Frame) == nil {
					continue
				}
				if saysEnd(m) {
					p.Report(pass.At(b.At.Val, m.Val))
				} else if kept := invertedBefore(p, m); kept != nil {
					f := pass.At(b.At.Val, m.Val)
					f.Related, f.Help = p.Here(kept, "what is stored is the complement already"), "multiply the discounted next value by what is stored, as it is"
					p.Report(f)
				}
			}
		}
	}
}

// playsWhileTrue reports whether a loop plays on while the flag that step returned is true, or leaves off where it is not: this environment says
// whether the episode goes on, and such a flag is the mask itself.
func playsWhileTrue(p *pass.Pass) bool {
	stepped := func(x ast.Expr, within []ast.Stmt) (found bool) {
		path := query.Path(x)
		if path == "" {
			return false
		}
		query.Targets(within, func(t ast.Expr, by ast.Stmt) {
			as, ok := by.(*ast.Assign)
			if !ok || query.Path(t) != path {
				return
			}
			call, isCall := as.Value.(*ast.Call)
			tuple, unpacked := as.Targets[0].(*ast.Tuple)
			found = found || isCall && query.CalleeName(call) == "step" && unpacked && len(tuple.Elts) > 3 && tuple.Elts[2] == t
		})
		return found
	}
	for _, loop := range query.Everywhere[*ast.While](p.Graph) {
		if stepped(loop.Cond, loop.Body) {
			return true
		}
	}
	for f, branch := range query.Everywhere[*ast.If](p.Graph) {
		not, ok := branch.Cond.(*ast.UnaryOp)
		if ok && not.Op == ast.Not && len(branch.Else) == 0 && leavesOff(branch.Then) && stepped(not.X, f.Body()) {
			return true
		}
	}
	return false
}

// leavesOff reports whether statements begin a new episode, or leave a loop.
func leavesOff(body []ast.Stmt) (found bool) {
	ast.WalkStmts(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Break:
			found = true
		case *ast.Call:
			found = found || query.CalleeName(n) == "reset"
		}
		return !found
	})
	return found
}

// saysEnd reports whether a mask is 1 where an episode ended. A flag of truncation is no such mask: an episode that a limit of time cut goes on,
// so its reward is given the value of what would have come next.
func saysEnd(mask query.Seen) bool {
	x := mask.Strip()
	return x.Known() && mask.Is(domain.Done|domain.Terminated) && !x.IsOneMinus() && !x.IsOp("not", "logical_not", "invert")
}

// invertedBefore is the complement of the flag that a memory keeps, where a mask is the complement of that again; nil where it is another mask, or
// one place or more stores something else.
func invertedBefore(p *pass.Pass, mask query.Seen) *infer.Val {
	x := mask.Strip()
	if !x.Known() {
		return nil
	}
	from := complemented(x)
	if !from.Known() {
		return nil
	}
	slots := p.Roles.SlotsOf(from.Val)
	if len(slots) != 1 {
		return nil
	}
	var at *infer.Val
	for _, w := range slots[0].Writes {
		stored := p.See(w.Val).Strip()
		if !stored.Known() {
			return nil
		}
		if flag := complemented(stored); !flag.SaysEnd() {
			return nil
		}
		at = stored.Val
	}
	return at
}

// complemented is what s is the complement of: x of 1 - x and not x.
func complemented(s query.Seen) query.Seen {
	switch {
	case s.IsOneMinus():
		return s.Input(1).Strip()
	case s.IsOp("not", "logical_not", "invert") && len(s.In) > 0:
		return s.Input(0).Strip()
	}
	return query.Seen{}
}
