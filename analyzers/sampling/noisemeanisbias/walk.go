package noisemeanisbias

import (
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// walks reports noise with a memory, x + theta * (mu - x) + sigma * draw (Uhlenbeck and Ornstein 1930), whose draws are never negative: it is centred
// on mu + sigma * mean / theta. In an environment such a walk may be a price or a demand that does so.
func walks(p *pass.Pass) {
	for _, sum := range p.Ops("torch.add") {
		if _, written := sum.Node.(*ast.BinOp); !written || sum.Frame == nil || len(sum.In) < 2 || roles.InEnvClass(sum.Frame) {
			continue
		}
		s := p.See(sum)
		noise := unitDraw(s.Input(1)) // the probe watches the right side
		if noise == nil {
			continue
		}
		if x := pulled(s.Input(0)); x != nil && isStep(p, sum, x) && explores(p, sum, 8) {
			p.Report(pass.Finding{
				At: sum.Node, Frame: sum.Frame, Evidence: domain.Derived,
				Message: "exploration noise that only pushes upwards",
				Why:     "each increment is drawn from 0 to 1, so the noise settles far above its mean, and one side of the actions is hardly tried",
				Help:    "draw the increments around 0, from a normal distribution",
				Related: p.Here(noise, "this is never negative"),
			})
		}
	}
}

// explores reports whether a walk goes into an action: it is added to what a policy yields, or an environment is stepped with it. The
// temperature of a house may be a walk that only people warm up.
func explores(p *pass.Pass, walk *infer.Val, depth int) bool {
	found := false
	p.TakenBy(walk, func(u, as *infer.Val) {
		switch {
		case found || depth == 0:
		case u.IsOp("step"):
			found = true
		case u.IsOp("add") && slices.ContainsFunc(u.In, func(x *infer.Val) bool {
			return x != nil && x != as && (x.Is(domain.Raw|domain.Action) || isMade(p.See(x), 8))
		}):
			found = true
		case u.IsOp("add", "mul", "clamp", "clip", "tanh"):
			found = explores(p, u, depth-1)
		}
	})
	return found
}

// unitDraw is the draw between 0 and 1 that a product scales, or nil.
func unitDraw(s query.Seen) *infer.Val {
	product := query.FactorsOf(s)
	if product.Negated {
		return nil
	}
	for _, f := range product.List {
		r := f.Q.Range
		if !r.NonNegative() || r.Hi.Float() > 1 || f.Const != nil {
			continue
		}
		var draw *infer.Val
		infer.Walk(f.Val, 8, func(v *infer.Val) bool {
			if v.IsOp("rand", "rand_like", "random", "random_sample", "uniform") {
				draw = v
			}
			return draw == nil
		})
		if draw != nil {
			return draw
		}
	}
	return nil
}

// pulled is the x of x + theta * (mu - x), or of the pull alone; nil for anything else.
func pulled(s query.Seen) *infer.Val {
	var x *infer.Val
	terms := query.TermsOf(s, 1)
	for _, t := range terms {
		for _, f := range query.FactorsOf(t.Seen).List {
			if f.IsOp("sub") && len(f.In) > 1 && t.Sign > 0 {
				x = f.In[1]
			}
		}
	}
	switch {
	case x == nil || len(terms) > 2:
		return nil
	case len(terms) == 2 && !slices.ContainsFunc(terms, func(t query.Term) bool { return infer.SameSource(t.Val, x) }):
		return nil
	}
	return x
}

// isStep reports whether a sum moves x on: x is a part of it, or it is added to x.
func isStep(p *pass.Pass, sum, x *infer.Val) bool {
	ofX := func(v *infer.Val) bool { return v != nil && infer.SameSource(v, x) }
	if slices.ContainsFunc(query.TermsOf(p.See(sum), 1), func(t query.Term) bool { return ofX(t.Val) }) {
		return true
	}
	return slices.ContainsFunc(p.UsesOf(sum), func(u *infer.Val) bool { return u.IsOp("add") && slices.ContainsFunc(u.In, ofX) })
}
