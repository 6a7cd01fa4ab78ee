// Package oldlogpcarriesgrad is rule OBJ007, old-logp-carries-grad; rule.md says what it
// finds.
package oldlogpcarriesgrad

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
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
			for _, d := range root.Exponent().Roots() { // of the sequence's ratio a mean over its tokens
				if old, sub, evidence := oldOf(p, d); old.Known() {
					report(p, old, sub, evidence)
				}
			}
		}
	}
	for _, v := range p.Made("sub") {
		if old := ofItself(p, p.See(v)); old.Known() {
			report(p, old, p.See(v), domain.Derived)
		}
	}
}

// ofItself returns what is subtracted where a log-ratio, which is clipped or exponentiated, is on some branch that of a log-probability to
// itself: whatever it is used for, it has no gradient there.
func ofItself(p *pass.Pass, d query.Seen) query.Seen {
	terms := query.TermsOf(d, 1)
	if len(terms) != 2 || terms[0].Sign == terms[1].Sign || d.NoGrad || !d.Is(domain.LogRatio) && !terms[0].Is(domain.LogProb) || !p.Becomes(d.Val, "exp", "clamp", "clip") {
		return query.Seen{}
	}
	if b := terms[1].Strip(); !b.Known() || b.Op != infer.OpPhi {
		return query.Seen{} // x - x is no slip
	}
	return itself(terms[0], terms[1])
}

// oldOf returns the second log-probability of new - old if both carry gradients to
// a network that is trained, and the subtraction.
func oldOf(p *pass.Pass, d query.Seen) (old, sub query.Seen, evidence domain.Evidence) {
	sub = d.Difference()
	terms := query.TermsOf(d, 1)
	if !sub.Known() || len(terms) != 2 {
		return
	}
	now, before := terms[0], terms[1]
	if now.LogProbSign() < 0 {
		now, before = before, now
	}
	if same := itself(now, before); same.Known() && now.LogProbSign() != 0 {
		return before.Seen, sub, domain.Derived // whatever it is
	}
	if now.LogProbSign() <= 0 || before.LogProbSign() >= 0 || now.Strip().Val == before.Strip().Val ||
		now.Q.Grad != domain.Attached || before.Q.Grad != domain.Attached || !trained(p, before) {
		return query.Seen{}, sub, 0
	}
	return before.Seen, sub, 0
}

// itself returns what is subtracted from a log-probability where that is the very same value,
// on some branch, and not cut off from its gradient: the ratio is 1 and has no gradient.
func itself(now, before query.Term) query.Seen {
	x := now.Strip()
	if !x.Known() || now.Cut().Known() || now.Q.Grad == domain.Detached || !x.Q.Kind.Known() && len(x.In) == 0 {
		return query.Seen{}
	}
	branches := []query.Seen{before.Seen}
	if b := before.Strip(); b.Known() && b.Op == infer.OpPhi && !before.Cut().Known() {
		branches = nil
		for _, v := range b.In {
			branches = append(branches, b.Of(v))
		}
	}
	for _, b := range branches {
		if b.Known() && b.Strip().Val == x.Val && !b.Cut().Known() && b.Q.Grad != domain.Detached {
			return b
		}
	}
	return query.Seen{}
}

// trained reports whether the gradients of a log-probability go to a network that is trained, or
// to a layer of one.
func trained(p *pass.Pass, t query.Term) bool {
	return slices.ContainsFunc(p.Roles.Reached(t.Val), func(n *roles.Network) bool { return n.Trained || p.Roles.Learns(n) })
}

func report(p *pass.Pass, old, sub query.Seen, evidence domain.Evidence) {
	src := p.In(sub.Frame)
	if src == nil || sub.Node == nil {
		return
	}
	f := pass.At(sub.Val, old.Val)
	f.Evidence = evidence
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
