// Package ratiodetached is rule OBJ004, ratio-detached; rule.md says what it
// finds.
package ratiodetached

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports clipped objectives through which no gradient flows.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if len(p.Roles.Surrogates()) == 0 {
		return
	}
	for _, l := range p.Roles.Losses() {
		check(p, l.Terms)
	}
	for f := range p.EachFrame {
		check(p, p.Roles.LossTerms(p.Roles.ReturnedLoss(f)))
	}
}

func check(p *pass.Pass, terms []roles.Term) {
	for _, t := range terms {
		if s := t.Surrogate; s != nil && s.At.Q.Grad != domain.Attached && !s.Exp {
			if cut := detached(s.Ratio); cut.Known() {
				report(p, cut)
			}
		}
	}
}

// detached returns the operation that detaches the ratio from a policy that has, or may
// have, gradients; no value if the ratio never had any. The old policy's log-probability,
// which has the minus sign, is detached rightly.
func detached(ratio query.Seen) query.Seen {
	if cut := ratio.Cut(); cut.Known() {
		return unlessConstant(cut)
	}
	for _, root := range ratio.Roots() {
		x := root.Exponent()
		if cut := x.Cut(); cut.Known() {
			return unlessConstant(cut)
		}
		for _, t := range query.TermsOf(x, 1) {
			if cut := t.Cut(); cut.Known() && t.LogProbSign() > 0 && cutsOff(cut, domain.Attached) {
				return cut
			}
		}
		if x.Known() && x.Q.Grad == domain.Attached && root.Q.Grad == domain.Detached {
			return root // under no_grad
		}
	}
	return query.Seen{}
}

// unlessConstant drops a cut of a value that has no gradients anyway.
func unlessConstant(cut query.Seen) query.Seen {
	if cutsOff(cut, domain.Detached) {
		return query.Seen{}
	}
	return cut
}

// cutsOff reports whether the input of a cut has this state.
func cutsOff(cut query.Seen, state domain.Grad) bool {
	of := cut.Input(0)
	return of.Known() && of.Q.Grad == state
}

func report(p *pass.Pass, cut query.Seen) {
	src := p.In(cut.Frame)
	if src == nil || cut.Node == nil {
		return
	}
	f := pass.At(cut.Val, cut.In[0])
	f.Evidence = domain.Derived // it follows from the structure and the gradients
	if call, ok := cut.Node.(*ast.Call); ok {
		if at, ok := call.Fun.(*ast.Attribute); ok && at.Attr == "detach" {
			f.Fix = &pass.Fix{Message: "Keep the gradient", Edits: src.Replace(call, src.Operand(at.X))}
		}
	}
	p.Report(f)
}
