package pass

import (
	"maps"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// # Where the graph is cut
//
// Cutting a value off from its graph is right in most places: targets, advantages,
// what is logged. It is wrong where the objective has no other gradient. So the walk
// starts at what backward() is called on: a loss, or a term of one, that is known to
// carry no gradient at all. From there it goes back to the operations at which a value
// with gradients became one without. A term with any live or unknown part is not
// asked about.
//
// Several cuts may meet in one dead term, and some of them are deliberate. Where
// one of them cuts a log-probability the objective is a policy's, and the others are
// weights; else a detach() or no_grad() beside another cut is taken for the target.

// CutBy says what cut a value off from its graph.
type CutBy uint8

// What cuts.
const (
	CutByDetach CutBy = iota + 1 // detach(), .data: somebody meant it
	CutByCopy                    // torch.tensor(x): a new leaf
	CutByNumber                  // item(), tolist(), float(), numpy()
	CutByIndex                   // argmax()
	CutByMode                    // torch.no_grad()
)

// Severed is a place at which an objective lost its gradient.
type Severed struct {
	Loss MinimisedLoss
	// Term is what carries no gradient: the loss, or a term of it.
	Term Seen
	// At is the operation that cuts, From the value with gradients that it takes. Where
	// At evaluates a network under no_grad, or is the loss, there is no From.
	At, From Seen
	By       CutBy
	// Whole says that the loss carries no gradient at all.
	Whole bool
}

// Severed returns the places at which an objective that backward() is called on lost
// all gradient.
func (p *Pass) Severed(by CutBy) []Severed {
	all := p.common().severed.get(p.findSevered)
	return slices.DeleteFunc(slices.Clone(all), func(s Severed) bool { return s.By != by })
}

func (p *Pass) findSevered() []Severed {
	var out []Severed
	for _, l := range p.MinimisedLosses() {
		if l.Backward.Known() && asksForGrad(l.Backward.Val) {
			continue
		}
		whole := Dead(l.Value)
		if whole && l.Value.NoGrad { // whatever else was cut
			if l.Backward.Known() { // else the step of a trainer, called to evaluate
				out = append(out, Severed{Loss: l, Term: l.Value, At: l.Value, By: CutByMode, Whole: true})
			}
			continue
		}
		for _, t := range deadTerms(l.Value, 12) {
			for _, c := range blame(p.cuts(t)) {
				if whole || c.From.Known() && isObjective(t, c) {
					c.Loss, c.Term, c.Whole = l, t, whole
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// asksForGrad reports whether a backward runs only where the loss has a gradient.
func asksForGrad(v *infer.Val) bool {
	return v.Guarded(func(g *infer.Guard) bool {
		found := false
		infer.Walk(g.Cond, 20, func(c *infer.Val) bool {
			found = found || strings.HasSuffix(c.Op, ".requires_grad") || strings.HasSuffix(c.Op, ".grad_fn")
			return !found
		})
		return found
	})
}

// Dead reports whether a value is known to carry no gradient to anything but a tensor
// that was made a leaf on the way: backward() from it changes no network.
func Dead(s Seen) bool {
	room := 200
	return dead(s, &room)
}

func dead(s Seen, room *int) bool {
	*room--
	switch {
	case !s.Known() || *room < 0 || s.Ref != nil && !isContainer(s.Val):
		return false
	case s.Q.Grad == domain.Detached || s.MadeLeaf():
		return true
	case s.Q.Grad != domain.Attached:
		return false
	}
	leaf := false
	for _, x := range s.flows() {
		if !x.Known() || !dead(x, room) {
			return false
		}
		leaf = leaf || x.Q.Grad != domain.Detached
	}
	return leaf
}

// copies are the operations that make a new tensor of the numbers of another.
var copies = []string{"torch.tensor", "torch.autograd.Variable"}

// MadeLeaf reports whether s is a computed value that was made a leaf, as a loss is to
// silence "does not require grad". Inputs of which somebody wants the gradient, and
// what an optimizer is to change, are none.
func (s Seen) MadeLeaf() bool {
	if s.Val == nil || s.Q.Grad != domain.Attached || len(s.In) == 0 {
		return false
	}
	switch {
	case s.isCopy():
	case s.Is(domain.Module) || !s.IsOp(infer.OpRequiresGrad) || !Dead(s.Input(0)):
		return false
	}
	for _, u := range s.p.UsesOf(s.Val) {
		if isContainer(u) || u.Ref != nil || strings.HasSuffix(u.Op, ".grad") || u.IsOp("grad") {
			return false
		}
	}
	return true
}

// flows are the values whose numbers, and gradients, s is made of: not an index, nor
// the network that was called.
func (s Seen) flows() []Seen {
	if seq, ok := s.ref().(*infer.SeqRef); ok {
		var out []Seen
		for _, e := range append([]*infer.Val{seq.Elem}, seq.Elems...) {
			if e != nil {
				out = append(out, s.Of(e))
			}
		}
		return out
	}
	switch {
	case len(s.In) == 0 || s.Op == infer.OpParam || s.Op == infer.OpConst:
		return nil
	case s.Op == infer.OpCall:
		return []Seen{s.enter(s.In[0])}
	case s.Op == infer.OpPhi:
		return s.inputs(len(s.In))
	case s.Op == infer.OpStore:
		return s.inputs(2)
	case s.IsOp("where"):
		return s.tensors(1, len(s.In))
	case s.IsOp(infer.OpItem, infer.OpIterate, infer.OpRequiresGrad, "gather", "index_select", "take", "take_along_dim") || strings.HasPrefix(s.Op, infer.OpAttr+"."):
		return s.inputs(1)
	}
	return s.inputs(len(s.In))
}

// inputs are those of the first n inputs that are tensors, or may be.
func (s Seen) inputs(n int) []Seen { return s.tensors(0, n) }

// tensors are those of the inputs from one up to another that are tensors, or may be.
func (s Seen) tensors(from, to int) []Seen {
	var out []Seen
	for i := from; i < min(to, len(s.In)); i++ {
		if x := s.Input(i); x.Known() && x.Const == nil && !x.Is(domain.Module|domain.Text) {
			out = append(out, x)
		}
	}
	return out
}

// deadTerms returns the loss where it is dead, else the terms of it that are.
func deadTerms(s Seen, depth int) []Seen {
	switch {
	case !s.Known() || depth == 0:
		return nil
	case Dead(s):
		return []Seen{s}
	}
	var out []Seen
	switch {
	case s.Op == infer.OpCall, s.IsOp("neg", "mean", "sum", "add", "sub", "stack", infer.OpNarrow), s.Op == infer.OpPhi, isContainer(s.Val):
		for _, x := range s.flows() {
			out = append(out, deadTerms(x, depth-1)...)
		}
	case s.IsOp("mul", "div") && len(s.In) > 1:
		if x, _, ok := scaled(s); ok {
			return deadTerms(x, depth-1)
		}
	}
	return out
}

// maxCuts bounds the values that are looked at behind one dead term.
const maxCuts = 2000

// cuts returns the places at which the parts of a dead term lost their gradients, the
// nearest first.
func (p *Pass) cuts(term Seen) []Severed {
	var out []Severed
	seen, queue := map[*infer.Val]bool{}, []Seen{term}
	for len(queue) > 0 && len(seen) < maxCuts {
		s := queue[0]
		queue = queue[1:]
		if !s.Known() || seen[s.Val] {
			continue
		}
		seen[s.Val] = true
		if at, n := p.evaluation(s); n != nil { // behind it is what the network is given
			if s.NoGrad && p.learns(n) {
				out = append(out, Severed{At: at, By: CutByMode})
			}
			continue
		}
		for _, x := range s.flows() {
			if c, ok := s.cutting(x); ok {
				out = append(out, c)
			} else if s.cutBy() != 0 || Dead(x) || isContainer(x.Val) { // behind a cut all is dead
				queue = append(queue, x)
			}
		}
	}
	return out
}

// evaluation returns the call by which a network yielded s, and the network; nil where s is
// no output of one, nor computed inside of one.
func (p *Pass) evaluation(s Seen) (Seen, *roles.Network) {
	for _, x := range s.In {
		if n := p.Roles.Network(x); n != nil && s.Op != infer.OpNew && !s.isGiven(x) {
			return s, n
		}
	}
	f := s.Frame
	if f == nil || f.Func == nil || f.Func.Self == nil || f.Func.Name() != "forward" || f.Call == nil {
		return Seen{}, nil
	}
	return p.See(f.Call), p.Roles.Network(f.Func.Self)
}

// isGiven reports whether the call that yielded s has x as an argument, rather than for
// what is called.
func (s Seen) isGiven(x *infer.Val) bool {
	call, ok := s.Node.(*ast.Call)
	if !ok || s.Frame == nil {
		return false
	}
	return slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return s.Frame.Val(e) == x }) ||
		slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool { return s.Frame.Val(k.Value) == x })
}

// learns reports whether an optimizer holds a network, or one that it is a layer of.
func (p *Pass) learns(n *roles.Network) bool {
	if n.Frozen {
		return false
	}
	return slices.ContainsFunc(p.Roles.Networks, func(whole *roles.Network) bool {
		return whole.Trained && !whole.Frozen && Holds(whole.Ref, n.Ref, 4)
	})
}

// Holds reports whether part is the object whole or one of its layers.
func Holds(whole, part infer.Ref, depth int) bool {
	if whole == part {
		return true
	}
	in := func(v *infer.Val) bool { return v != nil && v.Ref != nil && depth > 0 && Holds(v.Ref, part, depth-1) }
	switch r := whole.(type) {
	case *infer.Instance:
		return slices.ContainsFunc(slices.Collect(maps.Values(r.Attrs)), in)
	case *infer.LibObject:
		return slices.ContainsFunc(r.Pos, in)
	}
	return false
}

// cutting reports whether s cuts its input x off, and how.
func (s Seen) cutting(x Seen) (Severed, bool) {
	from := x
	if isContainer(x.Val) {
		from = Seen{}
		for _, e := range x.flows() {
			if e.Known() && e.Q.Grad == domain.Attached && !Dead(e) {
				from = e
			}
		}
	}
	if !from.Known() || from.Q.Grad != domain.Attached || Dead(from) {
		return Severed{}, false
	}
	by := s.cutBy()
	return Severed{At: s, From: from, By: by}, by != 0
}

func (s Seen) cutBy() CutBy {
	switch {
	case s.NoGrad && !s.IsOp("detach", "data"):
		return CutByMode
	case isConversion(s.Val):
		return CutByNumber
	case s.Fn == nil:
		return 0
	case s.isCopy(), s.IsOp("as_tensor"):
		return CutByCopy
	case s.IsOp("tolist", "numpy") || strings.HasSuffix(s.Op, ".item"):
		return CutByNumber
	case s.IsOp("detach", "data"):
		if s.becomesNumber() {
			return CutByNumber
		}
		return CutByDetach
	case s.IsOp("argmax", "argmin"):
		return CutByIndex
	}
	return 0
}

// becomesNumber reports whether a detached value only goes on into numpy: detach()
// is how one has to write that.
func (s Seen) becomesNumber() bool {
	uses := s.p.UsesOf(s.Val)
	return len(uses) > 0 && !slices.ContainsFunc(uses, func(u *infer.Val) bool {
		switch {
		case u.IsOp("numpy", "tolist"), strings.HasSuffix(u.Op, ".item"):
			return false
		case u.IsOp("cpu", "squeeze", "flatten", "float"):
			return !s.Of(u).becomesNumber()
		}
		return true
	})
}

// blame returns the cuts that took the gradient away from the objective.
func blame(cuts []Severed) []Severed {
	if of := only(cuts, func(c Severed) bool { return c.From.Known() && c.From.Is(domain.LogProb) }); len(of) > 0 {
		return of
	}
	if hard := only(cuts, func(c Severed) bool { return c.By != CutByDetach && c.By != CutByMode }); len(hard) > 0 {
		if slices.ContainsFunc(hard, func(c Severed) bool { return c.At.Node != hard[0].At.Node }) {
			return nil // which of them is meant is not known
		}
		return hard[:1]
	}
	if len(cuts) == 0 || len(only(cuts, func(c Severed) bool { return c.By != CutByMode })) > 0 {
		return nil
	}
	return cuts[:1]
}

func only(cuts []Severed, keep func(Severed) bool) []Severed {
	return slices.DeleteFunc(slices.Clone(cuts), func(c Severed) bool { return !keep(c) })
}

// isObjective reports whether a dead term of a live loss is there to be minimised: a
// log-probability with its weight, or an error. A constant that is added is none.
func isObjective(term Seen, c Severed) bool {
	found := false
	infer.Walk(term.Val, 40, func(v *infer.Val) bool {
		switch {
		case c.From.Is(domain.LogProb):
			found = found || v.IsOp("mul") && infer.Reaches(c.At.Val, v, 200)
		default:
			found = found || v.IsOp("mse_loss", "smooth_l1_loss", "huber_loss", "l1_loss", "cross_entropy", "nll_loss") || v.IsOp("pow", "square") && infer.Reaches(c.At.Val, v, 200)
		}
		return !found && v != c.At.Val
	})
	return found
}

// IsList reports whether s is a list or tuple.
func (s Seen) IsList() bool {
	_, ok := s.ref().(*infer.SeqRef)
	return ok
}

// Effect says what the cut does to the loss.
func (c Severed) Effect() string {
	if c.Whole {
		return "the loss brings no network a gradient,"
	}
	return "this term of the loss has no gradient,"
}

// Where points to the call of backward().
func (c Severed) Where() []Related {
	b := c.Loss.Backward
	if !b.Known() || b.Node == nil || c.At.p.In(b.Frame) == nil {
		return nil
	}
	return []Related{{Source: c.At.p.In(b.Frame), Node: b.Node, Message: "gradients are taken here"}}
}
