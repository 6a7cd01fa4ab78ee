package numeric

import (
	"math"
	"math/rand/v2"

	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Check is the comparison of one returned gradient with the derivative of
// forward with respect to one input.
type Check struct {
	Input    *infer.Val // forward's parameter
	Returned *infer.Val // what backward returns for it
	// Analytic and Numeric are the worst pair of elements.
	Analytic, Numeric float64
	// Error is the largest relative error over all elements and points.
	Error float64
	// Factor is Analytic / Numeric where it is the same for all elements and
	// points (a constant factor or a sign), else 0.
	Factor float64
	// Flat says that forward has no slope at any point that was tried: a step
	// function, whose backward can only be a surrogate.
	Flat bool
	// IgnoresUpstream says that the gradient does not change with grad_output.
	IgnoresUpstream bool
}

const (
	points   = 6    // random points
	side     = 3    // every tensor is side x side
	step     = 1e-5 // of the central difference
	maxTries = 40   // points near a kink are drawn again
)

// CheckFunction compares backward with the derivative of forward at random
// points away from kinks. ok is false where either half holds an operation
// that cannot be computed here, or where their shapes do not fit: the check
// then says nothing.
func CheckFunction(fn *infer.Function) (checks []Check, ok bool) {
	if fn.Forward.Result == nil || fn.Backward.Result == nil || len(fn.GradOutputs) != 1 {
		return nil, false
	}
	grads := returned(fn.Backward.Result)
	if len(grads) != len(fn.Inputs) {
		return nil, false
	}
	rng := rand.New(rand.NewPCG(1, 2)) // fixed: the editor must not flicker
	for i, g := range grads {
		if g == nil || g.IsNone() {
			continue
		}
		c := Check{Input: fn.Inputs[i], Returned: g}
		if !c.run(fn, i, rng) {
			return nil, false
		}
		checks = append(checks, c)
	}
	return checks, len(checks) > 0
}

// returned splits what backward returns: one gradient an input.
func returned(v *infer.Val) []*infer.Val {
	if r, ok := v.Ref.(*infer.SeqRef); ok {
		return r.Elems
	}
	return []*infer.Val{v}
}

// run evaluates the check for input i; false where it cannot be computed.
func (c *Check) run(fn *infer.Function, i int, rng *rand.Rand) bool {
	c.IgnoresUpstream, c.Flat = true, true
	ratios := ratio{constant: true}
	shapes := map[*infer.Val][]int{}
	for done, tries := 0, 0; done < points; tries++ {
		if tries == maxTries {
			return false
		}
		p := newPoint(fn, rng, shapes, tries%2 == 1)
		if dims, ok := p.gradientShape(fn, i); ok && len(dims) < len(p.inputs[fn.Inputs[i]].Dims) && shapes[fn.Inputs[i]] == nil {
			shapes[fn.Inputs[i]] = dims // a bias: the input has the shape of its gradient
			continue
		}
		analytic, numeric, kinked, ok := p.gradients(fn, i)
		if !ok {
			return false
		}
		if kinked {
			continue
		}
		done++
		other, ok := p.withUpstream(rng).backward(fn, i)
		if !ok {
			return false
		}
		c.compare(analytic, numeric, other, &ratios)
	}
	if ratios.constant && ratios.n > 0 && math.Abs(ratios.value-1) > tolerance {
		c.Factor = ratios.value
	}
	return true
}

// tolerance is the relative error up to which a gradient counts as right:
// central differences in double precision are far better than this.
const tolerance = 1e-4

// Wrong reports whether the returned gradient is not the derivative.
func (c *Check) Wrong() bool { return c.Error > tolerance }

func (c *Check) compare(analytic, numeric, other *Tensor, r *ratio) {
	for k := range numeric.Data {
		a, n := analytic.Data[k], numeric.Data[k]
		err := math.Abs(a-n) / math.Max(1e-3, math.Max(math.Abs(a), math.Abs(n)))
		if err > c.Error || math.IsNaN(err) {
			c.Error, c.Analytic, c.Numeric = err, a, n
			if math.IsNaN(err) {
				c.Error = math.Inf(1)
			}
		}
		if math.Abs(n) > 1e-6 {
			c.Flat = false
			r.add(a / n)
		}
		if math.Abs(other.Data[k]-a) > 1e-9 {
			c.IgnoresUpstream = false
		}
	}
}

// ratio tells whether a sequence of quotients is constant.
type ratio struct {
	value    float64
	n        int
	constant bool
}

func (r *ratio) add(x float64) {
	if r.n == 0 {
		r.value = x
	} else if math.Abs(x-r.value) > 1e-3*math.Max(1, math.Abs(r.value)) {
		r.constant = false
	}
	r.n++
}

// point is one assignment of tensors to forward's inputs and to grad_output.
type point struct {
	inputs   map[*infer.Val]*Tensor
	upstream *Tensor
	grad     *infer.Val
}

// newPoint draws a point; a positive one lies in the domain of log and sqrt.
func newPoint(fn *infer.Function, rng *rand.Rand, shapes map[*infer.Val][]int, positive bool) *point {
	p := &point{inputs: map[*infer.Val]*Tensor{}, grad: fn.GradOutputs[0]}
	for _, v := range fn.Inputs {
		dims := shapes[v]
		if dims == nil {
			dims = []int{side, side}
		}
		t := New(dims...)
		for k := range t.Data {
			t.Data[k] = rng.NormFloat64()
			if positive {
				t.Data[k] = 0.3 + math.Abs(t.Data[k])
			}
		}
		p.inputs[v] = t
	}
	return p
}

// gradientShape returns the shape of what backward returns for input i.
func (p *point) gradientShape(fn *infer.Function, i int) ([]int, bool) {
	out, ok := p.env().Eval(fn.Forward.Result)
	if !ok {
		return nil, false
	}
	q := *p
	q.upstream = New(out.Dims...)
	g, ok := q.env().Eval(returned(fn.Backward.Result)[i])
	if !ok || len(g.Dims) == 0 {
		return nil, false
	}
	return g.Dims, true
}

// withUpstream returns the point with another grad_output.
func (p *point) withUpstream(rng *rand.Rand) *point {
	q := *p
	q.upstream = p.upstream.apply(func(float64) float64 { return rng.NormFloat64() })
	return &q
}

func (p *point) env() *Env {
	return &Env{Leaf: func(v *infer.Val) *Tensor {
		if t := p.inputs[v]; t != nil {
			return t
		}
		if v == p.grad {
			return p.upstream
		}
		return nil
	}}
}

// backward evaluates the gradient that is returned for input i.
func (p *point) backward(fn *infer.Function, i int) (*Tensor, bool) {
	g, ok := p.env().Eval(returned(fn.Backward.Result)[i])
	if !ok {
		return nil, false
	}
	want := p.inputs[fn.Inputs[i]].Dims
	dims, ok := broadcast(g.Dims, want)
	if !ok || len(dims) != len(want) || len(g.Data) > len(p.inputs[fn.Inputs[i]].Data) {
		return nil, false
	}
	return g.expand(want), true
}

// gradients returns the analytic and the numeric gradient of
// sum(forward * upstream) with respect to input i.
func (p *point) gradients(fn *infer.Function, i int) (analytic, numeric *Tensor, kinked, ok bool) {
	env := p.env()
	out, ok := env.Eval(fn.Forward.Result)
	if !ok {
		return nil, nil, false, false
	}
	for _, x := range out.Data {
		if math.IsNaN(x) || math.IsInf(x, 0) { // outside the domain of forward
			return nil, nil, true, true
		}
	}
	p.upstream = New(out.Dims...)
	for k := range p.upstream.Data {
		p.upstream.Data[k] = 0.5 + 0.37*float64(k%5) // fixed, not constant, never 1
	}
	if env.Kinked {
		return nil, nil, true, true
	}
	if analytic, ok = p.backward(fn, i); !ok {
		return nil, nil, false, false
	}
	numeric, ok = p.difference(fn, fn.Inputs[i])
	return analytic, numeric, false, ok
}

// difference is the central difference of sum(forward * upstream).
func (p *point) difference(fn *infer.Function, in *infer.Val) (*Tensor, bool) {
	x := p.inputs[in]
	out := New(x.Dims...)
	for k := range x.Data {
		var side [2]float64
		for j, h := range []float64{step, -step} {
			q := &point{inputs: map[*infer.Val]*Tensor{}, grad: p.grad}
			for v, t := range p.inputs {
				q.inputs[v] = t
			}
			moved := x.Clone()
			moved.Data[k] += h
			q.inputs[in] = moved
			y, ok := q.env().Eval(fn.Forward.Result)
			if !ok {
				return nil, false
			}
			w := zip(y, p.upstream, func(a, b float64) float64 { return a * b })
			if w == nil {
				return nil, false
			}
			side[j] = w.sumAll().Data[0]
		}
		out.Data[k] = (side[0] - side[1]) / (2 * step)
	}
	return out, true
}
