// Package scoreofrsample is rule DIST030, score-of-rsample; rule.md says what it finds.
package scoreofrsample

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

// Analyzer reports policy gradients through the density of a draw that gradients flow through as well.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, l := range p.Roles.Losses() {
		for _, t := range l.Terms {
			log, draw := score(t)
			if !log.Known() || p.In(log.Frame) == nil || log.Node == nil || improves(l, draw) {
				continue
			}
			f := pass.At(log.Val, draw.Val)
			f.Related = p.Here(draw.Val, "gradients flow through this draw")
			f.Evidence = domain.Derived
			p.Report(f)
		}
	}
}

// improves reports whether gradients flow through the draw into another term of the loss, such as a critic's value of the action: the
// density then weighs an entropy, by a temperature that may be any value.
func improves(l roles.Loss, draw query.Seen) bool {
	found := false
	for _, t := range l.Terms {
		if t.Kind == roles.ValueTerm || t.Q.Grad == domain.Detached {
			continue
		}
		infer.Walk(t.Val, 400, func(v *infer.Val) bool {
			found = found || v == draw.Val
			return !found && v.Q.Grad != domain.Detached && !v.IsOp("log_prob")
		})
	}
	return found
}

// score reads a term as the log-probability of a draw from a normal distribution, with gradients through both, times what says how good the
// action was. That is a policy gradient: nothing else in it depends on the policy. Losses that mean gradients to flow through the action
// have a critic's value of it.
func score(t roles.Term) (log, draw query.Seen) {
	weighed := false
	for _, f := range factors(t.Seen) {
		l, d := density(f, 8)
		switch {
		case l.Known() && !log.Known():
			log, draw = l, d
		case f.Q.Grad == domain.Detached && (f.Is(query.Scored) || isDifference(f)):
			weighed = true
		case f.Const != nil, f.Is(domain.Mask):
		default:
			return query.Seen{}, query.Seen{}
		}
	}
	if !weighed {
		return query.Seen{}, query.Seen{}
	}
	return log, draw
}

// factors are those of a product, also of two vectors.
func factors(s query.Seen) []query.Seen {
	if x := s.Strip(); x.Known() && x.IsOp("matmul", "dot", "inner") && len(x.In) > 1 {
		return []query.Seen{x.Input(0), x.Input(1)}
	}
	return query.FactorsOf(s).List
}

// isDifference reports whether a value, in any copy, is a difference: what came less what was expected.
func isDifference(s query.Seen) bool {
	for v := s.Val; v != nil; v = infer.Through(v) {
		if v.IsOp("sub") {
			return true
		}
	}
	return false
}

// density is the log-probability that a value is, perhaps summed over the dimensions of an action or stacked for several steps, if the draw
// and its density are of one distribution.
func density(s query.Seen, depth int) (log, draw query.Seen) {
	v := s.Val
	switch {
	case v == nil || depth == 0 || v.Q.Grad == domain.Detached:
	case v.IsOp("log_prob") && len(v.In) > 1:
		dist, action := s.Input(0), drawn(s.Input(1), depth)
		if action.Known() && moves(dist) && action.Input(0).Same(dist) {
			return s, action
		}
	case v.IsOp("sum", "mean", "stack", "cat", "neg", infer.OpPhi), query.IsContainer(v), infer.Through(v) != nil:
		for _, x := range s.Flows() {
			if log, draw = density(x, depth-1); log.Known() {
				return log, draw
			}
		}
	}
	return query.Seen{}, query.Seen{}
}

// drawn is the draw by rsample() that a value is, with its gradient.
func drawn(s query.Seen, depth int) query.Seen {
	for ; s.Known() && depth > 0 && s.Q.Grad != domain.Detached; depth-- {
		if s.IsOp("rsample") {
			return s
		}
		next := infer.Through(s.Val)
		if next == nil {
			break
		}
		s = s.Of(next)
	}
	return query.Seen{}
}

// moves reports whether a draw is the mean of its distribution and noise times its width, so that its density does not change with the mean.
func moves(dist query.Seen) bool {
	dist = dist.Strip()
	if dist.Known() && dist.IsOp("Independent") && len(dist.In) > 0 {
		dist = dist.Input(0).Strip()
	}
	return dist.Known() && dist.IsOp("Normal", "MultivariateNormal", "Laplace", "Cauchy", "StudentT")
}
