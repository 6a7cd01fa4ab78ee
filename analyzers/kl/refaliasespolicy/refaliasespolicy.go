// Package refaliasespolicy is rule KL009, ref-aliases-policy; rule.md says what it
// finds.
package refaliasespolicy

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

// Analyzer reports reference models that are the trained model itself.
var Analyzer = pass.Rule(Doc, run)

// references are names that may be those of a reference. That one is, is known from its use: a
// KL compares it with the policy. The name tells it from the policy before the update,
// to which there may be a KL as well.
var references = pass.Matching(func(name string) bool { return query.Owner(name) == domain.Reference })

func run(p *pass.Pass) {
	if !slices.ContainsFunc(p.Roles.Networks, func(n *roles.Network) bool { return n.Trained }) {
		return
	}
	shallow(p)
	for _, m := range p.Mentions(references) {
		if m.How != pass.Bound && m.How != pass.AttrSet || m.Value == nil || inBranch(m) {
			continue
		}
		for f := range p.EachFrame {
			n := p.Roles.Network(f.Val(m.Value))
			if f.Module != m.Module || n == nil || !n.Trained || !isSameObject(f, m.Value) {
				continue
			}
			if reads := readsOf(p, m, n); len(reads) > 0 && !p.Roles.Switched(n) {
				report(p, f, m, compared(p, reads))
			}
			break
		}
	}
}

func inBranch(m pass.Mention) bool {
	return slices.ContainsFunc(m.Parents, func(x ast.Node) bool { _, is := x.(*ast.If); return is })
}

// isSameObject reports whether an expression is a name, or a method that returns the object
// itself: no call that could make a copy.
func isSameObject(f *infer.Frame, e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Name:
		return true
	case *ast.Attribute:
		return isSameObject(f, e.X)
	case *ast.Call:
		at, ok := e.Fun.(*ast.Attribute)
		if !ok || !isSameObject(f, at.X) {
			return false
		}
		v, of := f.Val(e), f.Val(at.X)
		return v != nil && of != nil && v.Fn != nil && v.Ref == of.Ref
	}
	return false
}

// shallow reports copy.copy of a trained network: it makes a second object with the same parameters. If weights are copied to the copy, it is
// a target, and VAL004 reports it.
func shallow(p *pass.Pass) {
	isTarget := map[ast.Node]bool{}
	for _, t := range p.Roles.Transfers() {
		if to := t.To.Strip(); to.Known() {
			isTarget[to.Node] = true
		}
	}
	for f, call := range p.Calls() {
		v := f.Val(call)
		if v == nil || query.CalledSymbol(f, call) != "copy.copy" || v.Ref == nil || isTarget[call] {
			continue
		}
		if n := p.Roles.Network(v); n == nil || !n.Trained {
			continue
		}
		src := p.In(f)
		text, imports := src.Spell("copy.deepcopy")
		p.Report(pass.Finding{
			At: call, Frame: f, Evidence: domain.Derived,
			Message: "`copy.copy` shares the parameters: the copy is the trained model", Help: "copy the model: `copy.deepcopy(...)`",
			Fix: &pass.Fix{Message: "Copy the model", Edits: src.Replace(call.Fun, text), Imports: imports},
		})
	}
}

// readsOf are the places where the network is read by its second name to be evaluated: called,
// or passed on.
func readsOf(p *pass.Pass, m pass.Mention, n *roles.Network) (out []pass.Mention) {
	for _, r := range p.MentionsOf(m.Name) {
		if r.How != pass.Read && r.How != pass.Attr || len(r.Parents) == 0 {
			continue
		}
		switch x := r.Parents[0].(type) {
		case *ast.Call, *ast.Keyword:
			out = append(out, r)
		case *ast.Attribute:
			if !roles.IsNoEvaluation(x.Attr) {
				out = append(out, r)
			}
		}
	}
	return out
}

// compared reports whether a KL, or the log-ratio of one, has one side that was computed where
// the second name is read, and one that was not.
func compared(p *pass.Pass, reads []pass.Mention) bool {
	through := func(side *infer.Val) bool {
		found := false
		infer.Walk(side, 2000, func(v *infer.Val) bool {
			found = found || v.Node != nil && v.Frame != nil && slices.ContainsFunc(reads, func(r pass.Mention) bool {
				return r.Module == v.Frame.Module && v.Node.Span().Covers(r.Node.Span())
			})
			return !found
		})
		return found
	}
	return slices.ContainsFunc(p.Made("sub", "kl_div", "kl_divergence"), func(v *infer.Val) bool {
		if len(v.In) < 2 || !v.Is(domain.KL|domain.LogRatio) || v.Q.Evidence == domain.NameOnly {
			return false
		}
		return through(v.In[0]) != through(v.In[1])
	})
}

func report(p *pass.Pass, f *infer.Frame, m pass.Mention, compared bool) {
	src := p.In(f)
	text, imports := src.Spell("copy.deepcopy")
	evidence := domain.NameOnly
	if compared {
		evidence = domain.Derived
	}
	p.Report(pass.Finding{
		At: m.Value, Frame: f, Evidence: evidence,
		Fix: &pass.Fix{Message: "Copy the model", Edits: src.Wrap(m.Value, text+"(", ")"), Imports: imports},
	})
}
