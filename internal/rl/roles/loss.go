package roles

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// HasPolicyTerm reports whether one of a loss's terms improves a policy.
func (m *Model) HasPolicyTerm(l Loss) bool {
	for _, t := range l.Terms {
		if m.IsPolicyTerm(t) {
			return true
		}
	}
	return false
}

// SumOf is the operation that adds a term to its loss, else what computed the term.
func SumOf(t query.Term) *infer.Val {
	if t.Sum.Known() && t.Sum.Node != nil {
		return t.Sum.Val
	}
	return t.Val
}

// LossTerms takes a loss apart into what it is the weighted sum or mean of. The
// sign of a term says whether minimising the loss makes it smaller (+1) or larger
// (-1); 0 where the sign of a weight is not known. What is detached is left out.
func LossTerms(s query.Seen) []query.Term { return lossOf(query.Seen{}, s).Terms }

// lossReader collects the terms of a loss; cut are those that are detached.
type lossReader struct{ terms, cut []query.Term }

// read adds the terms of s; as says how s stands in the loss.
func (d *lossReader) read(s query.Seen, as query.Term, depth int) {
	if c := s.Cut(); c.Known() { // a constant, as far as gradients go
		as.Seen = c
		d.cut = append(d.cut, as)
		return
	}
	s = s.Strip()
	if !s.Known() || len(d.terms) > 64 {
		return
	}
	if depth > 0 && d.linear(s, as, depth-1) {
		return
	}
	as.Seen = s
	d.terms = append(d.terms, as)
}

// linear goes on into an operation that is linear; it reports whether s is one.
func (d *lossReader) linear(s query.Seen, as query.Term, depth int) bool {
	switch {
	case s.IsDivergence(): // exp(d) - d - 1 is one thing
		return false
	case s.IsOp("neg"):
		d.read(s.Input(0), weighted(as, -1), depth)
	case s.IsOp("add") && len(s.In) > 1:
		d.read(s.Input(0), summand(as, s, s.Input(0)), depth)
		d.read(s.Input(1), summand(as, s, s.Input(1)), depth)
	case s.IsOp("sub") && len(s.In) > 1 && !s.Is(domain.LogRatio|domain.Advantage|domain.TDError|domain.LogProb|domain.KL):
		d.read(s.Input(0), summand(as, s, s.Input(0)), depth)
		d.read(s.Input(1), weighted(summand(as, s, s.Input(1)), -1), depth)
	case s.IsOp("mean", "nanmean", "sum", "nansum") && len(s.In) > 0:
		d.reduction(s, as, depth)
	case s.IsOp("mul", "div") && len(s.In) > 1:
		x, weight, ok := scaled(s)
		if !ok {
			return false
		}
		d.read(x, weighted(as, weight), depth)
	case strings.HasSuffix(s.Op, ".scale") && len(s.In) > 1: // of a GradScaler
		d.read(s.Input(1), as, depth)
	case s.Op == infer.OpPhi:
		for _, x := range s.In {
			if x != nil && x.Op != infer.OpConst {
				d.read(s.Of(x), as, depth)
			}
		}
	default:
		return false
	}
	return true
}

func weighted(t query.Term, sign int) query.Term {
	t.Sign *= sign
	return t
}

func summand(t query.Term, sum, part query.Seen) query.Term {
	t.Sum, t.Part = sum, part
	return t
}

// reduction reads a sum or mean: of a value, or of a list of values.
func (d *lossReader) reduction(s query.Seen, as query.Term, depth int) {
	x := s.Input(0)
	if x.Strip().IsOp("stack") {
		x = x.Strip().Input(0)
	}
	seq, ok := x.Referent().(*infer.SeqRef)
	if !ok {
		d.read(x, as, depth)
		return
	}
	for _, e := range append([]*infer.Val{seq.Elem}, seq.Elems...) {
		if e != nil {
			d.read(x.Of(e), as, depth)
		}
	}
}

// scaled reads a product or quotient as a weight and what is weighted: a number, a
// setting, a mask or a size. weight is the sign of it, 0 where it is not known.
func scaled(s query.Seen) (x query.Seen, weight int, ok bool) {
	a, b := s.Input(0), s.Input(1)
	if w, ok := weightSign(b); ok {
		return a, w, true
	}
	if s.IsOp("mul") {
		if w, ok := weightSign(a); ok {
			return b, w, true
		}
	}
	return query.Seen{}, 0, false
}

// weightSign returns the sign of what only scales; ok is false for anything else.
func weightSign(s query.Seen) (sign int, ok bool) {
	if !s.Known() {
		return 0, false
	}
	if x, ok := s.Float(); ok {
		switch {
		case x > 0:
			return 1, true
		case x < 0:
			return -1, true
		}
		return 0, true
	}
	switch {
	case s.Is(domain.Mask | domain.Count | domain.Done | domain.Terminated | domain.Truncated):
		return 1, true
	case s.Is(domain.Number|domain.Coef) && s.Q.Grad != domain.Attached: // else it is learned
		if s.Q.Range.NonNegative() {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// PolicyGradient is a term of a loss that is the log-probability of an action times
// a weight: what REINFORCE and its kin minimise.
type PolicyGradient struct {
	// At is the product.
	At query.Seen
	// LogProb is the factor that carries the gradient.
	LogProb query.Seen
	// Weights are the other factors, constants left out.
	Weights []query.Seen
}

// PolicyGradientOf reads a term as a policy gradient.
func PolicyGradientOf(t query.Term) (PolicyGradient, bool) {
	if !t.IsOp("mul") {
		return PolicyGradient{}, false
	}
	g := PolicyGradient{At: t.Seen}
	for _, f := range query.FactorsOf(t.Seen).List {
		switch _, constant := f.Float(); {
		case constant:
		case !g.LogProb.Known() && isLogProbOfAction(f):
			g.LogProb = f
		default:
			g.Weights = append(g.Weights, f)
		}
	}
	return g, g.LogProb.Known() && len(g.Weights) > 0
}

// isScore reports whether a weight may say how good an action was.
func isScore(w query.Seen) bool {
	return !w.Is(domain.Mask | domain.Coef | domain.Number | domain.Count | domain.Prob | domain.LogProb | domain.Entropy)
}

// isLogProbOfAction reports whether s is a log-probability, or a cross entropy, that
// may carry gradients.
func isLogProbOfAction(s query.Seen) bool {
	return s.Q.Grad != domain.Detached && (s.Is(domain.LogProb) || s.Strip().IsOp("cross_entropy", "nll_loss"))
}

// Loss is what a call of backward() minimises, seen on one of the ways by
// which the program comes there.
type Loss struct {
	// Backward is the call; no value for what a trainer of a library minimises.
	Backward query.Seen
	Value    query.Seen
	// Terms are what the loss is the weighted sum or mean of, Cut those that no
	// gradient flows through, since they are detached there.
	Terms, Cut []query.Term
}

func lossOf(backward, value query.Seen) Loss {
	var d lossReader
	d.read(value, query.Term{Sign: 1}, 12)
	return Loss{backward, value, d.terms, d.cut}
}

// Losses returns the losses of which gradients are taken.
func (m *Model) Losses() []Loss { return m.losses.get(m.findLosses) }

func (m *Model) findLosses() []Loss {
	var out []Loss
	for _, l := range m.Backwards {
		for _, b := range m.g.Paths(l.Call) {
			value := b.Of(l.Loss)
			out = append(out, lossOf(b, value))
		}
	}
	for f := range m.g.EachFrame {
		if isTrainingStep(f) {
			value := m.g.See(f.Result)
			out = append(out, lossOf(query.Seen{}, value))
		}
	}
	return out
}

// isTrainingStep reports whether a frame is the method in which a trainer of a library
// asks for the loss.
func isTrainingStep(f *infer.Frame) bool {
	if f.Result == nil || f.Func == nil {
		return false
	}
	c := classOf(f)
	switch {
	case c == nil:
		return false
	case f.Func.Name() == "compute_loss":
		return derivesFrom(c, "Trainer", 8)
	case f.Func.Name() == "training_step":
		return derivesFrom(c, "LightningModule", 8)
	}
	return false
}

// classOf is the class of the object that a method runs on, or nil. A method under a
// decorator is handed its object as an argument.
func classOf(f *infer.Frame) *infer.ClassRef {
	if f.Func.Class != nil {
		return f.Func.Class
	}
	if len(f.Params) > 0 && f.Params[0] != nil {
		if o, ok := f.Params[0].Ref.(*infer.Instance); ok {
			return o.Class
		}
	}
	return nil
}

// derivesFrom reports whether a class of a library whose name ends so is among the
// ancestors of c: transformers.Trainer, trl.GRPOTrainer.
func derivesFrom(c *infer.ClassRef, suffix string, depth int) bool {
	for _, b := range c.LibBases {
		if strings.HasSuffix(b, suffix) {
			return true
		}
	}
	return depth > 0 && slices.ContainsFunc(c.Bases, func(b *infer.ClassRef) bool { return derivesFrom(b, suffix, depth-1) })
}

// ReturnedLoss is what a function that nobody calls returns, the first of several: a
// loss function returns the loss and then what is logged.
func (m *Model) ReturnedLoss(f *infer.Frame) query.Seen {
	if !f.Entry || f.Result == nil {
		return query.Seen{}
	}
	s := m.g.See(f.Result)
	if seq, ok := s.Referent().(*infer.SeqRef); ok && len(seq.Elems) > 0 {
		return s.Of(seq.Elems[0])
	}
	return s
}

// Maximises reports whether an optimizer of the program climbs: maximize=True turns
// every sign.
func (m *Model) Maximises() bool {
	for _, o := range m.Optimizers {
		if query.HasKeyword(o.Val, "maximize") {
			return true
		}
	}
	return false
}

// IsPolicyTerm reports whether minimising a term improves a policy: a clipped
// objective, a policy gradient, or an advantage with an importance ratio.
func (m *Model) IsPolicyTerm(t query.Term) bool {
	if m.surrogate(t.Val) != nil {
		return true
	}
	if g, ok := PolicyGradientOf(t); ok {
		return slices.ContainsFunc(g.Weights, isScore)
	}
	if !t.IsOp("mul") {
		return false
	}
	ratio, advantage := false, false
	for _, f := range query.FactorsOf(t.Seen).List {
		ratio, advantage = ratio || f.Is(domain.Ratio), advantage || f.Is(domain.Advantage)
	}
	return ratio && advantage
}
