// Package logratioasratio is rule OBJ001, log-ratio-as-ratio; rule.md says what it
// finds.
package logratioasratio

import (
	_ "embed"

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

// Analyzer reports differences of log-probabilities that an objective, or the estimate of a KL,
// uses as the importance ratio.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	clipped := map[*infer.Val]bool{}
	for _, s := range p.Roles.Surrogates() {
		for _, c := range s.Clips {
			clipped[c.At.Val] = true
		}
		if !s.Exp && s.AroundOne() && multiplied(p, s) {
			// The structure proves what r is for, whatever the kinds.
			check(p, s.Ratio, s.Clips[0], domain.Derived)
		}
	}
	for _, v := range p.Made(query.ClipOps...) {
		c, ok := query.ClipOf(p.See(v))
		if !ok || c.At.Val != v || clipped[v] || !c.Lo.Known() || !c.Hi.Known() || !c.AroundOne() || !isFactor(p, v) {
			continue
		}
		switch {
		case c.X.Is(domain.LogRatio):
			check(p, c.X, c, domain.EvidenceBottom)
		case c.Lo.Offset() < 0 && c.Hi.Offset() > 0 && !c.X.Q.Kind.Known():
			check(p, c.X, c, domain.Derived) // nothing else is kept between 1 - e and 1 + e, and weighs something
		}
	}
	weights(p)
	for _, v := range p.Made("sub", "add") {
		s := p.See(v)
		constantKL(p, s)
		secondMoment(p, s)
	}
}

// multiplied reports whether the objective multiplies by the ratio: the two sides
// of a minimum do, a choice between clamps has to show it.
func multiplied(p *pass.Pass, s *roles.Surrogate) bool {
	return len(s.Others) > 0 || s.Ratio.Is(domain.LogRatio) && isFactor(p, s.At.Val)
}

// isFactor reports whether v is multiplied as it is: an exponential first would make
// it a ratio.
func isFactor(p *pass.Pass, v *infer.Val) bool {
	return p.Becomes(v, "mul") && !p.Becomes(v, "exp", "pow", "add", "sub")
}

// check reports the subtractions that x is, if it is nothing else. If other branches
// take the exponential, those that do not have forgotten it.
func check(p *pass.Pass, x query.Seen, c query.Clip, evidence domain.Evidence) {
	roots := x.Roots()
	if !query.All(roots, func(s query.Seen) bool {
		return s.IsLogRatio() || isGap(s) || s.Exponent().Known() && !chosenAgain(p, c, s)
	}) {
		return
	}
	for _, root := range roots {
		if root.IsLogRatio() || isGap(root) {
			report(p, root, c, evidence)
		}
	}
}

// isGap reports whether s is the difference of two probabilities, or of one and what nothing is known of: it is centred on 0, too.
func isGap(s query.Seen) bool {
	sub := s.Difference()
	if !sub.Known() || !sub.IsOp("sub") || len(sub.In) < 2 {
		return false
	}
	x, y := sub.Input(0), sub.Input(1)
	isProb := func(s query.Seen) bool { return s.Is(domain.Prob) && s.Q.Evidence <= domain.Derived }
	open := func(s query.Seen) bool { return !s.Q.Kind.Known() && s.Const == nil }
	return isProb(x) && (isProb(y) || open(y)) || open(x) && isProb(y)
}

// chosenAgain reports whether the clamp depends on the condition under which a branch
// was computed: then it may never see the other branches.
func chosenAgain(p *pass.Pass, c query.Clip, branch query.Seen) bool {
	return branch.Guarded(func(g *infer.Guard) bool {
		return c.At.Guarded(func(h *infer.Guard) bool { return p.See(g.Cond).Same(p.See(h.Cond)) })
	})
}

func report(p *pass.Pass, root query.Seen, c query.Clip, evidence domain.Evidence) {
	sub := root.Difference()
	f := pass.At(sub.Val, sub.Val)
	f.Related = p.Here(c.At.Val, "it is clipped as a ratio here")
	f.Evidence = evidence
	if isGap(root) {
		f.Message = "difference of probabilities used as the importance ratio"
		f.Help = "divide them, `new / old`, or take `exp` of the difference of their logarithms"
	} else {
		f.Fix = fix(p, root)
	}
	p.Report(f)
}
