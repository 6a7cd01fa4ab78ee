package roles

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
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
	Loss Loss
	// Term is what carries no gradient: the loss, or a term of it.
	Term query.Seen
	// At is the operation that cuts, From the value with gradients that it takes. Where
	// At evaluates a network under no_grad, or is the loss, there is no From.
	At, From query.Seen
	By       CutBy
	// Whole says that the loss carries no gradient at all.
	Whole bool
}

// Raises reports whether backward() of the loss stops the run: nothing in it asks for a gradient, not even a copy.
func (s Severed) Raises() bool { return s.Whole && s.Loss.Value.Q.Grad == domain.Detached }

// Severed returns the places at which an objective that backward() is called on lost
// all gradient.
func (m *Model) Severed(by CutBy) []Severed {
	all := m.severed.get(m.findSevered)
	return slices.DeleteFunc(slices.Clone(all), func(s Severed) bool { return s.By != by })
}

func (m *Model) findSevered() []Severed {
	var out []Severed
	alive := m.aliveBackwards()
	for _, l := range m.Losses() {
		whole := query.Dead(l.Value)
		if l.Backward.Known() && (asksForGrad(l.Backward.Val) || (whole || l.Backward.Val.Guard != nil) && alive[l.Backward.Node]) {
			continue
		}
		if whole && l.Value.NoGrad { // whatever else was cut
			if l.Backward.Known() && !perhaps(l.Backward.Frame, 8) { // else the step of a trainer, called to evaluate
				out = append(out, Severed{Loss: l, Term: l.Value, At: l.Value, By: CutByMode, Whole: true})
			}
			continue
		}
		for _, t := range m.deadTerms(l.Value, 12) {
			for _, c := range blame(m.cuts(t)) {
				if whole || c.From.Known() && isObjective(t, c) {
					c.Loss, c.Term, c.Whole = l, t, whole
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// perhaps reports whether each way to an evaluation leads through a method of one of several objects:
// the program may know that it is another of them.
func perhaps(f *infer.Frame, depth int) bool {
	if f == nil || depth == 0 {
		return false
	}
	called := false
	for s := range f.Sites {
		call, ok := s.Node.(*ast.Call)
		if !ok {
			return false
		}
		called = true
		if at, ok := call.Fun.(*ast.Attribute); ok {
			if x := s.Caller.Val(at.X); x != nil && x.Op == infer.OpPhi && x.Ref == nil {
				continue
			}
		}
		if !perhaps(s.Caller, depth-1) {
			return false
		}
	}
	return called
}

// aliveBackwards are the calls of backward() whose loss may carry a gradient in some call of
// the function around. The calls in which it does not are those that evaluate and stop before
// it (`if not forward_only`), or pass what was stored as numbers beside what still has a graph.
func (m *Model) aliveBackwards() map[ast.Node]bool {
	out := map[ast.Node]bool{}
	for _, l := range m.Losses() {
		if l.Backward.Known() && !query.Dead(l.Value) {
			out[l.Backward.Node] = true
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

// deadTerms returns the loss where it is dead, else the terms of it that are.
func (m *Model) deadTerms(s query.Seen, depth int) []query.Seen {
	switch {
	case !s.Known() || depth == 0:
		return nil
	case query.Dead(s):
		return []query.Seen{s}
	}
	var out []query.Seen
	switch {
	case s.Op == infer.OpCall, s.IsOp("neg", "mean", "sum", "add", "sub", "stack", infer.OpNarrow), s.Op == infer.OpPhi, query.IsContainer(s.Val):
		for _, x := range s.Flows() {
			out = append(out, m.deadTerms(x, depth-1)...)
		}
	case s.IsOp("mul", "div") && len(s.In) > 1:
		if x, _, ok := m.scaled(s); ok {
			return m.deadTerms(x, depth-1)
		}
	}
	return out
}

// maxCuts bounds the values that are looked at behind one dead term, and maxAllCuts those
// behind all of a program, of which each may stand behind many.
const (
	maxCuts    = 2000
	maxAllCuts = 1 << 12
)

// cuts returns the places at which the parts of a dead term lost their gradients, the
// nearest first. There are none where nearest is a network that learns, was evaluated with gradients on and yields none: it cut them off itself, and what cuts
// another network off, as the one that chose the actions, is not what did it.
func (m *Model) cuts(term query.Seen) []Severed {
	var out []Severed
	seen, queue := map[*infer.Val]bool{}, []query.Seen{term}
	for len(queue) > 0 && len(seen) < maxCuts {
		s := queue[0]
		queue = queue[1:]
		if !s.Known() || seen[s.Val] {
			continue
		}
		seen[s.Val] = true
		if m.cutRoom.Add(-1) < 0 {
			return nil
		}
		if s.IsOp("choice", "choices", "multinomial") { // of what was drawn no gradient goes to its probabilities
			continue
		}
		if objective := m.surrogateAt(s.Val); objective != nil && objective.Ratio.Known() { // what the ratio weighs is data
			queue = append(queue, objective.Ratio)
			continue
		}
		if at, n := m.evaluation(s); n != nil { // behind it is what the network is given
			if learns := m.Learns(n); learns && s.NoGrad {
				out = append(out, Severed{At: at, By: CutByMode})
			} else if learns && query.Dead(s) && len(out) == 0 {
				return nil
			}
			continue
		}
		for _, x := range s.Flows() {
			if c, ok := cutting(s, x); ok {
				out = append(out, c)
			} else if cutBy(s) != 0 || query.Dead(x) || query.IsContainer(x.Val) { // behind a cut all is dead
				queue = append(queue, x)
			}
		}
	}
	return out
}

// evaluation returns the call by which a network yielded s, and the network; nil where s is
// no output of one, nor computed inside of one.
func (m *Model) evaluation(s query.Seen) (query.Seen, *Network) {
	for _, x := range s.In {
		if n := m.Network(x); n != nil && s.Op != infer.OpNew && !isFormula(n.Ref, formulaDepth) && !isGiven(s, x) {
			return s, n
		}
	}
	f := s.Frame
	if f == nil || f.Func == nil || f.Func.Self == nil || f.Func.Name() != "forward" || f.Call == nil || isFormula(f.Func.Self.Ref, formulaDepth) {
		return query.Seen{}, nil
	}
	return m.g.See(f.Call), m.Network(f.Func.Self)
}

// formulaDepth bounds modules within modules.
const formulaDepth = 4

// isFormula reports whether a module has no parameters, as a loss or an activation, or a class of the program that keeps only such
// modules and numbers: it computes a formula of what it is given, so what is behind it is not behind a network.
func isFormula(r infer.Ref, depth int) bool {
	if depth == 0 {
		return false
	}
	switch r := r.(type) {
	case *infer.LibObject:
		return r.Class != nil && r.Class.Call != nil && !strings.HasSuffix(r.Class.Call.Name, ".__call__")
	case *infer.Instance:
		for _, v := range r.Attrs {
			if v == nil || v.Const == nil && !v.Is(domain.Number|domain.Text) && !isFormula(v.Ref, depth-1) {
				return false
			}
		}
		return slices.Equal(r.Class.LibBases, []string{"torch.nn.Module"})
	}
	return false
}

// isGiven reports whether the call that yielded s has x as an argument, rather than for
// what is called.
func isGiven(s query.Seen, x *infer.Val) bool {
	call, ok := s.Node.(*ast.Call)
	if !ok || s.Frame == nil {
		return false
	}
	return slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return s.Frame.Val(e) == x }) ||
		slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool { return s.Frame.Val(k.Value) == x })
}

// Learns reports whether an optimizer holds a network, or one that it is a layer of.
func (m *Model) Learns(n *Network) bool {
	if n.Frozen {
		return false
	}
	return slices.ContainsFunc(m.Networks, func(whole *Network) bool {
		return whole.Trained && !whole.Frozen && m.Holds(whole.Ref, n.Ref)
	})
}

// cutting reports whether s cuts its input x off, and how.
func cutting(s query.Seen, x query.Seen) (Severed, bool) {
	from := x
	if query.IsContainer(x.Val) {
		from = query.Seen{}
		for _, e := range x.Flows() {
			if e.Known() && e.Q.Grad == domain.Attached && !query.Dead(e) {
				from = e
			}
		}
	}
	if !from.Known() || from.Q.Grad != domain.Attached || query.Dead(from) {
		return Severed{}, false
	}
	by := cutBy(s)
	return Severed{At: s, From: from, By: by}, by != 0
}

func cutBy(s query.Seen) CutBy {
	switch {
	case s.NoGrad && !s.IsOp("detach", "data"):
		return CutByMode
	case query.IsConversion(s.Val):
		return CutByNumber
	case s.Fn == nil:
		return 0
	case s.IsCopy(), s.IsOp("as_tensor"):
		return CutByCopy
	case s.IsOp("tolist", "numpy") || strings.HasSuffix(s.Op, ".item"):
		return CutByNumber
	case s.IsOp("detach", "data"):
		if becomesNumber(s, 8) {
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
func becomesNumber(s query.Seen, depth int) bool {
	uses := s.Uses()
	return len(uses) > 0 && !slices.ContainsFunc(uses, func(u *infer.Val) bool {
		switch {
		case u.IsOp("numpy", "tolist"), strings.HasSuffix(u.Op, ".item"):
			return false
		case u.IsOp("cpu", "squeeze", "flatten", "float"):
			return depth == 0 || !becomesNumber(s.Of(u), depth-1)
		}
		return true
	})
}

// blame returns the cuts that took the gradient away from the objective.
func blame(cuts []Severed) []Severed {
	if len(cuts) > 0 && cuts[0].By == CutByMode && cuts[0].From.Known() && cuts[0].At.IsOp(errorOps...) { // both sides of the error are in reach of it
		return cuts[:1]
	}
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
func isObjective(term query.Seen, c Severed) bool {
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
