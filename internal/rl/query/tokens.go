package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Positions of tokens
//
// A causal language model says at position p what comes at p + 1, so programs cut the last position off
// the logits and the first off the tokens: logits[:, :-1] and ids[:, 1:]. Whatever is cut, and wherever (in
// a helper, in two steps, from the end, behind the prompt), a cut is two bounds. Positions follows a
// value back to what was cut and adds the bounds up; two values can then be compared.

// Bound is a position on the axis of the tokens: N behind Sym, which is 0 where it has no value. One that
// is counted from the end is N behind the end and, where there is a Sym, so many before.
type Bound struct {
	Sym Seen
	N   int
	End bool
}

// Minus returns by how much b lies behind o; ok is false where that is not known.
func (b Bound) Minus(o Bound) (n int, ok bool) {
	if b.End != o.End || b.Sym.Known() != o.Sym.Known() || b.Sym.Known() && !b.Sym.Same(o.Sym) {
		return 0, false
	}
	return b.N - o.N, true
}

// Positions is the part of the token axis that a value holds: from Low on, and what lies before High.
type Positions struct {
	Of        Seen // what was cut
	Low, High Bound
	// Cut says that something was cut off, Axis from which of the axes.
	Cut  bool
	Axis int
	// At is the last of the cuts.
	At Seen
	// Labels says that tokens were left out by the number that losses ignore, and filled.
	Labels bool
	// Picked says that scores were followed to the tokens whose scores they are, Compared a mask to the tokens that it
	// compares.
	Picked, Compared bool
	branch           []*infer.Val // the values on the way by which a branch was chosen
}

// Shift returns how far the positions of p lie behind those of o, where both hold as many.
func (p Positions) Shift(o Positions) (n int, ok bool) {
	low, ok1 := p.Low.Minus(o.Low)
	high, ok2 := p.High.Minus(o.High)
	return low, ok1 && ok2 && low == high && (!p.Cut || !o.Cut || p.Axis == o.Axis)
}

// Together reports whether a run may come by both values: they do not stand in different branches
// of one condition.
func (p Positions) Together(o Positions) bool {
	return !slices.ContainsFunc(p.branch, func(a *infer.Val) bool {
		return slices.ContainsFunc(o.branch, func(b *infer.Val) bool { return Parts(a, b) != nil })
	})
}

// Parts is the condition in different branches of which two values stand, or nil.
func Parts(a, b *infer.Val) *infer.Val {
	for g := a.Guard; g != nil; g = g.Parent {
		for h := b.Guard; h != nil; h = h.Parent {
			if g.Sense != h.Sense && infer.SameSource(g.Cond, h.Cond) {
				return g.Cond
			}
		}
	}
	return nil
}

// In are the positions of p, which are counted within o, as positions of what o is of.
func (p Positions) In(o Positions) (Positions, bool) {
	low, ok1 := within(o, p.Low)
	high, ok2 := within(o, p.High)
	out := Positions{Of: o.Of, Low: low, High: high, Cut: p.Cut || o.Cut, Axis: p.Axis, At: p.At}
	if !p.Cut {
		out.Axis = o.Axis
	}
	return out, ok1 && ok2 && (!p.Cut || !o.Cut || p.Axis == o.Axis)
}

// SameTokens reports whether both are of the same tokens.
func (p Positions) SameTokens(o Positions) bool {
	a, b := p.Of, o.Of
	for range 4 {
		switch {
		case !a.Known() || !b.Known():
			return false
		case !a.sameWay(b):
			return false
		case a.Val == b.Val:
			return true
		case a.IsOp(infer.OpIterate) && b.IsOp(infer.OpIterate):
			return len(a.In) > 0 && len(b.In) > 0 && a.In[0] == b.In[0] && a.In[0] != nil
		case infer.MadeAlike(a.Val, b.Val):
			return true
		case len(a.In) == 0 || len(b.In) == 0 || a.Op != b.Op:
			return false
		case strings.HasPrefix(a.Op, infer.OpAttr+"."):
		case a.IsOp(infer.OpItem) && len(a.In) > 1 && len(b.In) > 1: // a field of a record
			x, ok1 := a.In[1].Str()
			y, ok2 := b.In[1].Str()
			if !ok1 || !ok2 || x != y {
				return false
			}
		default:
			return false
		}
		a, b = a.Input(0).SameShape(), b.Input(0).SameShape()
	}
	return false
}

// sameWay reports whether two values of one evaluation are seen through the same call of it.
func (s Seen) sameWay(o Seen) bool {
	a, b := s.in, o.in
	for range maxSteps {
		if a == b || a == nil || b == nil || a.up == nil || b.up == nil {
			break
		}
		if a.frame != b.frame || !slices.Equal(a.args, b.args) {
			return false
		}
		a, b = a.up, b.up
	}
	return true
}

// maxBranches bounds the branches of which a value may come.
const maxBranches = 8

// Positions follows s back to what its tokens were cut from, on each of the branches by which it may have been
// computed: nothing where that is not known. Of scores (logits, log-probabilities) what leaves each position
// where it is counts as nothing done; of tokens what fills some of them with a constant.
func (s Seen) Positions() []Positions { return s.positions(true) }

// positions is Positions; without fills a value of which some tokens were replaced is another one.
func (s Seen) positions(fills bool) []Positions {
	w := walk{room: 4 * maxSteps, fills: fills}
	w.back(s, nil, nil, false)
	if w.lost || len(w.out) > maxBranches {
		return nil
	}
	return w.out
}

type walk struct {
	out   []Positions
	room  int
	lost  bool
	fills bool // what is filled with a constant is what it was before

	// picked and compared say that the way goes on through what picks scores, and through comparisons.
	picked, compared       bool
	hasPicked, hasCompared bool
}

// ignored is the label that torch's cross entropy leaves out unless it is told otherwise.
const ignored = -100

// fillsIgnored reports whether s is labels[labels == -100] = 0, or the same by masked_fill or where.
func (s Seen) fillsIgnored() bool {
	i := slices.IndexFunc([]string{"where", "masked_fill", infer.OpStore}, func(op string) bool { return s.IsOp(op) })
	if i < 0 || i >= len(s.In) {
		return false
	}
	m := s.Input(i).Strip()
	for range 4 {
		if m.Known() && m.IsOp("invert", "logical_not") && len(m.In) > 0 {
			m = m.Input(0).Strip()
		}
	}
	if !m.Known() || !m.IsOp("eq", "ne") || len(m.In) < 2 {
		return false
	}
	for i := range 2 {
		if n, ok := m.Input(i).Int(); ok && n == ignored {
			return true
		}
	}
	return false
}

// cut is one slice of an axis, counted from the front.
type cut struct {
	at        Seen
	low, high Bound
	axis      int
}

// back goes back from s, on which cuts were seen, the last first.
func (w *walk) back(s Seen, cuts []cut, branch []*infer.Val, labels bool) {
	for range maxSteps {
		if w.room--; w.room < 0 || !s.Known() || len(w.out) > maxBranches {
			w.lost = true
			return
		}
		if s.IsOp(infer.OpPhi) && len(s.In) > 0 {
			for i := range s.In {
				if x := s.Input(i); x.Known() && !x.IsNone() {
					w.back(x, slices.Clone(cuts), append(slices.Clone(branch), x.Val), labels)
				}
			}
			return
		}
		if !w.fills && s.IsOp(infer.OpStore, "where", "masked_fill") {
			break
		}
		labels = labels || s.fillsIgnored()
		if next := w.source(s); next.Known() {
			s = next
			continue
		}
		next, ok := s.step(&cuts)
		if !ok {
			w.lost = true
			return
		}
		if !next.Known() {
			break
		}
		s = next
	}
	p, ok := fold(Positions{Of: s, High: Bound{End: true}, Labels: labels, Picked: w.hasPicked, Compared: w.hasCompared, branch: branch}, cuts)
	if len(cuts) > 0 {
		p.At = cuts[0].at
	}
	if !ok {
		w.lost = true
		return
	}
	w.out = append(w.out, p)
}

// source goes from scores to the tokens that they are of, and from a mask to what it compares; no value for all else.
func (w *walk) source(s Seen) Seen {
	switch {
	case w.picked && s.IsOp(picks...):
		if _, tokens := pickedBy(s.Val); tokens != nil {
			w.hasPicked = true
			return s.Of(tokens)
		}
	case w.compared && s.IsOp("invert", "logical_not", "not") && len(s.In) > 0:
		return s.Input(0)
	case w.compared && s.IsOp("eq", "ne") && len(s.In) > 1:
		w.hasCompared = true
		if x := s.Input(0); isScalar(x.Val) || x.Is(domain.Number) {
			return s.Input(1)
		}
		return s.Input(0)
	}
	return Seen{g: s.g}
}

// fold applies cuts, the last first, to positions.
func fold(p Positions, cuts []cut) (Positions, bool) {
	for _, c := range slices.Backward(cuts) {
		if p.Cut && p.Axis != c.axis {
			return p, false
		}
		low, ok1 := within(p, c.low)
		high, ok2 := within(p, c.high)
		if !ok1 || !ok2 {
			return p, false
		}
		p.Low, p.High, p.Cut, p.Axis = low, high, true, c.axis
	}
	return p, true
}

// within is a bound inside of p as a bound of what p is of.
func within(p Positions, b Bound) (Bound, bool) {
	from := p.Low
	if b.End {
		from = p.High
	}
	out := Bound{N: from.N + b.N, End: from.End, Sym: from.Sym}
	switch {
	case !b.Sym.Known():
		return out, true
	case from.Sym.Known() || b.End != from.End:
		return out, false // of two unknown lengths
	}
	out.Sym = b.Sym
	return out, true
}

// sameTokens are operations that leave each position where it is: of the first input.
var sameTokens = []string{
	"log_softmax", "softmax", "log", "exp", "neg", "clamp", "clamp_min", "masked_fill", "long", "int", "bool", "nan_to_num", "clone", "to", "float", "double", "half",
	"bfloat16", "type", "type_as", "detach", "contiguous", "cpu", "cuda", "unsqueeze", "squeeze", "div", "logits",
}

// moving are views after which axes and positions are other ones, so that a cut behind them tells nothing.
var moving = []string{"view", "reshape", "flatten", "ravel", "transpose", "permute", "t", "T", "rearrange", "expand", "repeat", "tile", "repeat_interleave", "unflatten", "tolist"}

// step goes one step back: no value where there is none, ok is false where positions are lost.
func (s Seen) step(cuts *[]cut) (next Seen, ok bool) {
	none := Seen{g: s.g}
	switch {
	case len(s.In) == 0:
		return none, true
	case s.repeatsRows():
		return s.Input(0), true
	case s.IsOp(moving...) && s.Fn != nil:
		return s.Input(0), len(*cuts) == 0
	case s.Op == infer.OpStore:
		if _, constant := s.In[1].Float(); constant || s.In[1].Is(domain.Number) {
			return s.Input(0), true
		}
		return none, true
	case s.Op == infer.OpItem && len(s.In) > 1 && s.In[1] != nil:
		return s.sliced(cuts)
	case s.Op == infer.OpIterate:
		return none, true
	case s.IsOp("where") && len(s.In) > 2:
		for i := 1; i < 3; i++ { // labels, a constant elsewhere
			if isFill(s.In[3-i]) {
				return s.Input(i), true
			}
		}
		return none, true
	case s.IsOp("mul", "add", "sub", "truediv") && len(s.In) > 1:
		for i, x := range s.In[:2] {
			if o := s.In[1-i]; x != nil && (isScalar(o) || o.Is(domain.Coef|domain.Number) || o.IsOp("logsumexp", infer.OpConfig)) {
				return s.Input(i), true
			}
		}
		return none, true
	case s.IsOp(infer.OpCall):
		return s.Returned(), true
	case s.Op == infer.OpNarrow, s.Fn != nil && s.IsOp(sameTokens...) && !s.IsOp("logits"):
		return s.Input(0), true
	}
	return none, true
}

// repeatsRows reports whether s is x.repeat_interleave(n, dim=0), a prompt for each of its completions.
func (s Seen) repeatsRows() bool {
	dim, ok := s.Arg("dim").Int()
	return ok && dim == 0 && s.IsOp("repeat_interleave")
}

func isFill(v *infer.Val) bool {
	if v == nil {
		return false
	}
	_, ok := v.Float()
	return ok || v.IsOp("full_like", "full", "zeros_like", "zeros", "ones_like", "tensor")
}

// sliced is step for x[index].
func (s Seen) sliced(cuts *[]cut) (next Seen, ok bool) {
	parts, axis := []*infer.Val{s.In[1]}, 0
	if seq, ok := s.In[1].Ref.(*infer.SeqRef); ok && !seq.List {
		parts = seq.Elems
	}
	var found *cut
	ellipsis := false
	for i, p := range parts {
		switch {
		case p == nil:
			return Seen{g: s.g}, true
		case infer.IsEllipsis(p):
			ellipsis = true
			// What is counted from the end is the token axis, of logits the last but one.
			axis = 1
			if rest := len(parts) - i - 1; rest > 2 || rest == 1 && s.In[0].Is(domain.Logits|domain.LogProb) && !s.In[0].Q.Shape.Known() {
				return s.Input(0), true // of the vocabulary
			}
		case p.IsNone():
			if i == 0 && !ellipsis {
				return s.unsqueezed(parts, cuts)
			}
		case isSlice(p):
			c, is, ok := s.cutOf(p, axis)
			switch {
			case !ok:
				return Seen{g: s.g}, true
			case is && axis > 1: // of the vocabulary
			case is && found != nil && found.axis == 0:
				found = &c // rows, and then tokens
			case is:
				found = &c
			}
			axis++
		case i > 0 && i == len(parts)-1 && isZeroConst(p) && s.In[0].IsOp("gather", "take_along_dim"): // the one score that was picked
		default:
			return s.row(p, parts, cuts)
		}
	}
	if found != nil {
		if found.axis == 0 && slices.ContainsFunc(*cuts, func(c cut) bool { return c.axis != 0 }) {
			return Seen{g: s.g}, true // rows of a batch
		}
		found.at = s
		*cuts = append(*cuts, *found)
	}
	return s.Input(0), true
}

// unsqueezed is x[None]: an axis before the first.
func (s Seen) unsqueezed(parts []*infer.Val, cuts *[]cut) (Seen, bool) {
	for i := range *cuts {
		(*cuts)[i].axis--
	}
	return s.Input(0), len(parts) == 1 && !slices.ContainsFunc(*cuts, func(c cut) bool { return c.axis < 0 })
}

// row is x[i], one row of a batch; anything else is what its positions are counted in. A number may
// choose one of several outputs too, and a key a field.
func (s Seen) row(p *infer.Val, parts []*infer.Val, cuts *[]cut) (Seen, bool) {
	if _, ok := p.Int(); !ok || len(parts) != 1 || s.Fn == nil || !s.In[0].Is(domain.Logits|domain.LogProb|domain.TokenIDs|domain.Mask) {
		return Seen{g: s.g}, true
	}
	for i := range *cuts {
		(*cuts)[i].axis++
	}
	return s.Input(0), true
}

// cutOf reads a slice; is is false for [:], ok for a step or what is not known.
func (s Seen) cutOf(p *infer.Val, axis int) (c cut, is, ok bool) {
	r := p.Ref.(*infer.SliceRef)
	if r.Step != nil && !r.Step.IsNone() {
		return cut{}, false, false
	}
	c = cut{low: Bound{}, high: Bound{End: true}, axis: axis}
	if r.Low != nil && !r.Low.IsNone() {
		c.low, is = boundOf(s.Of(r.Low), 6), true
	}
	if r.High != nil && !r.High.IsNone() {
		c.high, is = boundOf(s.Of(r.High), 6), true
	}
	return c, is, true
}

// boundOf reads the end of a slice.
func boundOf(s Seen, depth int) Bound {
	if n, ok := s.Int(); ok {
		return Bound{N: int(n), End: n < 0}
	}
	x := s.Strip()
	switch {
	case !x.Known() || depth == 0:
	case x.IsOp("neg") && len(x.In) > 0:
		b := boundOf(x.Input(0), depth-1)
		if b.Sym.Known() && !b.End {
			return Bound{Sym: b.Sym, N: -b.N, End: true}
		}
	case x.IsOp("add", "sub") && len(x.In) > 1:
		n, ok := x.In[1].Int()
		at := x.Input(0)
		if !ok && x.IsOp("add") {
			n, ok = x.In[0].Int()
			at = x.Input(1)
		}
		if !ok {
			break
		}
		if x.IsOp("sub") {
			n = -n
		}
		b := boundOf(at, depth-1)
		b.N += int(n)
		return b
	}
	return Bound{Sym: s}
}

// Predicted is what a language model says of the tokens that come next.
type Predicted struct {
	// Tokens are the positions of what it was called with, of which there are as many, on each branch.
	Tokens []Positions
	// Partly says that the model was told to yield some of the positions only, Text that its output names logits, and Tempered
	// that it was told of a temperature.
	Partly, Text, Tempered bool
}

// isEmpty reports whether a dict surely has no entries, as **kwargs that nobody passed.
func isEmpty(v *infer.Val) bool {
	d, ok := infer.RefOf(v).(*infer.DictRef)
	return ok && !d.Open && len(d.Fields) == 0 && d.Elem == nil
}

// PredictedBy reads s as the logits of a language model: the attribute of that name, by which outputs of transformers
// hold them, of what a call yields; the first of several outputs of a call that takes a mask of attention; all that a
// call yields that nobody follows, and that was given nothing but tokens; or what a model of the program yields.
func (s Seen) PredictedBy() (Predicted, bool) {
	if !s.Known() || len(s.In) == 0 {
		return Predicted{}, false
	}
	if p, ok := s.spoken(); ok {
		return p, true
	}
	out := s.Strip()
	first := s.IsOp(infer.OpItem, infer.OpIterate) && s.isFirst()
	if s.IsOp("logits") || first {
		out = s.Input(0).Strip()
	}
	call, ok := out.Node.(*ast.Call)
	if !out.Known() || !ok || out.Frame == nil || !s.IsOp("logits") && (out.Fn != nil || s.g.Values.SiteOf(out.Val) != nil) {
		return Predicted{}, false
	}
	if first && !slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool { return k.Name == "attention_mask" }) {
		return Predicted{}, false
	}
	if !s.IsOp("logits") && !first && len(call.Args)+len(call.Keywords) != 1 {
		return Predicted{}, false
	}
	p, tokens := Predicted{Text: s.IsOp("logits")}, Seen{}
	for i, arg := range call.Args {
		if _, ok := arg.(*ast.Starred); ok {
			p.Partly = true
		} else if v := out.Frame.Val(arg); v != nil && i == 0 {
			tokens = out.Of(v)
		}
	}
	for _, k := range call.Keywords {
		switch k.Name {
		case "input_ids":
			if v := out.Frame.Val(k.Value); v != nil {
				tokens = out.Of(v)
			}
		case "attention_mask", "position_ids", "use_cache", "return_dict", "output_hidden_states", "token_type_ids":
		default: // logits_to_keep, **settings
			p.Partly = true
			p.Tempered = p.Tempered || k.Name == "" && !isEmpty(out.Frame.Val(k.Value)) || strings.Contains(k.Name, "temp")
		}
	}
	p.Tokens = tokens.positions(false)
	return p, len(p.Tokens) == 1
}

// isFirst reports whether s is x[0], or the first of what x was unpacked to.
func (s Seen) isFirst() bool {
	if len(s.In) < 2 {
		return false
	}
	n, ok := s.In[1].Int()
	return ok && n == 0
}

// Pick is where scores of all tokens meet the tokens whose score is taken: a gather, a cross entropy.
type Pick struct {
	At             *infer.Val
	Scores, Tokens Seen
	// Text says that the function is for language models.
	Text bool
	// Whole says that no score is picked: whole distributions are compared, and labels say at which positions.
	Whole bool
	way   Seen
}

// CallIn is the call in f by which the program comes to the pick; nil where it stands in f itself.
func (p Pick) CallIn(f *infer.Frame) ast.Node {
	for in := p.way.in; in != nil && in.up != nil; in = in.up {
		if in.up.frame == f {
			return in.call
		}
	}
	return nil
}

// picks are the operations that take scores and tokens.
var picks = []string{"gather", "take_along_dim", "get_at", "cross_entropy", "nll_loss", "selective_log_softmax", "logprobs_from_logits", "liger_fused_linear_jsd", "liger_fused_linear_cross_entropy"}

// textPicks are those of functions for language models.
var textPicks = []string{"selective_log_softmax", "logprobs_from_logits", "liger_fused_linear_jsd", "liger_fused_linear_cross_entropy"}

// pickedBy returns what such an operation takes; nil where that is not known.
func pickedBy(v *infer.Val) (scores, tokens *infer.Val) {
	first := func(names ...string) *infer.Val {
		for _, name := range names {
			if x := v.Arg(name); x != nil {
				return x
			}
		}
		return nil
	}
	return first("x", "input", "logits", "student_input"), first("index", "target", "labels", "true_labels")
}

// ByPosition reports whether a pick takes one score at each position, as far as its index tells: that of a gather gets an axis
// for the vocabulary then, ids.unsqueeze(-1). Without it, each row of scores is asked for several entries, as a repetition
// penalty asks for those of all tokens so far, and a Q-network's are asked for by the action.
func (p Pick) ByPosition() bool {
	room := maxSteps
	return !p.At.IsOp("gather", "take_along_dim") || p.Tokens.hasVocabulary(&room)
}

// hasVocabulary reports whether tokens have an axis for the vocabulary, or may: on one of their branches.
func (s Seen) hasVocabulary(room *int) bool {
	for ; ; *room-- {
		switch {
		case !s.Known() || *room <= 0 || s.IsOp(moving...) || addsAxis(s.Val):
			return true
		case s.IsOp(infer.OpPhi):
			*room--
			return slices.ContainsFunc(s.In, func(x *infer.Val) bool { return x != nil && s.Of(x).hasVocabulary(room) })
		}
		next, ok := s.step(&[]cut{})
		if !ok {
			return true
		}
		if !next.Known() {
			return false
		}
		s = next
	}
}

// Picks returns where scores and tokens meet, as seen on each way to it.
func (g *Graph) Picks() []Pick {
	g.picks.once.Do(func() { g.picks.list = g.findPicks() })
	return g.picks.list
}

func (g *Graph) findPicks() (out []Pick) {
	for _, v := range g.Made(picks...) {
		scores, tokens := pickedBy(v)
		if scores == nil || tokens == nil {
			continue
		}
		for _, s := range g.Paths(v) {
			out = append(out, Pick{At: v, Scores: s.Of(scores), Tokens: s.Of(tokens), Text: v.IsOp(textPicks...), way: s})
		}
	}
	return append(out, g.wholePicks()...)
}

// Distance returns by how many positions tokens lie behind the scores of the model, both cut from what
// it was called with: 1 where each token is scored by the position before it. same is false where it was called with others.
func (p Predicted) Distance(scores, tokens Positions) (by int, same, ok bool) {
	i := slices.IndexFunc(p.Tokens, tokens.SameTokens)
	if i < 0 {
		return 0, false, false
	}
	by, ok = p.distance(scores, tokens, p.Tokens[i])
	return by, true, ok
}

func (p Predicted) distance(scores, tokens, called Positions) (by int, ok bool) {
	at, ok := scores.In(called)
	if !ok || scores.Cut && tokens.Cut && scores.Axis != tokens.Axis {
		return 0, false
	}
	low, ok1 := tokens.Low.Minus(at.Low)
	high, ok2 := tokens.High.Minus(at.High)
	switch {
	case p.Partly && !scores.Low.End: // where the scores begin is not known
		return high, ok2
	case ok1 && ok2:
		return low, low == high
	case ok1:
		return low, true
	}
	return high, ok2
}

// LessOne reports whether all positions but the last are held, or all but the first, of rows of a batch.
func (p Positions) LessOne() bool {
	if p.Low.Sym.Known() || p.High.Sym.Known() || p.Low.End || !p.High.End || p.Axis != 1 {
		return false
	}
	return p.Low.N == 0 && p.High.N == -1 || p.Low.N == 1 && p.High.N == 0
}

// End is the value at which the way back of p ended, or the last cut.
func (p Positions) End() *infer.Val {
	if p.At.Known() {
		return p.At.Val
	}
	return p.Of.Val
}
