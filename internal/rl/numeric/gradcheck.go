package numeric

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Check is the comparison of one returned gradient with the derivative of
// forward with respect to one input.
type Check struct {
	Input    *infer.Val // forward's parameter
	Position int        // its place among forward's inputs
	Returned *infer.Val // what backward returns for it
	// Analytic and Numeric are the worst pair of elements.
	Analytic, Numeric float64
	// Error is the largest relative error over all elements and points.
	Error float64
	// Factor is Analytic / Numeric where it is the same for all elements and
	// points (a constant factor or a sign), else 0.
	Factor float64
	// Surrogate says that a wrong gradient looks deliberate: forward has no slope
	// wherever they differ, as a step function; or it is the identity; or they
	// differ for large incoming gradients only, as where these are clipped; or the
	// gradient is an approximation.
	Surrogate bool
	// IgnoresUpstream says that the gradient does not change with grad_output,
	// Zero that it is always 0.
	IgnoresUpstream, Zero bool
	// Nonlinear says that the gradient is not linear in small incoming ones, as every derivative is
	// and every surrogate of one. What forward returns unchanged may be scaled as one likes.
	Nonlinear bool
	// Without are the places of the inputs that get no gradient.
	Without []int

	// constants says that what forward computes without gradients, as statistics in a block of
	// no_grad, counts as constant.
	constants bool
}

const (
	points   = 6    // random points
	side     = 3    // every tensor is side x side
	step     = 1e-5 // of the central difference
	maxTries = 40   // points near a kink are drawn again
	small    = 1e-4 // of an incoming gradient that nobody clips
	near     = 5e-3 // of the upper quartile of slopes: what approximations of erf and exp differ by
)

// CheckFunction compares backward with the derivative of forward at random
// points away from kinks. ok is false where either half holds an operation
// that cannot be computed here, or where their shapes do not fit: the check
// then says nothing.
func CheckFunction(fn *infer.Function) (checks []Check, ok bool) {
	if fn.Forward.Result == nil || fn.Backward.Result == nil || len(fn.GradOutputs) != len(elements(fn.Forward.Result)) {
		return nil, false
	}
	grads := elements(fn.Backward.Result)
	if len(grads) != len(fn.Inputs) {
		return nil, false
	}
	for _, scalars := range []bool{true, false} {
		if checks, ok = checkAll(fn, grads, scalars); ok {
			return checks, true
		}
	}
	return nil, false
}

// checkAll makes the checks of all inputs; scalars says whether inputs without a
// gradient are numbers, which most are, rather than matrices.
func checkAll(fn *infer.Function, grads []*infer.Val, scalars bool) (checks []Check, ok bool) {
	rng := rand.New(rand.NewPCG(1, 2)) // fixed: the editor must not flicker
	shapes := map[*infer.Val][]int{}
	var without []int
	for i, g := range grads {
		if g != nil && !g.IsNone() {
			continue
		}
		without = append(without, i)
		if scalars {
			shapes[fn.Inputs[i]] = []int{}
		}
	}
	for i, g := range grads {
		if g == nil || g.IsNone() {
			continue
		}
		c := Check{Input: fn.Inputs[i], Position: i, Returned: g}
		if !c.run(fn, rng, shapes) {
			return nil, false
		}
		if h := (Check{Input: c.Input, Position: i, Returned: g, constants: true}); c.Wrong() && h.run(fn, rng, shapes) && !h.Wrong() {
			c = h
		}
		c.Without = without
		checks = append(checks, c)
	}
	return checks, len(checks) > 0
}

// elements splits what a half returns: one output or gradient each.
func elements(v *infer.Val) []*infer.Val {
	if r, ok := v.Ref.(*infer.SeqRef); ok {
		return r.Elems
	}
	return []*infer.Val{v}
}

// run evaluates the check at several points; false where it cannot be computed.
// What it learns of shapes holds for the other inputs too.
func (c *Check) run(fn *infer.Function, rng *rand.Rand, shapes map[*infer.Val][]int) bool {
	seen := evidence{flat: true, identity: true, clipped: true, ratio: ratio{constant: true}}
	c.IgnoresUpstream, c.Zero = true, true
	for done, tries := 0, 0; done < points; tries++ {
		if tries == maxTries {
			return false
		}
		p := newPoint(fn, rng, shapes, tries%2 == 1)
		p.constants = c.constants
		if dims, ok := p.gradientShape(c.Position); ok && narrower(dims, p.inputs[c.Input].Dims) && shapes[c.Input] == nil {
			shapes[c.Input] = dims // a bias, or one weight a row: the input has the shape of its gradient
			continue
		}
		kinked, ok := c.at(p, rng, &seen)
		if !ok {
			return false
		}
		if !kinked {
			done++
		}
	}
	c.Nonlinear = seen.bent && !seen.identity
	c.Surrogate = c.Wrong() && (seen.flat || seen.identity || seen.clipped || seen.close())
	if seen.ratio.constant && seen.ratio.n > 0 && math.Abs(seen.ratio.value-1) > tolerance {
		c.Factor = seen.ratio.value
	}
	return true
}

// narrower reports whether one shape broadcasts to another and is not the same.
func narrower(dims, of []int) bool {
	if len(dims) > len(of) || slices.Equal(dims, of) {
		return false
	}
	for i, n := range dims {
		if n != 1 && n != of[len(of)-len(dims)+i] {
			return false
		}
	}
	return true
}

// evidence is what the points that were tried have in common.
type evidence struct {
	flat     bool // where gradient and derivative differ, the derivative is 0
	identity bool // forward returns the input
	clipped  bool // for small incoming gradients they do not differ
	bent     bool // the gradient is not linear in small incoming ones
	furthest float64
	slopes   []float64 // the derivatives, without sign, that are not 0
	ratio    ratio
}

// close reports whether the gradient differs nowhere by more than a little of the usual slope.
func (e *evidence) close() bool {
	slices.Sort(e.slopes)
	return len(e.slopes) > 0 && e.furthest <= near*e.slopes[len(e.slopes)*3/4]
}

// at compares at one point.
func (c *Check) at(p *point, rng *rand.Rand, seen *evidence) (kinked, ok bool) {
	analytic, numeric, kinked, ok := p.gradients(c.Position)
	if !ok || kinked {
		return kinked, ok
	}
	other, ok1 := p.withUpstream(func(float64) float64 { return rng.NormFloat64() }).backward(c.Position)
	tame, ok2 := p.withUpstream(func(x float64) float64 { return small * x }).backward(c.Position)
	bent, ok3 := p.bent(c.Position, rng)
	if !ok1 || !ok2 || !ok3 {
		return false, false
	}
	seen.bent = seen.bent || bent
	seen.identity = seen.identity && p.returns(p.inputs[c.Input])
	for k := range numeric.Data {
		c.compare(analytic.Data[k], numeric.Data[k], seen)
		c.IgnoresUpstream = c.IgnoresUpstream && math.Abs(other.Data[k]-analytic.Data[k]) <= 1e-9
		seen.clipped = seen.clipped && relative(tame.Data[k]/small, numeric.Data[k]) <= tolerance
	}
	return false, true
}

// tolerance is the relative error up to which a gradient counts as right:
// central differences in double precision are far better than this.
const tolerance = 1e-4

// Wrong reports whether the returned gradient is not the derivative.
func (c *Check) Wrong() bool { return c.Error > tolerance }

func (c *Check) compare(analytic, numeric float64, seen *evidence) {
	err := relative(analytic, numeric)
	if err > c.Error {
		c.Error, c.Analytic, c.Numeric = err, analytic, numeric
	}
	c.Zero = c.Zero && analytic == 0
	if err > tolerance && math.Abs(numeric) > 1e-6 {
		seen.flat = false
	}
	if d := math.Abs(analytic - numeric); d > seen.furthest || math.IsNaN(d) {
		seen.furthest = d
	}
	if math.Abs(numeric) > 1e-6 {
		seen.slopes = append(seen.slopes, math.Abs(numeric))
		seen.ratio.add(analytic / numeric)
	}
}

// relative is the difference of two numbers beside the larger one.
func relative(a, b float64) float64 {
	err := math.Abs(a-b) / math.Max(1e-3, math.Max(math.Abs(a), math.Abs(b)))
	if math.IsNaN(err) {
		return math.Inf(1)
	}
	return err
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

// point is one assignment of tensors to forward's inputs and to the incoming gradients.
type point struct {
	fn       *infer.Function
	inputs   map[*infer.Val]*Tensor
	upstream []*Tensor // one an output

	constants bool                   // see Check
	held      map[*infer.Val]*Tensor // the values of these constants
}

// newPoint draws a point; a positive one lies in the domain of log and sqrt.
func newPoint(fn *infer.Function, rng *rand.Rand, shapes map[*infer.Val][]int, positive bool) *point {
	p := &point{fn: fn, inputs: map[*infer.Val]*Tensor{}}
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

// outputs evaluates forward; kinked says that it may have no derivative here.
func (p *point) outputs() (out []*Tensor, kinked, ok bool) {
	env := p.env()
	for _, v := range elements(p.fn.Forward.Result) {
		t, ok := env.Eval(v)
		if !ok {
			return nil, false, false
		}
		out = append(out, t)
	}
	return out, env.Kinked, true
}

// returns reports whether an output of forward is x.
func (p *point) returns(x *Tensor) bool {
	out, _, _ := p.outputs()
	return slices.ContainsFunc(out, func(t *Tensor) bool { return slices.Equal(t.Dims, x.Dims) && slices.Equal(t.Data, x.Data) })
}

// gradientShape returns the shape of what backward returns for input i.
func (p *point) gradientShape(i int) ([]int, bool) {
	out, _, ok := p.outputs()
	if !ok {
		return nil, false
	}
	q := *p
	for _, t := range out {
		q.upstream = append(q.upstream, New(t.Dims...))
	}
	g, ok := q.env().Eval(elements(p.fn.Backward.Result)[i])
	if !ok || len(g.Dims) == 0 {
		return nil, false
	}
	return g.Dims, true
}

// withUpstream returns the point with other incoming gradients.
func (p *point) withUpstream(f func(float64) float64) *point {
	q := *p
	q.upstream = nil
	for _, t := range p.upstream {
		q.upstream = append(q.upstream, t.apply(f))
	}
	return &q
}

// bent reports whether the gradient for input i of a sum of two small incoming gradients is not the sum of
// theirs. A term that takes nothing of them, as a penalty on the input, is left out.
func (p *point) bent(i int, rng *rand.Rand) (bent, ok bool) {
	draw := func(float64) float64 { return small * rng.NormFloat64() }
	a, b := p.withUpstream(draw), p.withUpstream(draw)
	both := *p
	both.upstream = nil
	for j := range a.upstream {
		both.upstream = append(both.upstream, zip(a.upstream[j], b.upstream[j], func(x, y float64) float64 { return x + y }))
	}
	var grads [4]*Tensor
	for k, q := range []*point{a, b, &both, p.withUpstream(func(float64) float64 { return 0 })} {
		if grads[k], ok = q.backward(i); !ok {
			return false, false
		}
	}
	apart, scale := 0.0, 0.0
	for k, none := range grads[3].Data {
		if math.IsNaN(none) || math.IsInf(none, 0) { // 0 / 0 of one that is scaled
			none = 0
		}
		one, other := grads[0].Data[k]-none, grads[1].Data[k]-none
		apart = math.Max(apart, math.Abs(grads[2].Data[k]-none-one-other))
		scale = math.Max(scale, math.Abs(one)+math.Abs(other))
	}
	return apart > 10*tolerance*scale, true
}

func (p *point) env() *Env {
	return &Env{Leaf: func(v *infer.Val) *Tensor {
		if t := p.inputs[v]; t != nil {
			return t
		}
		if t := p.held[v]; t != nil {
			return t
		}
		if i := slices.Index(p.fn.GradOutputs, v); i >= 0 && i < len(p.upstream) {
			return p.upstream[i]
		}
		return nil
	}}
}

// backward evaluates the gradient that is returned for input i.
func (p *point) backward(i int) (*Tensor, bool) {
	g, ok := p.env().Eval(elements(p.fn.Backward.Result)[i])
	if !ok {
		return nil, false
	}
	x := p.inputs[p.fn.Inputs[i]]
	dims, ok := broadcast(g.Dims, x.Dims)
	if !ok || len(dims) != len(x.Dims) || len(g.Data) > len(x.Data) {
		return nil, false
	}
	return g.expand(x.Dims), true
}

// gradients returns the analytic and the numeric gradient of
// sum(forward * upstream) with respect to input i.
func (p *point) gradients(i int) (analytic, numeric *Tensor, kinked, ok bool) {
	out, kinked, ok := p.outputs()
	if !ok {
		return nil, nil, false, false
	}
	p.upstream = nil
	for n, t := range out {
		if slices.ContainsFunc(t.Data, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) { // outside the domain of forward
			return nil, nil, true, true
		}
		w := New(t.Dims...)
		for k := range w.Data {
			w.Data[k] = 0.5 + 0.37*float64((k+2*n)%5) // fixed, not constant, never 1
		}
		p.upstream = append(p.upstream, w)
	}
	if kinked {
		return nil, nil, true, true
	}
	if analytic, ok = p.backward(i); !ok {
		return nil, nil, false, false
	}
	p.dropUnused(i, analytic)
	numeric, ok = p.difference(p.fn.Inputs[i])
	return analytic, numeric, false, ok
}

// dropUnused gives no gradient to outputs whose gradient backward does not use for input i,
// where it uses that of another: an output on the side is seldom trained through.
func (p *point) dropUnused(i int, analytic *Tensor) {
	zero := func(float64) float64 { return 0 }
	var unused []int
	for j := range p.upstream {
		q := *p
		q.upstream = slices.Clone(p.upstream)
		q.upstream[j] = q.upstream[j].apply(zero)
		if g, ok := q.backward(i); ok && slices.Equal(g.Data, analytic.Data) {
			unused = append(unused, j)
		}
	}
	if len(unused) < len(p.upstream) {
		for _, j := range unused {
			p.upstream[j] = p.upstream[j].apply(zero)
		}
	}
}

// difference is the central difference of sum(forward * upstream).
func (p *point) difference(in *infer.Val) (*Tensor, bool) {
	x := p.inputs[in]
	out := New(x.Dims...)
	if p.constants {
		p = p.holding()
	}
	for k := range x.Data {
		above, ok1 := p.moved(in, k, step).weighted()
		below, ok2 := p.moved(in, k, -step).weighted()
		if !ok1 || !ok2 {
			return nil, false
		}
		out.Data[k] = (above - below) / (2 * step)
	}
	return out, true
}

// holding returns the point with what forward computes without gradients as it is there.
func (p *point) holding() *point {
	env := p.env()
	for _, v := range elements(p.fn.Forward.Result) {
		env.Eval(v)
	}
	q := *p
	q.held = map[*infer.Val]*Tensor{}
	for v, t := range env.memo {
		if t != nil && (v.NoGrad || v.IsOp("detach")) {
			q.held[v] = t
		}
	}
	return &q
}

// moved returns the point with one element of an input changed.
func (p *point) moved(in *infer.Val, k int, by float64) *point {
	q := *p
	q.inputs = maps.Clone(p.inputs)
	q.inputs[in] = p.inputs[in].Clone()
	q.inputs[in].Data[k] += by
	return &q
}

// weighted is sum(forward * upstream).
func (p *point) weighted() (float64, bool) {
	out, _, ok := p.outputs()
	sum := 0.0
	for i, t := range out {
		w := zip(t, p.upstream[i], func(a, b float64) float64 { return a * b })
		if w == nil {
			return 0, false
		}
		sum += w.sumAll().Data[0]
	}
	return sum, ok
}
