package library

import "github.com/rlvet/rlvet/internal/rl/domain"

// gradRules is the closed list of grad rules.
var gradRules = map[string]ruleDef[domain.Grad]{
	"flow":     {fn: flow, min: 1, max: 9},
	"detached": fixed(domain.Detached),
	"attached": fixed(domain.Attached),
	"unknown":  fixed(domain.GradUnknown),
	"leaf":     {fn: leaf, min: 1, max: 1},
	"trained":  {fn: trained, min: 1, max: 1},
	"view":     {fn: viewed, min: 1, max: 1},
}

// flow lets gradients through from the named arguments that are given.
func flow(a Args, params []ref) domain.Grad {
	g := domain.GradBottom
	for _, p := range params {
		if o := a.operand(p); o != nil {
			g = g.Flow(o.grad())
		}
	}
	if g == domain.GradBottom {
		return domain.GradUnknown
	}
	return g
}

// grad returns the grad state of an operand, or of all its elements.
func (o *Operand) grad() domain.Grad {
	if len(o.Elems) == 0 {
		return o.V.Grad
	}
	g := domain.GradBottom
	for _, e := range o.Elems {
		e = complete(e)
		g = g.Flow(e.grad())
	}
	return g
}

// leaf follows the argument requires_grad of a factory: detached unless True.
func leaf(a Args, params []ref) domain.Grad {
	o, ok := a.get(params[0])
	switch {
	case !ok || o.Const == false:
		return domain.Detached
	case o.Const == true:
		return domain.Attached
	}
	return domain.GradUnknown
}

// trained follows requires_grad of a parameter: attached unless False. That a setting may freeze
// the parameter is no reason to forget what it is for.
func trained(a Args, params []ref) domain.Grad {
	if o, ok := a.get(params[0]); ok && o.Const == false {
		return domain.Detached
	}
	return domain.Attached
}

// viewed lets the gradients of a tensor through; of a list only the numbers are copied.
func viewed(a Args, params []ref) domain.Grad {
	if o := a.operand(params[0]); o != nil && o.List {
		return domain.Detached
	}
	return flow(a, params)
}

// whoseRules is the closed list of owner rules.
var whoseRules = map[string]ruleDef[domain.Whose]{
	"same":      {fn: union, min: 1, max: 1},
	"union":     {fn: union, min: 2, max: 9},
	"nobody":    fixed(domain.Whose(0)),
	"old":       fixed(domain.Old),
	"reference": fixed(domain.Reference),
	"unknown":   fixed(domain.AnyWhose),
}

// union joins the owners of the named arguments that are given.
func union(a Args, params []ref) domain.Whose {
	var w domain.Whose
	any := false
	for _, p := range params {
		if o := a.operand(p); o != nil {
			w, any = w.Join(o.V.Whose), true
		}
	}
	if !any {
		return domain.AnyWhose
	}
	return w
}

// reducedRules is the closed list of rules for the last reduction.
var reducedRules = map[string]ruleDef[domain.Reduced]{
	"same":     {fn: sameReduced, min: 1, max: 2},
	"none":     fixed(domain.Unreduced),
	"unknown":  fixed(domain.AnyReduced),
	"mean":     {fn: reduction(domain.MeanAll, domain.MeanDim), min: 1, max: 1},
	"sum":      {fn: reduction(domain.SumAll, domain.SumDim), min: 1, max: 1},
	"mean-dim": fixed(domain.MeanDim),
	"sum-dim":  fixed(domain.SumDim),
	"averaged": fixed(domain.MeanAll | domain.MeanDim),
	"mean-all": fixed(domain.MeanAll),
	"sum-all":  fixed(domain.SumAll),
	"lse":      fixed(domain.LogSumExp),
	"extremum": fixed(domain.Extremum),
}

// sameReduced keeps the reduction through an element-wise step; plain numbers
// have no say.
func sameReduced(a Args, params []ref) domain.Reduced {
	var r domain.Reduced
	for _, p := range params {
		o := a.operand(p)
		if o != nil && !o.V.Is(domain.Number|domain.Coef) {
			r = r.Join(o.V.Reduced)
		}
	}
	if r == 0 {
		return domain.Unreduced
	}
	return r
}

// reduction tells a reduction of everything from one along an axis.
func reduction(all, dim domain.Reduced) func(Args, []ref) domain.Reduced {
	return func(a Args, params []ref) domain.Reduced {
		o, ok := a.get(params[0])
		switch {
		case !ok || o.Const == None{}:
			return all
		case o.Const == nil && len(o.Elems) == 0:
			return all | dim
		}
		return dim
	}
}
