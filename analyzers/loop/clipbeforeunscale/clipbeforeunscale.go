// Package clipbeforeunscale is rule LOOP006, clip-before-unscale; rule.md says what it finds.
package clipbeforeunscale

import (
	_ "embed"
	"math"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
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

// Analyzer reports gradients that are clipped while they are multiplied by the scale of a GradScaler.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Source.IsTest() {
		return
	}
	r := p.Roles.Rounds()
	for _, order := range r.Orders {
		for _, c := range order.Events {
			if x := r.Of(c); !r.Is(c, roles.Clips) || math.IsInf(x.Max, 1) || isProduct(c) {
				continue
			}
			before, after, ok := r.ClipsScaled(c)
			if !ok || isOff(after.Place) {
				continue
			}
			f := pass.Finding{
				At: c.Node, Frame: c.Frame, Evidence: domain.Derived,
				Related: append(p.There(before.Place, "the loss is multiplied by the scale here"), p.There(after.Place, "the scale is taken out here, behind the clip")...),
			}
			if !r.Is(after, roles.Steps) {
				f.Message, f.Help = "gradients clipped while the scale of the loss multiplies them", "divide the gradients by the scale before they are clipped"
			}
			if dividesByItsSize(stepBehind(r, after)) {
				f.Severity, f.Why = finding.Warning, "the bound is held against gradients that are thousands of times too large, so that it cuts every one to the same size"
			}
			p.Report(f)
		}
	}
}

// isProduct reports whether the bound of a clip is multiplied by something: that may be the scale.
func isProduct(clip *roles.Event) bool {
	call, ok := clip.Node.(*ast.Call)
	if !ok {
		return false
	}
	bounds := ast.Given(call)[min(1, len(call.Args)):]
	return slices.ContainsFunc(bounds, func(e ast.Expr) bool {
		v := infer.Strip(clip.Frame.Val(e))
		if v == nil {
			return false
		}
		product, ok := v.Node.(*ast.BinOp)
		return ok && product.Op == ast.Mult || v.IsOp("mul", "get_scale")
	})
}

// stepBehind is the optimizer of the step with the gradients that a place leaves; nil where it is not known.
func stepBehind(r *roles.Rounds, e *roles.Event) *roles.Holder {
	if r.Is(e, roles.Steps) {
		return r.Of(e).Of
	}
	for _, s := range r.Next(e, nil, roles.Steps) {
		if s.Known() {
			return r.Of(s).Of
		}
	}
	return nil
}

// dividesByItsSize reports whether an optimizer's step does not grow with its gradients, as those of the Adam family: what the scale
// takes from a step they give it back.
func dividesByItsSize(h *roles.Holder) bool {
	if h == nil || len(h.Optimizers) == 0 {
		return false
	}
	return !slices.ContainsFunc(h.Optimizers, func(o *roles.Optimizer) bool {
		made, ok := infer.RefOf(o.Val).(*infer.LibObject)
		return !ok || !strings.Contains(made.Name, "Adam") && !strings.Contains(made.Name, "RMSprop")
	})
}

// isOff reports whether the scaler of a step is made to scale nothing.
func isOff(step query.Place) bool {
	f, made := query.MadeBy(step)
	return made != nil && slices.ContainsFunc(made.Keywords, func(k *ast.Keyword) bool {
		v := f.Val(k.Value)
		return k.Name == "enabled" && v != nil && v.Const == false
	})
}
