package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # What a value was asked of
//
// What a critic says is one call of a network, with what it was given, behind operations that choose among its outputs and keep the
// rows of the batch: the best action's, the one taken, the smaller of two critics. A slice may shift the rows, and what a loop carries is of
// another step: beyond them nothing is known.

// Evaluation is a call of a network.
type Evaluation struct {
	// Net is the network that was called, or one of whose methods was.
	Net infer.Ref
	// Output is what the call yields, or the one of several outputs that is meant.
	Output Seen
	// Inputs are the arguments in the order of the call, which stands at At.
	Inputs []Seen
	At     Place
}

// choosing are operations that choose among what they take, or scale it, row by row.
var choosing = []string{"min", "max", "minimum", "maximum", "amin", "amax", "gather", "take_along_dim", "mean", "sum", "clamp", "clip", "mul", "div", "where"}

// maxEvaluations bounds the way back from a value to the networks that were asked.
const maxEvaluations = 64

// Evaluations are the calls of networks of which s is made, row by row; none where it may be made of anything else. What is
// computed in the body that uses s, at, is no output of a network, though that may be a method of a module.
func (s Seen) Evaluations(at Seen) []Evaluation {
	w := evaluationWalk{room: maxEvaluations, base: at.in}
	if s.Known() && !w.visit(s) {
		return nil
	}
	return w.list
}

type evaluationWalk struct {
	list []Evaluation
	room int
	base *view
}

// visit reports whether s is made of calls of networks alone.
func (w *evaluationWalk) visit(s Seen) bool {
	w.room--
	if !s.Known() || w.room < 0 {
		return false
	}
	if e, ok := s.evaluation(w.base); ok {
		w.list = append(w.list, e)
		return true
	}
	if s.Op == infer.OpItem { // to be seen before through, which takes any part for the whole
		return len(s.In) > 1 && keepsRows(s) && w.visit(s.Input(0))
	}
	if next := s.through(); next.Known() && next.Val != s.Val {
		return w.visit(next)
	}
	switch {
	case s.IsOp("sub", "add") && len(s.In) > 1: // less the entropy
		terms := TermsOf(s, 1)
		i := slices.IndexFunc(terms, func(t Term) bool { return t.Sign > 0 && t.isYielded(6) && !t.Is(notValues) })
		return i >= 0 && terms[i].Val != s.Val && w.visit(terms[i].Seen)
	case !s.IsOp(choosing...) && !s.isStacked():
		return false
	}
	found := false
	for _, x := range s.Flows() {
		if !x.isYielded(6) {
			continue // a mask, a coefficient
		}
		if !w.visit(x) {
			return false
		}
		found = true
	}
	return found
}

// isStacked reports whether s is several values side by side, written out.
func (s Seen) isStacked() bool {
	if s.Op == infer.OpDisplay {
		seq, ok := s.Ref.(*infer.SeqRef)
		return ok && seq.Elem == nil && len(seq.Elems) > 0
	}
	return s.IsOp("stack", "cat")
}

// keepsRows reports whether an index chooses within each row: x[:, 0], x[range(n), a].
func keepsRows(s Seen) bool {
	index := axesIndexed(s.Val)
	if len(index) < 2 {
		return false
	}
	call, ok := index[0].(*ast.Call)
	return isWhole(index[0]) || ok && (CalleeName(call) == "arange" || CalleeName(call) == "range")
}

// evaluation reads s as what a network yields: of a value inside a network, what was asked of the whole.
func (s Seen) evaluation(base *view) (Evaluation, bool) {
	if e, ok := s.outputOf(base); ok {
		return e, true
	}
	if net := s.calledModule(); net != nil && !IsContainer(s.Val) {
		return Evaluation{Net: net, Output: s, Inputs: s.arguments(), At: PlaceOf(s.Val)}, true
	}
	return Evaluation{}, false
}

// arguments are what a network was called with.
func (s Seen) arguments() []Seen {
	call, ok := s.Node.(*ast.Call)
	if !ok || s.Frame == nil {
		return nil
	}
	var out []Seen
	for _, e := range call.Args {
		out = append(out, s.Of(s.Frame.Val(e)))
	}
	for _, k := range call.Keywords {
		out = append(out, s.Of(s.Frame.Val(k.Value)))
	}
	return out
}

// outputOf reads s as an output of a network that was computed in a method of it, as it is seen from outside: by the one call that asked it.
func (s Seen) outputOf(base *view) (Evaluation, bool) {
	if s.in == base || s.in.up == nil || s.in.up.frame == nil || s.in.frame != s.Frame {
		return Evaluation{}, false
	}
	from, f := s.in.up.frame, s.Frame
	for f != nil && f.Caller != from && ofModule(f, from) {
		f = f.Caller
	}
	if f == nil || f.Caller != from || !ofModule(f, from) {
		return Evaluation{}, false
	}
	var only *infer.Site
	for site := range f.Sites {
		if only != nil {
			return Evaluation{}, false // which of the calls is meant is not known
		}
		only = site
	}
	if only == nil || len(only.Args) < 2 {
		return Evaluation{}, false
	}
	e := Evaluation{Net: f.Func.Self.Ref, Output: s, At: Place{only.Caller, only.Node}}
	for _, a := range only.Args[1:] {
		if a != nil {
			e.Inputs = append(e.Inputs, s.g.look(a, s.in.up))
		}
	}
	return e, true
}

// ofModule reports whether a frame runs a method of a network other than the one of which another frame runs a method.
func ofModule(f, other *infer.Frame) bool {
	if f.Func == nil || f.Func.Self == nil || !f.Func.Self.Is(domain.Module) || !infer.IsObject(f.Func.Self.Ref) {
		return false
	}
	return other.Func == nil || other.Func.Self == nil || other.Func.Self.Ref != f.Func.Self.Ref
}

// Repeats reports whether two evaluations ask one network for the same output of the same inputs, and get the same answer.
func (e Evaluation) Repeats(o Evaluation) bool {
	if e.Net != o.Net || len(e.Inputs) != len(o.Inputs) || len(e.Inputs) == 0 || !strings.EqualFold(e.Output.Op, o.Output.Op) {
		return false
	}
	for i := range e.Inputs {
		if !e.Inputs[i].SameInput(o.Inputs[i]) {
			return false
		}
	}
	return true
}

// SameInput reports whether two arguments are surely the same numbers: one value, or the same entry of one batch. What stands for any
// element of a sequence is not.
func (s Seen) SameInput(o Seen) bool {
	for range 4 {
		s, o = s.shaped(), o.shaped()
		switch {
		case !s.Known() || !o.Known() || infer.Apart(s.Val, o.Val):
			return false
		case s.Val == o.Val:
			return s.Op != infer.OpIterate && s.in.sameArgs(o.in, s.g, 4)
		case s.Op != o.Op || len(s.In) == 0 || len(s.In) != len(o.In):
			return false
		case s.Op == infer.OpItem && len(s.In) == 2:
			if a := s.In[1]; a == nil || a.Const == nil || o.In[1] == nil || a.Const != o.In[1].Const {
				return false
			}
		case strings.HasPrefix(s.Op, infer.OpAttr+".") && !s.g.actsOn(s):
		default:
			return false
		}
		s, o = s.Input(0), o.Input(0)
	}
	return false
}

// shaped is SameShape as far as no function of the program is entered, which may answer for several objects at once; no value where something on
// the way stands for any element of a sequence.
func (s Seen) shaped() Seen {
	for range maxSteps {
		next := Seen{}
		switch {
		case s.Val == nil || s.Op == infer.OpPhi || s.g.anyElement(s.Val): // a join may be of elements, too
			return Seen{}
		case len(s.In) == 0 || s.In[0] == nil:
			return s
		case s.Op == infer.OpNarrow, s.Fn != nil && s.IsOp(unshaped...):
			next = s.Input(0)
		}
		if next.Val == nil {
			return s
		}
		s = next
	}
	return s
}

// actsOn reports whether a method of the object of which s is a field is called anywhere: it may change what the field holds.
func (g *Graph) actsOn(s Seen) bool {
	of := s.Input(0)
	if !of.Known() || infer.IsObject(of.Ref) {
		return true
	}
	r := &g.receivers
	r.once.Do(func() {
		r.of = map[*infer.Val]bool{}
		for f, call := range Everywhere[*ast.Call](g) {
			if at, ok := call.Fun.(*ast.Attribute); ok {
				r.of[f.Val(at.X)] = true
			}
		}
	})
	return r.of[of.Val]
}

// anyElement reports whether a value stands for the elements of a sequence at all positions.
func (g *Graph) anyElement(v *infer.Val) bool {
	e := &g.elements
	e.once.Do(func() {
		e.any = map[*infer.Val]bool{}
		for v := range g.EachUsed {
			if seq, ok := v.Ref.(*infer.SeqRef); ok && seq.Elem != nil && len(seq.Elems) == 0 {
				e.any[seq.Elem] = true
			}
		}
	})
	return e.any[v] || e.any[infer.Strip(v)]
}

// Whole is the batch of which s may be a part: x of x[indices].
func (s Seen) Whole() Seen {
	for range maxSteps {
		x := s.Strip()
		if !x.Known() || x.Op != infer.OpItem || len(x.In) < 2 || !x.Input(1).Is(domain.Index) && x.In[1].Const == nil && x.Input(1).Q.Kind.Known() {
			return x
		}
		s = x.Input(0)
	}
	return s
}
