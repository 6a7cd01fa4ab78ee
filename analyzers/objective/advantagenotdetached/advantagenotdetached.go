// Package advantagenotdetached is rule OBJ011, advantage-not-detached; rule.md says what it
// finds.
package advantagenotdetached

import (
	_ "embed"
	"fmt"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports policy losses that train the critic through the advantage.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, l := range p.MinimisedLosses() {
		for _, t := range l.Terms {
			for _, w := range weights(p, t) {
				switch {
				case w.Q.Grad != domain.Attached:
				case regressed(p, w):
					report(p, w, t, domain.Derived)
				case w.Is(estimate):
					report(p, w, t, domain.EvidenceBottom)
				}
			}
		}
	}
}

// estimate are the kinds that a critic makes.
const estimate = domain.Advantage | domain.TDError | domain.Return | domain.StateValue | domain.QValue

// regressed reports whether a part of the weight that carries gradients is fitted to
// targets somewhere: that is a critic, whatever it is called.
func regressed(p *pass.Pass, w pass.Seen) bool {
	for _, t := range pass.TermsOf(w, 1) {
		if t.Q.Grad == domain.Attached && t.Cut().Val == nil && fitted(p, t.Strip().Val) {
			return true
		}
	}
	return false
}

// fitted reports whether v goes into a squared error.
func fitted(p *pass.Pass, v *infer.Val) bool {
	for u := range p.Each {
		if u.IsOp("mse_loss", "smooth_l1_loss", "huber_loss", "l1_loss", "square") || isSquare(u) {
			if infer.Reaches(v, u, 60) {
				return true
			}
		}
	}
	return false
}

func isSquare(v *infer.Val) bool {
	if !v.IsOp("pow") || len(v.In) < 2 {
		return false
	}
	x, ok := v.In[1].Float()
	return ok && x == 2
}

// weights are the factors by which a policy term weighs the action.
func weights(p *pass.Pass, t pass.Term) []pass.Seen {
	for _, s := range p.SurrogatesAt(t.Val) {
		return s.Others
	}
	if g, ok := pass.PolicyGradientOf(t); ok && g.LogProb.Q.Grad == domain.Attached {
		return g.Weights
	}
	return nil
}

func report(p *pass.Pass, w pass.Seen, t pass.Term, evidence domain.Evidence) {
	at := product(p, w, t)
	src := p.In(at.Frame)
	if src == nil || at.Node == nil {
		return
	}
	f := pass.On(at.Val, "the advantage carries gradients: the policy's loss trains the critic too, to predict whatever makes the loss small; detach the advantage", w.Val)
	f.Evidence = evidence
	if e := p.Operand(at.Val, w.Val); e != nil {
		f.At = e
		f.Message = fmt.Sprintf("the advantage %s carries gradients: the policy's loss trains the critic too, to predict whatever makes the loss small; detach it", src.Short(e))
		f.Fix = &pass.Fix{Message: "Detach the advantage", Edits: src.Method(e, ".detach()")}
	}
	p.Report(f)
}

// product returns the multiplication in which the weight stands.
func product(p *pass.Pass, w pass.Seen, t pass.Term) pass.Seen {
	at := t.Seen
	infer.Walk(t.Val, 60, func(v *infer.Val) bool {
		if v.IsOp("mul") && v.Frame == t.Frame && p.Operand(v, w.Val) != nil {
			at = t.Of(v)
			return false
		}
		return at.Val == t.Val
	})
	return at
}
