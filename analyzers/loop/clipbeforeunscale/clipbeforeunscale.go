// Package clipbeforeunscale is rule LOOP006, clip-before-unscale; rule.md says what it finds.
package clipbeforeunscale

import (
	_ "embed"
	"math"
	"slices"

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

// Analyzer reports gradients that are clipped while they are multiplied by the scale of a GradScaler.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Source.IsTest() {
		return
	}
	r := p.Roles.Rounds()
	for _, order := range r.Orders {
		for _, c := range order.Events {
			if x := r.Of(c); !r.Is(c, roles.Clips) || math.IsInf(x.Max, 1) {
				continue
			}
			acts := []roles.Act{roles.Computes, roles.Steps, roles.Zeroes, roles.Unscales, roles.Touches}
			before, after := r.Last(c, nil, acts...), r.Next(c, nil, acts...)
			isScaled := func(a roles.Act) func(*roles.Event) bool {
				return func(e *roles.Event) bool { return r.Is(e, a) && r.Of(e).Scaled }
			}
			if !roles.Every(before, isScaled(roles.Computes)) || !roles.Every(after, isScaled(roles.Steps)) || isOff(after[0].Place) {
				continue
			}
			p.Report(pass.Finding{
				At: c.Node, Frame: c.Frame, Evidence: domain.Derived,
				Related: append(p.There(before[0].Place, "the loss is multiplied by the scale here"), p.There(after[0].Place, "the scale is taken out here, behind the clip")...),
			})
		}
	}
}

// isOff reports whether the scaler of a step is made to scale nothing.
func isOff(step query.Place) bool {
	f, made := query.MadeBy(step)
	return made != nil && slices.ContainsFunc(made.Keywords, func(k *ast.Keyword) bool {
		v := f.Val(k.Value)
		return k.Name == "enabled" && v != nil && v.Const == false
	})
}
