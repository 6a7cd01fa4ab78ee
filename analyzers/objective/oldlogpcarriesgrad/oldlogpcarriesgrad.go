// Package oldlogpcarriesgrad is rule OBJ007, old-logp-carries-grad; rule.md says what it
// finds.
package oldlogpcarriesgrad

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports importance ratios whose old log-probability carries gradients.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, use := range p.Roles.RatioUses() {
		if !use.Clipped {
			continue
		}
		for _, root := range use.Ratio.Roots() {
			if old, sub := oldOf(p, root); old.Known() {
				report(p, old, sub)
			}
		}
	}
}

// oldOf returns the second log-probability of exp(new - old) if both carry gradients to
// a network that is trained, and the subtraction.
func oldOf(p *pass.Pass, root query.Seen) (old, sub query.Seen) {
	sub = root.Exponent().Difference()
	terms := query.TermsOf(root.Exponent(), 1)
	if !sub.Known() || len(terms) != 2 {
		return
	}
	now, before := terms[0], terms[1]
	if now.LogProbSign() < 0 {
		now, before = before, now
	}
	if now.LogProbSign() <= 0 || before.LogProbSign() >= 0 || now.Strip().Val == before.Strip().Val ||
		now.Q.Grad != domain.Attached || before.Q.Grad != domain.Attached || !trained(p, before) {
		return query.Seen{}, sub
	}
	return before.Seen, sub
}

func trained(p *pass.Pass, t query.Term) bool {
	for _, n := range p.Roles.Owner(t.Val) {
		if n.Trained {
			return true
		}
	}
	return false
}

func report(p *pass.Pass, old, sub query.Seen) {
	src := p.In(sub.Frame)
	if src == nil || sub.Node == nil {
		return
	}
	f := pass.At(sub.Val, old.Val)
	if operand := p.Operand(sub.Val, old.Val); operand != nil {
		f.At = operand
		f.Fix = &pass.Fix{Message: "Detach the old log-probability", Edits: src.Method(operand, ".detach()")}
	}
	f.Related = stored(p, old)
	p.Report(f)
}

// stored points to where a rollout keeps the log-probability together with its graph.
func stored(p *pass.Pass, old query.Seen) (out []pass.Related) {
	for _, s := range p.Roles.SlotsOf(old.Val) {
		if !s.Kind().Is(domain.LogProb) || !s.Collected() || s.NoGrad() {
			continue
		}
		for _, w := range s.Writes {
			if !w.NoGrad {
				out = append(out, p.There(w.At, "it is stored with its graph here")...)
			}
		}
	}
	return out
}
