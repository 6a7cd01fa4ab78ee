package roles

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # The temperature of soft actor-critic
//
// The temperature a is learned: it has to rise where the entropy of the policy is below a target H, and
// to fall where it is above. Minimising
//
//	-log(a) * (logp + H).detach()        H = -dim(A), or a share of log(n) for n discrete actions
//
// does that: -logp estimates the entropy, so the gradient by log(a) is H's excess over the entropy, negated.
// Programs write a for log(a), average the entropy by the probabilities of the actions, and move the
// signs about. So all of it is read as one sum with signs: which way does the loss count the
// log-probability, and which way the target.

// Temperature is a term of a loss that adjusts a learned temperature to a target entropy.
type Temperature struct {
	// At is the product, and Sum the factor that compares the entropy with the target.
	At, Sum query.Seen
	// LogProb is the sign with which the loss counts log-probabilities times the temperature: -1 lowers
	// the temperature of a policy with too much entropy. 0 where only the target is known: what it is compared with
	// was computed out of sight.
	LogProb int
	// Goal is the number in the sum, and Sign the sign with which the loss counts it times the temperature.
	Goal query.Seen
	Sign int
	// GoalSign is the sign of the number itself, 0 where it is not known: settings tell nothing.
	GoalSign int
	// Size says that the number is made of the number of actions or of their dimensions, and of no
	// logarithm.
	Size bool
	// Continuous and Discrete say of what actions the log-probabilities are, where that is known.
	Continuous, Discrete bool
}

// Temperatures returns the terms of losses that adjust a temperature.
func (m *Model) Temperatures() []Temperature {
	var out []Temperature
	if len(m.g.Made("log_prob", "log_softmax", "log")) == 0 {
		return nil
	}
	for _, l := range m.Losses() {
		if !l.Value.Known() {
			continue
		}
		for _, t := range query.TermsOf(l.Value, 1) {
			if x, ok := temperatureOf(t.Seen, t.Sign); ok {
				x.Size = x.Size || m.countsActions(x.Goal)
				out = append(out, x)
			}
		}
	}
	return out
}

// temperatureOf reads a term of a loss as the product of a learned number and of a difference of
// entropies; what else multiplies them has to be positive.
func temperatureOf(s query.Seen, sign int) (Temperature, bool) {
	s, sign = unsigned(s, sign)
	if !s.Known() {
		return Temperature{}, false
	}
	product := query.FactorsOf(s)
	if product.Negated {
		sign = -sign
	}
	out, learned := Temperature{At: s}, false
	for _, f := range product.List {
		w, weight := query.WeightOf(f)
		switch {
		case isLearnedNumber(f):
			if learned {
				return Temperature{}, false
			}
			learned = true
		case weight:
			sign *= w.Sign
		case f.Is(domain.Prob):
		case !out.Sum.Known():
			out.Sum = f
		default:
			return Temperature{}, false
		}
	}
	if !learned || !out.Sum.Known() || sign == 0 || !out.compare(sign) && !out.aims(sign) {
		return Temperature{}, false
	}
	out.Size = madeWith(out.Goal.Val, isSize) && !madeWith(out.Goal.Val, func(v *infer.Val) bool { return v.IsOp("log") })
	out.Discrete = madeWith(out.Sum.Val, func(v *infer.Val) bool { return v.IsOp("softmax", "log_softmax", "Categorical") })
	out.Continuous = !out.Discrete && madeWith(out.Sum.Val, func(v *infer.Val) bool {
		return v.IsOp("Normal", "MultivariateNormal") || strings.Contains(v.Op, "Normal.")
	})
	return out, true
}

// unsigned is what a loss is the mean or sum of, without its minus signs, and sign with them.
func unsigned(s query.Seen, sign int) (query.Seen, int) {
	for range 8 {
		s = s.Strip()
		switch {
		case !s.Known():
			return s, sign
		case s.IsOp("neg"):
			s, sign = s.Input(0), -sign
		case s.IsOp("mean", "sum"):
			s = s.Input(0)
		case s.Op == infer.OpPhi:
			s = unlessNone(s)
		}
	}
	return s, sign
}

// unlessNone is what s is unless it is None: a loss that some programs have, and others not.
func unlessNone(s query.Seen) query.Seen {
	var out query.Seen
	for _, x := range s.In {
		switch {
		case x == nil || x.IsNone():
		case out.Known():
			return s
		default:
			out = s.Of(x)
		}
	}
	if !out.Known() {
		return s
	}
	return out
}

// maxMade bounds what is looked at behind a log-probability or a target.
const maxMade = 400

// madeWith reports whether is holds of something that v is made of.
func madeWith(v *infer.Val, is func(*infer.Val) bool) bool {
	found := false
	infer.Walk(v, maxMade, func(x *infer.Val) bool {
		found = found || is(x)
		return !found
	})
	return found
}

// countsActions reports whether a number, or what it is multiplied with, is also how many outputs a layer has.
func (m *Model) countsActions(s query.Seen) bool {
	x := s.Strip()
	for x.Known() && (x.IsOp("neg", "mul") || query.IsConversion(x.Val)) && len(x.In) > 0 {
		next := x.Input(len(x.In) - 1)
		if _, number := next.Float(); x.IsOp("mul") && number {
			next = x.Input(0)
		}
		x = next.Strip()
	}
	if x.Known() && x.Const != nil && x.Frame != nil { // float(n) of a number that is known
		if call, ok := x.Node.(*ast.Call); ok && len(call.Args) == 1 {
			x = m.g.See(x.Frame.Val(call.Args[0])).Strip()
		}
	}
	return x.Known() && slices.ContainsFunc(m.g.Taking("out_features"), func(layer *infer.Val) bool {
		outputs := layer.Arg("out_features")
		return outputs != nil && infer.SameSource(outputs, x.Val)
	})
}

func isSize(v *infer.Val) bool {
	return v.Is(domain.Count) || v.IsOp("prod") || slices.Contains(query.SizeOps, infer.BaseOp(v.Op))
}

// compare reads the sum as a log-probability and a number; it reports whether it is both.
func (t *Temperature) compare(sign int) bool {
	return t.split(t.Sum.Unreduced(), sign, 4) && t.LogProb != 0 && t.Goal.Known()
}

// aims reads the sum, which is cut off from its gradient, as a target that is minus a size and something of which
// nothing is known: beside a learned number that can only be an estimate of the entropy.
func (t *Temperature) aims(sign int) bool {
	x := t.Sum.Unreduced().Strip()
	if !x.IsOp("add", "sub") || len(x.In) != 2 || !t.Sum.Cut().Known() && !x.NoGrad {
		return false
	}
	for i := range 2 {
		goal, other := x.Input(i), x.Input(1-i)
		if goalSign(goal, 8) >= 0 || !other.Known() || other.Q.Kind.Known() && other.Q.Evidence != domain.NameOnly || !madeWith(goal.Val, isSize) {
			continue
		}
		if i == 1 && x.IsOp("sub") {
			sign = -sign
		}
		t.LogProb, t.Goal, t.Sign, t.GoalSign = 0, goal, sign, -1
		return true
	}
	return false
}

// split goes through a sum to its terms. It reports whether each is understood.
func (t *Temperature) split(s query.Seen, sign, depth int) bool {
	x := s.Strip()
	switch {
	case !x.Known() || depth == 0:
		return false
	case x.IsOp("neg") && (x.Input(0).Strip().IsOp("add", "sub") || entropySign(x.Input(0), 8) != 0): // else the number is negative
		return t.split(x.Input(0), -sign, depth-1)
	case x.IsOp("add", "sub") && len(x.In) > 1:
		second := sign
		if x.IsOp("sub") {
			second = -sign
		}
		return t.split(x.Input(0), sign, depth-1) && t.split(x.Input(1), second, depth-1)
	}
	switch p := entropySign(s, 8) * sign; {
	case p != 0:
		known := t.LogProb != -p
		t.LogProb = p
		return known
	case s.Q.Grad == domain.Attached: // the correction of a squashed action's density
		return true
	case t.Goal.Known():
		return false
	}
	t.Goal, t.Sign, t.GoalSign = s, sign, goalSign(s, 8)
	return true
}

// isLearnedNumber reports whether s is a parameter of its own, or what keeps one positive: no network
// computes it.
func isLearnedNumber(s query.Seen) bool {
	x := s.Strip()
	for x.Known() && x.IsOp("exp", "softplus") {
		s = x.Input(0)
		x = s.Strip()
	}
	return s.Known() && isLeaf(s.Val, 4)
}

// isLeaf reports whether gradients end at v: it has one, and nothing that it is made of has.
func isLeaf(v *infer.Val, depth int) bool {
	if v == nil || depth == 0 || v.Q.Kind.Known() && !v.Is(domain.Number|domain.Coef) {
		return false
	}
	has := func(is func(*infer.Val) bool) bool {
		return slices.ContainsFunc(v.In, func(x *infer.Val) bool { return x != nil && is(x) })
	}
	attached := func(x *infer.Val) bool { return x.Q.Grad == domain.Attached || x.Is(domain.Module) }
	switch {
	case v.Op == infer.OpPhi: // before it was told to take gradients, too
		return has(func(x *infer.Val) bool { return isLeaf(x, depth-1) }) &&
			!has(func(x *infer.Val) bool { return attached(x) && !isLeaf(x, depth-1) })
	case v.Q.Grad != domain.Attached:
		return false
	case infer.Through(v) != nil && has(attached):
		return isLeaf(infer.Through(v), depth-1)
	}
	return !has(attached)
}

// entropySign is 1 where s is a log-probability, -1 where it is an entropy, else 0.
func entropySign(s query.Seen, depth int) int {
	x := s.Strip()
	switch {
	case !x.Known() || depth == 0:
		return 0
	case x.IsOp("neg"): // of a log-probability it is of the same kind
		return -entropySign(x.Input(0), depth-1)
	case x.Is(domain.LogProb) && x.Q.Evidence != domain.NameOnly, x.IsOp("log_prob", "log_softmax"):
		return 1
	case x.IsOp("entropy"):
		return -1
	case x.IsOp("mean", "sum", "gather", infer.OpItem) && len(x.In) > 0:
		return entropySign(x.Input(0), depth-1)
	case x.IsOp("mul") && len(x.In) > 1: // weighted by probabilities
		for i := range 2 {
			if x.Input(1 - i).Is(domain.Prob) {
				return entropySign(x.Input(i), depth-1)
			}
		}
	case x.IsOp("add", "sub") && len(x.In) > 1:
		return entropySign(x.Input(0), depth-1)
	case x.Op == infer.OpPhi:
		return commonSign(x, func(x query.Seen) int { return entropySign(x, depth-1) })
	}
	return 0
}

// commonSign is the sign of the values that s may be, of those that have one; 0 where they differ.
func commonSign(s query.Seen, of func(query.Seen) int) int {
	sign := 0
	for _, in := range s.In {
		if in == nil {
			continue
		}
		switch is := of(s.Of(in)); {
		case is != 0 && is == -sign:
			return 0
		case is != 0:
			sign = is
		}
	}
	return sign
}

// goalSign is the sign of a number that the program computes: of sizes and constants. A setting has
// none; where a setting may replace the number, the number tells.
func goalSign(s query.Seen, depth int) int {
	x := s.Strip()
	switch {
	case !x.Known() || depth == 0:
		return 0
	case x.Op == infer.OpPhi:
		return commonSign(x, func(x query.Seen) int { return goalSign(x, depth-1) })
	case x.IsOp("neg"):
		return -goalSign(x.Input(0), depth-1)
	case x.IsOp("mul", "div") && len(x.In) > 1:
		return goalSign(x.Input(0), depth-1) * goalSign(x.Input(1), depth-1)
	case x.IsOp("log") && len(x.In) > 0:
		of := x.Input(0).Strip()
		number, known := of.Float()
		switch {
		case known:
			return cmp.Compare(number, 1)
		case of.Is(domain.Count):
			return 1
		case of.Known() && of.IsOp("div") && goalSign(of.Input(0), depth-1) > 0: // of the probability of one of n
			return -1
		}
		return 0
	case query.IsConversion(x.Val) && len(x.In) > 0:
		return goalSign(x.Input(len(x.In)-1), depth-1)
	case isSize(x.Val):
		return 1
	}
	number, _ := x.Float() // also the default of a setting
	return cmp.Compare(number, 0)
}
