package query

import (
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Squashed actions
//
// A policy that draws u from a normal distribution N and acts by a = tanh(u) has the log-density
//
//	log p(a) = log N(u) - log(1 - tanh(u)**2)
//
// Programs write the logarithm, the slope of tanh, in a few forms. One of them wants the draw, the others what tanh made of it:
//
//	log(1 - y**2 + eps), log1p(-y**2), log(scale * (1 - y**2))      y = tanh(u)
//	2 * (log(2) - u - softplus(-2 * u))

// Slope is such a logarithm.
type Slope struct {
	// At is the logarithm, or the softplus.
	At Seen
	// Of is what stands in the place of y, or of u in the last form.
	Of     Seen
	OfDraw bool
}

// Slopes are the slopes of tanh in the module, each once for every way to it.
func (g *Graph) Slopes() (out []Slope) {
	for _, v := range g.Made("log", "log1p", "softplus") {
		for _, s := range g.Paths(v) {
			if x, ok := slopeOf(s); ok {
				out = append(out, x)
			}
		}
	}
	return out
}

func slopeOf(s Seen) (Slope, bool) {
	if s.IsOp("softplus") {
		of, by, ok := s.Input(0).Strip().timesNumber()
		return Slope{At: s, Of: of, OfDraw: true}, ok && by == -2 && s.besideItself(of)
	}
	x := s.Input(0)
	for range 8 {
		x = x.Strip()
		if !x.Known() || len(x.In) == 0 {
			return Slope{}, false
		}
		if y := OneMinusSquareOf(x, s.IsOp("log1p")); y.Known() {
			return Slope{At: s, Of: y}, true
		}
		x = x.lifted()
	}
	return Slope{}, false
}

// besideItself reports whether a softplus is subtracted beside what it is of, as in log(2) - u - softplus(-2 * u).
func (s Seen) besideItself(of Seen) bool {
	for _, u := range s.Uses() {
		if !u.IsOp("sub", "add") {
			continue
		}
		for _, t := range TermsOf(s.Of(u), 1) {
			if x := t.Seen.Strip(); x.Known() && x.Val == of.Strip().Val {
				return true
			}
		}
	}
	return false
}

// lifted is x of what keeps x from being 0, or scales it: x + eps, relu(x), clamp(x, 0, 1), scale * x.
func (s Seen) lifted() Seen {
	switch {
	case s.IsOp("add", "sub", "mul") && len(s.In) > 1:
		for i := range 2 {
			if x := s.Input(1 - i).Strip(); s.Input(i).Strip().isNumber() && x.Known() && len(x.In) > 0 {
				return x
			}
		}
		if x := s.Input(1).Strip(); s.IsOp("mul") && x.Known() && (x.IsOp("add", "sub")) {
			return x
		}
	case s.IsOp("relu", "clamp", "clip", "clamp_min", "maximum", "abs"):
		return s.Input(0)
	}
	return Seen{}
}

func (s Seen) isNumber() bool {
	_, ok := s.Float()
	return ok || s.Is(domain.Number|domain.Coef)
}

// OneMinusSquareOf is y of 1 - y**2, or of -y**2, where that is what x is meant for; no value for anything else.
func OneMinusSquareOf(x Seen, lessOne bool) Seen {
	x = x.Strip()
	switch {
	case !x.Known():
	case lessOne:
		product := FactorsOf(x)
		if product.Negated && len(product.List) == 1 {
			return squareOf(product.List[0])
		} else if product.Negated && len(product.List) == 2 && product.List[0].Same(product.List[1]) {
			return product.List[0].Strip()
		}
	case x.IsOp("sub") && len(x.In) > 1:
		if one, ok := x.Input(0).Float(); ok && one > 0.99 && one < 1.01 { // 1 + 1e-6, too
			return squareOf(x.Input(1))
		}
	}
	return Seen{}
}

func squareOf(s Seen) Seen {
	if x, ok := s.Strip().squared(); ok {
		return x.Strip()
	}
	return Seen{}
}

// TanhOf is s where tanh made it, else no value; what tanh took is its last input.
func TanhOf(s Seen) Seen {
	if s = s.Strip(); s.Known() && s.IsOp("tanh", "Tanh") && len(s.In) > 0 {
		return s
	}
	return Seen{}
}

// Squashed is the tanh or sigmoid of which s is the result, scaled and moved by constants of the program or not; no value where anything
// else had a part in it, as noise or a layer.
func (s Seen) Squashed() Seen {
	for range 6 {
		s = s.Strip()
		switch {
		case !s.Known() || len(s.In) == 0:
			return Seen{}
		case s.IsOp("tanh", "Tanh", "sigmoid"):
			return s
		case s.IsOp("clamp", "clip"):
			s = s.Input(0)
		case s.IsOp("mul", "div", "add", "sub") && len(s.In) > 1 && s.Input(1).isConstant():
			s = s.Input(0)
		case s.IsOp("mul", "add", "sub") && len(s.In) > 1 && s.Input(0).isConstant():
			s = s.Input(1)
		default:
			return Seen{}
		}
	}
	return Seen{}
}

// isConstant reports whether nothing that a network yields went into s, and nothing that is drawn.
func (s Seen) isConstant() bool {
	return s.Known() && s.Q.Grad != domain.Attached && !infer.Within(s.Val, 30, func(v *infer.Val) bool {
		return drawing[infer.BaseOp(v.Op)] || v.IsOp("rsample", "randn_like", "rand_like", "tanh", "Tanh", "sigmoid") || v.Is(domain.Action)
	})
}

// Scale is the number that an action is multiplied with after it was squashed; ok is false where there is none, or where it is not known.
func (s Seen) Scale() (by float64, ok bool) {
	x := s.Strip()
	if !x.Known() || !x.IsOp("mul", "div") {
		return 0, false
	}
	of, by, ok := x.timesNumber()
	return by, ok && TanhOf(of).Known()
}

// Counted is the sum in which a slope meets the log-density that it corrects, and the sign that it has there for a density with a plus:
// -1 is right. It is no value where that is not seen.
func (s Slope) Counted() (sum *infer.Val, logp Seen, sign int) {
	sign = 1
	if s.OfDraw {
		sign = -1
	}
	return s.At.counted(sign, 8)
}

func (s Seen) counted(sign, depth int) (sum *infer.Val, logp Seen, relative int) {
	for _, u := range s.Uses() {
		by := sign
		switch {
		case depth == 0:
			return nil, Seen{}, 0
		case infer.Through(u) == s.Val, u.IsOp("sum", "mean"):
		case u.IsOp("neg"):
			by = -sign
		case u.IsOp("mul") && len(u.In) > 1:
			_, c, ok := s.Of(u).timesNumber()
			if !ok || c == 0 {
				continue
			}
			if c < 0 {
				by = -sign
			}
		case u.IsOp("add", "sub") && len(u.In) > 1 && u.In[0] != u.In[1]:
			other, otherSign := s.Of(u.In[0]), 1
			if u.In[0] == s.Val {
				other = s.Of(u.In[1])
				if u.IsOp("sub") {
					otherSign = -1
				}
			} else if u.IsOp("sub") {
				by = -sign
			}
			for _, t := range TermsOf(other, otherSign) {
				if x := t.Unreduced(); x.Known() && x.IsOp("log_prob") && len(x.In) > 1 {
					return u, x, by * t.Sign
				}
			}
		default:
			continue
		}
		if sum, logp, relative = s.Of(u).counted(by, depth-1); sum != nil {
			return sum, logp, relative
		}
	}
	return nil, Seen{}, 0
}

// IsNormal reports whether a distribution is a normal one over all numbers.
func (s Seen) IsNormal() bool {
	s = s.Strip()
	for range 4 {
		if !s.Known() || !s.IsOp("Independent") || len(s.In) == 0 {
			break
		}
		s = s.Input(0).Strip()
	}
	if !s.Known() {
		return false
	}
	o, ok := s.Referent().(*infer.LibObject)
	return ok && s.IsOp("Normal", "MultivariateNormal") && o.Name == "torch.distributions."+infer.BaseOp(o.Name)
}

// Reach is what an action may be that a network squashed: from Low to High, before noise and clips.
type Reach struct {
	At        Seen // the tanh or sigmoid
	Low, High float64
}

// Reach reads an action, as an environment gets it, as what a tanh or sigmoid yields, times a number. ok is false where more is done to it, or
// where that is not known; noise and clips may follow, and on other paths the action may be drawn.
func (s Seen) Reach() (r Reach, ok bool) { return s.reach(16) }

func (s Seen) reach(depth int) (r Reach, ok bool) {
	x := s.Strip()
	if !x.Known() || depth == 0 || len(x.In) == 0 {
		return Reach{}, false
	}
	switch {
	case x.IsOp("tanh", "Tanh"):
		return Reach{x, -1, 1}, true
	case x.IsOp("sigmoid", "Sigmoid"):
		return Reach{x, 0, 1}, true
	case x.IsOp("mul", "div"):
		of, by, known := x.timesNumber()
		if !known || by <= 0 {
			return Reach{}, false
		}
		r, ok = of.reach(depth - 1)
		r.Low, r.High = by*r.Low, by*r.High
		return r, ok
	case x.IsOp("clamp", "clip", infer.OpItem), x.Op == infer.OpDisplay && len(x.In) == 1:
		return x.Input(0).reach(depth - 1)
	case x.IsOp("add") && len(x.In) > 1:
		for i := range 2 {
			if r, ok = x.Input(i).reach(depth - 1); ok {
				return r, r.Low < 0 && x.Input(1-i).isDrawn(6)
			}
		}
	case x.Op == infer.OpPhi:
		for _, in := range x.In {
			y := x.Of(in)
			if y.Known() && y.IsNone() { // where another action is taken instead
				continue
			}
			to, known := y.reach(depth - 1)
			if !known && (!y.Known() || len(y.YieldedBy()) > 0 || y.Q.Kind != domain.Action && !y.IsOp("sample")) || known && ok && (to.Low != r.Low || to.High != r.High) {
				return Reach{}, false
			}
			if known {
				r, ok = to, true
			}
		}
		return r, ok
	}
	return Reach{}, false
}
