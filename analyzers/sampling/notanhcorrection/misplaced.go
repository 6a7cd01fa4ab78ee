package notanhcorrection

import (
	"fmt"
	"math"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// misplaced reports corrections that are taken at another number than the draw, or that enter the log-density in the wrong way.
func misplaced(p *pass.Pass) {
	told := map[ast.Node]bool{}
	for _, s := range p.Slopes() {
		f, wrong := faultOf(p, s)
		if !wrong || told[f.At] || !p.Roles.FateOf(s.At.Val).Matters() {
			continue
		}
		told[f.At] = true
		p.Report(f)
	}
}

// faultOf is what is wrong with a correction.
func faultOf(p *pass.Pass, s query.Slope) (f pass.Finding, wrong bool) {
	f = pass.At(s.At.Val)
	f.Evidence = domain.Derived
	of := s.Of
	if tanh := query.TanhOf(of); !s.OfDraw && tanh.Known() {
		of = tanh.Input(len(tanh.In) - 1)
	} else if !s.OfDraw {
		return unsquashed(p, s, f)
	}
	if squash := of.Squashed(); squash.Known() {
		f.Message = "tanh correction of an action that is squashed already"
		f.Why = "the slope of tanh is taken at the action instead of the draw, where it is never below 0.42, so saturation costs nothing"
		f.Help = "take it of the draw, before the tanh"
		if !s.OfDraw {
			f.Help = "write `1 - action.pow(2)` of the squashed action, or `1 - tanh(u).pow(2)` of the draw"
		}
		f.Related = p.Here(squash.Val, "the action is squashed here")
		return f, true
	}
	return counted(p, s, f)
}

// unsquashed reads log(1 - y**2) of a y that no tanh made, or that is scaled after it.
func unsquashed(p *pass.Pass, s query.Slope, f pass.Finding) (pass.Finding, bool) {
	if draw := s.Of.Strip(); draw.Known() && draw.IsOp("sample", "rsample") && len(draw.In) > 0 && draw.Input(0).IsNormal() {
		f.Message = "tanh correction of a draw that is not squashed"
		f.Why = "1 - u**2 is negative for draws beyond 1, of which there is no logarithm, and is not the slope of tanh for any other"
		f.Help = "write `1 - tanh(u).pow(2)`"
		f.Related = p.Here(draw.Val, "the draw")
		return f, true
	}
	if by, ok := s.Of.Scale(); ok && math.Abs(math.Abs(by)-1) > 0.02 { // a little less than 1 keeps the logarithm finite
		f.Message = "tanh correction of an action that is scaled already"
		f.Why = fmt.Sprintf("the action is %g times the tanh, so 1 - action**2 is not the slope of tanh, and may be negative", by)
		f.Help = "write `1 - y.pow(2)` of the tanh before it is scaled, and subtract the logarithm of the scale"
		f.Related = p.Here(s.Of.Strip().Val, "the action is scaled here")
		return f, true
	}
	return counted(p, s, f)
}

// counted reads what the correction meets: it is subtracted, from the density of a draw that knows of no tanh.
func counted(p *pass.Pass, s query.Slope, f pass.Finding) (pass.Finding, bool) {
	sum, logp, sign := s.Counted()
	switch {
	case sum == nil || sum.Node == nil || !logp.Input(0).IsNormal():
		return f, false
	case sign > 0:
		f.At, f.Frame, f.Values = sum.Node, sum.Frame, nil
		f.Message = "tanh correction is added to the log-prob instead of subtracted"
		f.Why = "saturated actions seem improbable, so an objective with an entropy bonus is paid for more of them"
		f.Help = "subtract it: `logp - torch.log(1 - action.pow(2) + 1e-6)`"
		f.Related = p.Here(logp.Val, "the log-density of the draw")
		return f, true
	}
	return f, false
}
