// Package errornotsquared is rule VAL094, error-not-squared; rule.md says what it finds.
package errornotsquared

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports losses of critics in which errors of both signs cancel.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, l := range p.Roles.Losses() {
		for _, t := range l.Terms {
			for _, d := range []query.Seen{t.Sum, t.Strip()} { // the terms of a difference, or one that is a term of its own
				if d.Known() && d.IsOp("sub") && isError(p, d) {
					report(p, d, "")
				}
			}
		}
		squaredMeans(p, l)
	}
}

// squaredMeans reports the squares of mean errors among what a loss is made of.
func squaredMeans(p *pass.Pass, l roles.Loss) {
	for _, t := range l.Terms {
		for _, x := range query.ErrorsOf(t.Seen) {
			mean := x.Strip()
			if mean.Known() && mean.IsOp("mean") && len(mean.In) > 0 && (mean.Arg("dim") == nil || mean.Arg("dim").IsNone()) {
				if d := mean.Input(0).Difference(); d.Known() && d.IsOp("sub") && isError(p, d) {
					report(p, d, "critic's loss squares the mean of its errors, in which both signs cancel")
				}
			}
		}
	}
}

// isError reports whether a difference is of what a network in training says of a batch, and the returns that it should say.
func isError(p *pass.Pass, d query.Seen) bool {
	for i := range 2 {
		said, target := d.Input(i), d.Input(1-i)
		if _, ok := p.Roles.SaysOfData(said, d); ok && target.Known() && target.Q.Grad != domain.Attached && target.Const == nil && p.Roles.OfReturns(target) {
			return true
		}
	}
	return false
}

func report(p *pass.Pass, d query.Seen, message string) {
	p.Report(pass.Finding{At: d.Node, Frame: d.Frame, Evidence: domain.Derived, Message: message})
}
