package roles

import (
	"math"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Term is one of the values that a loss is the weighted sum or mean of. In
// loss = -surrogate + 0.5 * value_loss - coef * entropy.mean() there are three:
//
//	surrogate    Sign -1, a PolicyTerm
//	value_loss   Sign +1, Weights 0.5, a ValueTerm
//	entropy      Sign 0, Meant -1, Weights coef, an EntropyTerm
type Term struct {
	query.Seen
	// Sign says whether minimising the loss makes the term smaller (+1) or larger (-1), after
	// all minus signs, subtractions and weights; 0 where the sign of a weight is not known.
	Sign int
	// Meant is Sign where settings that weigh the term are not negative, as they are
	// meant to be unless the program says otherwise.
	Meant int
	// Weights are what scales the term, outermost first: numbers, settings, masks, sizes.
	// What divides is among them.
	Weights []query.Weight
	// Kind is what the term is there for.
	Kind TermKind
	// Negative says that the term is the quantity of its kind with the other sign: p * log p is
	// the negative entropy. It is known where Formula is.
	Negative bool
	// Formula says that the form of an entropy or KL shows its sign. The mean of a log-ratio is a KL
	// of either sign.
	Formula bool
	// Gaussian says that it is the KL of latent variables to the standard normal distribution.
	Gaussian bool
	// Labelled says that it is one half of a cross entropy with yes-or-no labels, y * log p + (1 - y) * log(1 - p):
	// a classifier is fitted, and no action is made likelier.
	Labelled bool
	// Surrogate is the clipped objective that the term is, or nil.
	Surrogate *Surrogate
	// Sum is the last addition or subtraction by which the term got into the loss, and Part
	// its operand; no values where the loss is the term.
	Sum, Part query.Seen
}

// TermKind is what a term of a loss is there for.
type TermKind uint8

// The kinds of terms.
const (
	OtherTerm   TermKind = iota
	PolicyTerm           // improves a policy: a clipped objective, a policy gradient, an advantage with a ratio
	ValueTerm            // a squared or absolute error: fits a critic
	EntropyTerm          // the entropy of a policy
	KLTerm               // a divergence, or the log-ratio of one
)

// Counts is the sign with which the loss is meant to count the quantity of the term's kind: +1
// where minimising it makes the entropy or the KL smaller; 0 where that is not known.
func (t Term) Counts() int {
	switch {
	case !t.Formula:
		return 0
	case t.Negative:
		return -t.Meant
	}
	return t.Meant
}

// scale is what the numbers that weigh t, among them the defaults of settings, come to; masks and sizes only take a mean.
func (t Term) scale() (scale float64, known bool) {
	scale = 1
	for _, w := range t.Weights {
		if c, ok := w.Float(); ok {
			scale, known = scale*math.Abs(c), true
		} else if !w.Is(domain.Mask | domain.Count) {
			return 1, false
		}
	}
	return scale, known
}

// Share is the weight of a term beside that of what improves the policy in the same loss; known is false where nothing tells its own.
func (l Loss) Share(t Term) (share float64, known bool) {
	own, known := t.scale()
	rest := 0.0
	for _, o := range l.Terms {
		if o.Kind == PolicyTerm {
			scale, _ := o.scale()
			if o.weighsSums() {
				scale *= sumOfRewards
			}
			rest = max(rest, scale)
		}
	}
	if rest == 0 {
		rest = 1
	}
	return own / rest, known
}

// sumOfRewards is the order of the sum of an episode's rewards, where nothing makes it one of 1.
const sumOfRewards = 10

// weighsSums reports whether a policy's objective weighs actions by sums of rewards over time, or what was made of them, without dividing
// by their spread.
func (t Term) weighsSums() bool {
	weights := slices.Clone(t.Strip().Flows())
	if t.Surrogate != nil {
		weights = append(weights, t.Surrogate.Others...)
	}
	if g, ok := t.PolicyGradient(); ok {
		weights = append(weights, g.Weights...)
	}
	for _, w := range t.Weights {
		weights = append(weights, w.Seen)
	}
	return slices.ContainsFunc(weights, func(w query.Seen) bool {
		return w.Known() && isScore(w) && w.Discounted() && w.Unstandardised().Strip().Val == w.Strip().Val
	})
}

// Added is the operation that adds a term to its loss, else what computed the term.
func (t Term) Added() *infer.Val {
	if t.Sum.Known() && t.Sum.Node != nil {
		return t.Sum.Val
	}
	return t.Val
}

// Improves reports whether one of a loss's terms improves a policy.
func (l Loss) Improves() bool {
	return slices.ContainsFunc(l.Terms, func(t Term) bool { return t.Kind == PolicyTerm })
}

// LossTerms takes a value apart as a loss. What is detached is left out.
func (m *Model) LossTerms(s query.Seen) []Term { return m.lossOf(query.Seen{}, s).Terms }

func (m *Model) lossOf(backward, value query.Seen) Loss {
	read := func() Loss {
		d := lossReader{m: m, room: maxReads}
		d.read(value, Term{Sign: 1, Meant: 1}, maxNested)
		markLabelled(d.terms)
		return Loss{Terms: d.terms, Cut: d.cut}
	}
	var l Loss
	if value.Plain() { // the same for all that ask
		l = m.read.get(value.Val, read)
	} else {
		l = read()
	}
	l.Backward, l.Value = backward, value
	return l
}

// Bounds of one loss: how deep its operations are nested, how many of them are looked at, and how many terms it has. A
// trainer of language models takes masked means of sums over lists of means, and scales them for the ranks and micro-batches.
const (
	maxNested = 24
	maxReads  = 2048
	maxTerms  = 64
)

// lossReader collects the terms of a loss; cut are those that are detached.
type lossReader struct {
	m          *Model
	terms, cut []Term
	room       int // values that may still be looked at
}

// read adds the terms of s; as says how s stands in the loss.
func (d *lossReader) read(s query.Seen, as Term, depth int) {
	if c := constantOf(s); c.Known() { // as far as gradients go
		as.Seen = c
		d.m.classify(&as)
		if as.Kind == OtherTerm || as.Kind == EntropyTerm && !as.Formula {
			d.m.classifyByParts(&as)
		}
		d.cut = append(d.cut, as)
		return
	}
	s = s.Strip()
	d.room--
	if !s.Known() || len(d.terms) > maxTerms || d.room < 0 {
		return
	}
	if depth > 0 && d.linear(s, as, depth-1) {
		return
	}
	as.Seen = s
	d.m.classify(&as)
	if !slices.ContainsFunc(d.terms, as.isAgain) { // on another way to the same
		d.terms = append(d.terms, as)
	}
}

// constantOf is the view of s that cuts it off from its gradient, or the tensor that was made anew of a list of numbers: torch.tensor([x, y])
// copies what x and y are, whatever gradient they have.
func constantOf(s query.Seen) query.Seen {
	if c := s.Cut(); c.Known() {
		return c
	}
	x := s.StripTo(isAnew)
	if x.Known() && isAnew(x) {
		return x
	}
	return query.Seen{}
}

// isAnew reports whether s is a tensor or an array that was made of the elements of a list.
func isAnew(s query.Seen) bool {
	if s.Q.Grad != domain.Detached || !s.IsOp("tensor", "as_tensor", "asarray", "array", "FloatTensor", "DoubleTensor", "Tensor") || len(s.In) == 0 || s.In[0] == nil {
		return false
	}
	_, list := s.In[0].Ref.(*infer.SeqRef)
	return list
}

// isAgain reports whether o is t with its sign. Of a term that is there for nothing known it does not matter by which calls it came.
func (t Term) isAgain(o Term) bool {
	return t.Val == o.Val && t.Sign == o.Sign && t.Meant == o.Meant && (t.Kind == OtherTerm && o.Kind == OtherTerm || t.Seen.Same(o.Seen))
}

// linear goes on into an operation that is linear; it reports whether s is one.
func (d *lossReader) linear(s query.Seen, as Term, depth int) bool {
	switch {
	case s.IsNegation():
		d.read(s.Input(1), as.negated(), depth)
	case s.IsDivergence(), s.GaussianKL() != 0, isBinaryEntropy(s), s.Op == infer.OpPhi && s.Is(domain.LogProb): // one thing: exp(d) - d - 1, or a log-prob, whichever way it was computed
		return false
	case s.IsOp("neg"):
		d.read(s.Input(0), as.negated(), depth)
	case s.IsOp("nan_to_num", "masked_fill") || s.IsOverflowGuard(): // all elements, or those that are not replaced
		d.read(s.Input(0), as, depth)
	case s.IsOp("where") && len(s.In) > 2: // for each element the one or the other
		d.read(s.Input(1), as, depth)
		d.read(s.Input(2), as, depth)
	case freeOf(s).Known():
		d.read(freeOf(s), as, depth)
	case s.IsOp("add") && len(s.In) > 1:
		d.read(s.Input(0), as.in(s, s.Input(0)), depth)
		d.read(s.Input(1), as.in(s, s.Input(1)), depth)
	case s.IsOp("sub") && len(s.In) > 1 && !s.Is(domain.LogRatio|domain.Advantage|domain.TDError|domain.LogProb|domain.KL):
		d.read(s.Input(0), as.in(s, s.Input(0)), depth)
		d.read(s.Input(1), as.in(s, s.Input(1)).negated(), depth)
	case s.IsOp("mean", "nanmean", "sum", "nansum", "cat", "concat", "concatenate") && len(s.In) > 0:
		d.reduction(s, as, depth)
	case s.IsOp("mul", "div") && len(s.In) > 1:
		// The weight of a log-probability is no mask only because it is counted too: that is how advantages look
		// where a batch is one dict of tensors.
		if mean, ok := query.ReductionOf(s); ok && mean.By == query.ByMask && len(mean.Under) > 0 && !mean.Of.Is(domain.LogProb|domain.LogRatio|domain.Ratio) {
			as.Weights = slices.Clip(as.Weights)
			for _, m := range mean.Under {
				as.Weights = append(as.Weights, query.Weight{Seen: m.Seen, Sign: 1, Meant: 1})
			}
			d.read(mean.Of, as, depth)
			return true
		}
		x, w, ok := d.m.scaled(s)
		if !ok {
			return false
		}
		as.Sign, as.Meant = as.Sign*w.Sign, as.Meant*w.Meant
		as.Weights = append(slices.Clip(as.Weights), w)
		d.read(x, as, depth)
	case s.Op == infer.OpStore && len(s.In) > 1: // some elements are the one, the rest the other
		d.read(s.Input(0), as, depth)
		d.read(s.Input(1), as, depth)
	case isPart(s) && d.m.isMinimised(s.Input(0)): // those of some tokens
		d.read(s.Input(0), as, depth)
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

// scaled reads a product or quotient as a weight and what it weighs. What losses are made of
// is multiplied with coefficients, masks and sizes, and hardly with anything else: so a factor
// of which nothing is known is a weight there.
func (m *Model) scaled(s query.Seen) (x query.Seen, w query.Weight, ok bool) {
	if x, w, ok := s.Scaled(); ok {
		return x, w, true
	}
	for i := range min(len(s.In), 2) {
		other := s.Input(1 - i)
		if w, ok := query.UnknownWeightOf(s.Input(i)); ok && (i == 1 || s.IsOp("mul")) && m.isMinimised(other) {
			if s.IsOp("mul") && m.isArgument(w.Strip().Val) { // what divides is a size
				w.Meant = 0 // of whoever calls, and no name tells that it is a coefficient
			}
			return other, w, true
		}
	}
	return query.Seen{}, query.Weight{}, false
}

// isArgument reports whether a value is an argument of a function that nobody calls, other
// than a constructor: what that is given is a setting.
func (m *Model) isArgument(v *infer.Val) bool {
	return m.arguments.get(func() map[*infer.Val]bool {
		out := map[*infer.Val]bool{}
		for f := range m.g.EachFrame {
			for _, p := range f.Params {
				if f.Entry && f.Func.Name() != "__init__" && p != nil && p.Op == infer.OpParam {
					out[p] = true
				}
			}
		}
		return out
	})[v]
}

// isMinimised reports whether s is, by its form, what losses are made of: a clipped
// objective, a divergence, an entropy, an error, or a weighted sum or mean of such.
func (m *Model) isMinimised(s query.Seen) bool {
	look := func() bool {
		room := maxMinimised
		return m.minimises(s, maxNested, &room)
	}
	if s.Plain() {
		return m.isLoss.get(s.Val, look)
	}
	return look()
}

// maxMinimised bounds the parts of a loss that are looked at to tell what a factor is.
const maxMinimised = 256

func (m *Model) minimises(s query.Seen, depth int, room *int) bool {
	x := s.Strip()
	if !x.Known() || depth == 0 || *room == 0 {
		return false
	}
	*room--
	var parts []query.Seen
	switch {
	case x.IsOp("cross_entropy", "nll_loss"): // weighted by how good the actions were it is a policy gradient
		return false
	case x.IsOp("mul") && m.improvesPolicy(Term{Seen: x}):
		return true
	case x.IsDivergence(), isBinaryEntropy(x), x.IsOp("entropy", "mse_loss", "smooth_l1_loss", "huber_loss"), m.surrogateAt(x.Val) != nil, x.GaussianKL() != 0:
		return true
	case x.Is(domain.Entropy|domain.KL|domain.Loss) && x.Q.Evidence != domain.NameOnly:
		return true
	case x.IsOp("mean", "sum", "nanmean", "nansum") && len(x.In) > 0:
		parts = reduced(x)
	case x.IsOp("neg", "div", "nan_to_num", "masked_fill"), x.IsOverflowGuard(), isPart(x):
		parts = operands(x, 0, 1)
	case x.IsOp("add", "sub", "mul"), x.Op == infer.OpStore:
		parts = operands(x, 0, 2)
	case x.IsOp("where"):
		parts = operands(x, 1, 3)
	case x.Op == infer.OpPhi:
		parts = operands(x, 0, len(x.In))
	}
	return slices.ContainsFunc(parts, func(part query.Seen) bool { return m.minimises(part, depth-1, room) })
}

// operands are those of the operation of s from the i-th to the one before the j-th.
func operands(s query.Seen, i, j int) (out []query.Seen) {
	for ; i < min(j, len(s.In)); i++ {
		out = append(out, s.Input(i))
	}
	return out
}

// freeOf is the KL that s keeps from falling below a bound, the "free bits" of latent variables; no
// value where s is something else.
func freeOf(s query.Seen) query.Seen {
	if c, ok := query.ClipOf(s); ok && c.At.Val == s.Val && c.OneSided() < 0 && c.X.Is(domain.KL) {
		return c.X
	}
	return query.Seen{}
}

func (t Term) negated() Term {
	t.Sign, t.Meant = -t.Sign, -t.Meant
	return t
}

func (t Term) in(sum, part query.Seen) Term {
	t.Sum, t.Part = sum, part
	return t
}

// reduction reads a sum or mean: of a value, or of a list of values.
func (d *lossReader) reduction(s query.Seen, as Term, depth int) {
	for _, x := range reduced(s) {
		d.read(x, as, depth)
	}
}

// reduced is what a sum or mean is taken of: a value, or the elements of a list.
func reduced(s query.Seen) []query.Seen {
	x := s.Input(0)
	if x.Strip().IsOp("stack") {
		x = x.Strip().Input(0)
	}
	return elementsOf(x)
}

// elementsOf are those of the list that x is; x itself where it is none.
func elementsOf(x query.Seen) []query.Seen {
	seq, ok := x.Referent().(*infer.SeqRef)
	if !ok {
		return []query.Seen{x}
	}
	var out []query.Seen
	for _, e := range append([]*infer.Val{seq.Elem}, seq.Elems...) {
		if e != nil {
			out = append(out, x.Of(e))
		}
	}
	return out
}

// isPart reports whether s is some of the elements of a tensor: those under an index, or one by one.
func isPart(s query.Seen) bool {
	return len(s.In) > 0 && s.In[0] != nil && s.In[0].Ref == nil && (s.Op == infer.OpItem && len(s.In) > 1 || s.Op == infer.OpIterate)
}

// classifyByParts tells what a detached term is there for from what it is the weighted sum or mean of: a KL among other things, or
// entropies and nothing else, whose sign all of them show. Each of a list may have been detached before.
func (m *Model) classifyByParts(t *Term) {
	var parts []Term
	for _, x := range elementsOf(t.Seen.Strip()) { // also of the list that a tensor was made of
		l := m.lossOf(query.Seen{}, x)
		parts = slices.Concat(parts, l.Terms, l.Cut)
	}
	entropies := len(parts) > 0
	for i, part := range parts {
		negative := part.Negative != (part.Meant < 0)
		if part.Kind == KLTerm && part.Meant != 0 {
			t.Kind, t.Formula, t.Negative = KLTerm, part.Formula, negative
		}
		entropies = entropies && part.Kind == EntropyTerm && part.Formula && part.Meant != 0 && part.Q.Evidence != domain.NameOnly &&
			(i == 0 || negative == t.Negative)
		if entropies {
			t.Negative = negative
		}
	}
	if entropies {
		t.Kind, t.Formula = EntropyTerm, true
	}
}

// classify tells what a term is there for.
func (m *Model) classify(t *Term) {
	divergence, ratio := divergenceIn(t.Seen)
	gaussian := t.Strip().GaussianKL()
	switch t.Surrogate = m.surrogateAt(t.Val); {
	case m.improvesPolicy(*t):
		t.Kind = PolicyTerm
	case gaussian != 0:
		t.Kind, t.Formula, t.Negative, t.Gaussian = KLTerm, true, gaussian < 0, true
	case divergence:
		t.Kind, t.Formula = KLTerm, true
	case ratio:
		t.Kind = KLTerm
	case isBinaryEntropy(t.Seen):
		t.Kind, t.Formula, t.Negative = EntropyTerm, true, true
	case t.Is(domain.Entropy):
		t.Kind = EntropyTerm
		t.Formula, t.Negative = entropyForm(t.Unreduced())
	case isError(t.Unreduced(), 2):
		t.Kind = ValueTerm
	}
}

// divergenceIn reports whether s is a KL by its formula, or the log-ratio of one, reductions and
// masks aside.
func divergenceIn(s query.Seen) (formula, ratio bool) {
	for root := range s.EachRoot {
		_, is := query.LogRatioOf(root)
		formula, ratio = formula || root.IsDivergence(), ratio || is
	}
	return formula, ratio && !formula
}

// improvesPolicy reports whether minimising a term improves a policy.
func (m *Model) improvesPolicy(t Term) bool {
	if t.Surrogate != nil {
		return true
	}
	if g, ok := t.PolicyGradient(); ok {
		return slices.ContainsFunc(g.Weights, isScore)
	}
	if t.Q.Grad == domain.Attached && t.Is(domain.LogProb) {
		return slices.ContainsFunc(t.Weights, func(w query.Weight) bool { return w.Sign == 0 && isTensor(w.Val) })
	}
	if !t.IsOp("mul") {
		return false
	}
	list := query.FactorsOf(t.Seen).List
	return slices.ContainsFunc(list, func(f query.Seen) bool { return f.Is(domain.Ratio) }) && advantageAmong(list) >= 0
}

// advantageAmong is which of some factors is an advantage, or -1. What multiplies the importance
// ratio of a policy, and of which nothing else is known, is one; so is what is cut off from its gradient
// there, as a log-ratio is by which a policy is distilled from another.
func advantageAmong(list []query.Seen) int {
	if i := slices.IndexFunc(list, func(f query.Seen) bool { return f.Is(domain.Advantage | domain.TDError | domain.Return) }); i >= 0 {
		return i
	}
	ratio, surely := false, false
	for _, f := range list {
		if f.Is(domain.Ratio) && f.Q.Evidence != domain.NameOnly && f.Q.Grad != domain.Detached {
			ratio, surely = true, surely || f.Q.Evidence == domain.Derived && f.Q.Grad == domain.Attached
		}
	}
	if !ratio {
		return -1
	}
	return slices.IndexFunc(list, func(f query.Seen) bool {
		_, weight := query.WeightOf(f)
		switch {
		case !f.Known() || weight || f.Const != nil:
			return false
		case f.Cut().Known():
			return !f.Q.Kind.Known() || f.Is(domain.LogRatio)
		}
		return surely && !f.Q.Kind.Known() && f.Q.Grad != domain.Attached
	})
}

// isTensor reports whether a weight has elements of its own: it is no coefficient.
func isTensor(w *infer.Val) bool {
	return !query.IsNumber(w) && (w.Is(domain.Advantage|domain.Return|domain.TDError) || w.Q.Shape.MinRank() > 0)
}

// entropyForm reads a term as entropy(), or as p * log p, which is the negative entropy.
func entropyForm(s query.Seen) (known, negative bool) {
	switch x := s.Strip(); {
	case x.Q.Evidence == domain.NameOnly && (x.Op == infer.OpItem || x.Op == infer.OpParam || strings.HasPrefix(x.Op, infer.OpAttr+".")): // called an entropy, and computed out of sight
		return true, false
	case x.IsOp("entropy"), x.IsOp("sub") && x.Q.Evidence == domain.Derived: // logsumexp(z) - sum(p * z)
		return true, false
	case x.IsOp("mul") && (isProbTimesLog(x.Input(0), x.Input(1)) || isProbTimesLog(x.Input(1), x.Input(0))):
		return true, true
	}
	return false, false
}

// isProbTimesLog reports whether b is the logarithm of the probabilities a. With the
// logarithm of other probabilities it is a cross entropy.
func isProbTimesLog(a, b query.Seen) bool {
	p, logp := a.Strip(), b.Strip()
	switch {
	case a.Cut().Known() != b.Cut().Known(): // soft targets
		return false
	case p.IsOp("softmax") && logp.IsOp("log_softmax"), p.IsOp("probs") && logp.IsOp("logits"):
		return p.Input(0).Same(logp.Input(0))
	case logp.IsOp("log", "log2", "log10"):
		x := logp.Input(0).Strip()
		return x.Same(p) || x.IsOp("add", "clamp") && x.Input(0).Same(p)
	case p.IsOp("exp"):
		return p.Input(0).Same(logp)
	}
	return false
}

// isError reports whether s is a squared or absolute error, or the larger of two: the clipped
// loss of a critic.
func isError(s query.Seen, depth int) bool {
	s = s.Strip()
	if !s.Known() || !s.IsOp(extrema...) || depth == 0 {
		return len(query.ErrorsOf(s)) > 0
	}
	sides := sidesOf(s)
	return len(sides) > 0 && !slices.ContainsFunc(sides, func(x query.Seen) bool { return !isError(x, depth-1) })
}
