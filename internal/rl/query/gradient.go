package query

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/library"
)

func (s Seen) IsCopy() bool { return s.Fn != nil && slices.Contains(copies, s.Fn.As) }

// maxGraph bounds the values of one autograd graph that are looked at.
const maxGraph = 5000

// InGraph calls yield for the values that backward() of a loss goes through: the loss,
// and what it was made of, as far as gradients flow.
func InGraph(loss *infer.Val, yield func(*infer.Val) bool) {
	more := true
	infer.Walk(loss, maxGraph, func(v *infer.Val) bool {
		if !more || v.Q.Grad == domain.Detached {
			return false
		}
		more = yield(v)
		isLeaf := slices.ContainsFunc(leafMakers, func(op string) bool { return v.Op == op }) // torch.tensor(x, requires_grad=True)
		return more && !isLeaf && (v.Op == infer.OpPhi || !v.Is(domain.Module))               // what a network was made of, or copied from, gets none
	})
}

// GraphHolds reports whether backward() of a loss goes through v, or through what a
// later round of a loop computes at the same place.
func GraphHolds(loss, v *infer.Val) bool {
	found := false
	InGraph(loss, func(x *infer.Val) bool {
		found = infer.MadeAlike(x, v)
		return !found
	})
	return found
}

// HasGraph reports whether v is known to be the result of an operation that
// backward() goes back through: not a leaf, such as a parameter.
func HasGraph(v *infer.Val) bool {
	return v != nil && v.Q.Grad == domain.Attached && len(v.In) > 0 && !v.Is(domain.Module) &&
		!v.IsOp("Parameter", infer.OpRequiresGrad) && !slices.ContainsFunc(leafMakers, func(op string) bool { return v.Op == op })
}

// leafMakers make a leaf where they are told to require a gradient.
var leafMakers = append([]string{
	"torch.zeros", "torch.ones", "torch.rand", "torch.randn", "torch.full", "torch.empty", "torch.eye", "torch.arange", "torch.linspace",
}, copies...)

// maxDead bounds the values that Dead looks at; a graph of more is taken to be alive.
const maxDead = 64

// Dead reports whether a value is known to carry no gradient to anything but a tensor
// that was made a leaf on the way: backward() from it changes no network.
func Dead(s Seen) bool {
	find := func() bool {
		room := maxDead
		return dead(s, &room)
	}
	if !s.Plain() {
		return find()
	}
	return s.g.dead.get(s.Val, find)
}

// dead looks at the nearest values first, where it mostly finds one that is alive.
func dead(s Seen, room *int) bool {
	for queue := []Seen{s}; len(queue) > 0; queue = queue[1:] {
		*room--
		s := queue[0]
		switch {
		case *room < 0 || !s.Known() || s.Ref != nil && !IsContainer(s.Val):
			return false
		case s.Q.Grad == domain.Detached || s.madeLeaf(room):
			continue
		case s.Q.Grad != domain.Attached:
			return false
		}
		flows := s.Flows()
		if !slices.ContainsFunc(flows, func(x Seen) bool { return !x.Known() || x.Q.Grad != domain.Detached }) {
			return false
		}
		queue = append(queue, flows...)
	}
	return true
}

// maxMade bounds the values made of another that CutOff looks at.
const maxMade = 200

// CutOff reports whether no gradient comes back to v: all that is made of it is cut off from its graph in the end, as by detach() behind a
// sum, and no function that nobody is seen to call returns any of it.
func (g *Graph) CutOff(v *infer.Val) bool {
	made, cut := map[*infer.Val]bool{v: true}, false
	for list := []*infer.Val{v}; len(list) > 0; list = list[1:] {
		uses := g.UsesOf(list[0])
		if len(uses) == 0 && !IsContainer(list[0]) || len(made) > maxMade { // whoever takes an element uses the element
			return false
		}
		for _, u := range uses {
			switch {
			case u.Q.Grad == domain.Detached:
				cut = true
			case u.Op == infer.OpDelegate || g.IsOpaque(u):
				return false
			case !made[u]:
				made[u] = true
				list = append(list, u)
			}
		}
	}
	for f := range g.EachFrame {
		if cut && f.Entry && f.Result != nil {
			infer.Walk(f.Result, maxMade, func(r *infer.Val) bool {
				cut = cut && !made[r]
				return r.Q.Grad != domain.Detached
			})
		}
	}
	return cut
}

// copies are the operations that make a new tensor of the numbers of another.
var copies = []string{"torch.tensor", "torch.autograd.Variable"}

// madeLeaf reports whether s is a computed value that was made a leaf, as a loss is to
// silence "does not require grad". Inputs of which somebody wants the gradient, and
// what an optimizer is to change, are none. room bounds the values that are asked.
func (s Seen) madeLeaf(room *int) bool {
	if s.Val == nil || s.Q.Grad != domain.Attached || len(s.In) == 0 {
		return false
	}
	switch {
	case s.IsCopy():
	case s.Is(domain.Module) || !s.IsOp(infer.OpRequiresGrad) || !dead(s.Input(0), room):
		return false
	}
	for _, u := range s.g.UsesOf(s.Val) {
		if IsContainer(u) || u.Ref != nil || strings.HasSuffix(u.Op, ".grad") || u.IsOp("grad") {
			return false
		}
	}
	return true
}

// Flows are the values whose numbers, and gradients, s is made of: not an index, nor
// the network that was called.
func (s Seen) Flows() []Seen {
	if seq, ok := s.Referent().(*infer.SeqRef); ok {
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

// IsGiven reports whether s is read from data as it stands, and is not computed: a field of
// the batch that a loop goes through, of an argument, or of what a call yields that is not known.
// from is the batch.
func (s Seen) IsGiven() (from *infer.Val, ok bool) {
	for hops := range maxSteps {
		s = s.Strip()
		switch {
		case !s.Known() || s.Ref != nil && !s.isRecord():
			return nil, false
		case s.Op == infer.OpIterate, s.Op == infer.OpParam:
			return s.Val, true
		case s.isUnknownCall():
			return s.Val, hops > 0
		case s.IsOp(infer.OpItem) && len(s.In) > 0, strings.HasPrefix(s.Op, infer.OpAttr+".") && len(s.In) > 0:
			s = s.Input(0)
		default:
			return nil, false
		}
	}
	return nil, false
}

// IsYielded reports whether s is what a method or an object of the program yields that is not
// known, such as a policy, for a batch; or a log-probability by the distribution that it yields.
func (s Seen) IsYielded(batch *infer.Val) bool {
	for range maxSteps {
		s = s.Strip()
		switch {
		case !s.Known() || len(s.In) == 0 || s.Ref != nil && !s.isRecord():
			return false
		case s.Op == infer.OpCall || strings.HasPrefix(s.Op, infer.OpCall+"."):
			call, ok := s.Node.(*ast.Call)
			return ok && s.Fn == nil && len(call.Args)+len(call.Keywords) > 0 && !namesOther(call.Fun) && infer.Reaches(batch, s.Val, 200)
		case s.IsOp(infer.OpItem, "log_prob", "sum"), strings.HasPrefix(s.Op, infer.OpAttr+"."):
			s = s.Input(0)
		default:
			return false
		}
	}
	return false
}

// IsComputed reports whether s is a log-probability that is computed of a policy's output: by a distribution, of logits, or by a method or
// an object of the program that is not known, from arguments; on every branch.
func (s Seen) IsComputed() bool { return s.isComputed(4, false) }

// isComputed goes back to what computed s; known says that it passed a function that computes log-probabilities.
func (s Seen) isComputed(depth int, known bool) bool {
	for range maxSteps {
		s = s.Strip()
		if !s.Known() || s.NoGrad || s.Q.Grad == domain.Detached {
			return false
		}
		_, called := s.Node.(*ast.Call)
		switch {
		case len(s.In) == 0:
			return known
		case s.Op == infer.OpPhi && depth > 0:
			for _, x := range s.In {
				if x != nil && !s.Of(x).isComputed(depth-1, known) {
					return false
				}
			}
			return true
		case called && s.Fn == nil && (s.Op == infer.OpCall || strings.HasPrefix(s.Op, infer.OpCall+".")):
			call := s.Node.(*ast.Call)
			return len(call.Args)+len(call.Keywords) > 0 && !namesOther(call.Fun)
		case s.IsOp("log_prob", "log_softmax"):
			known = true
		case !known && !s.IsOp(infer.OpItem, "sum", "gather") && !strings.HasPrefix(s.Op, infer.OpAttr+"."):
			return false
		}
		s = s.Input(0)
	}
	return known
}

// isUnknownCall reports whether s is what a call yields of which the callee is not known.
func (s Seen) isUnknownCall() bool {
	return s.Fn == nil && (s.Op == infer.OpCall && s.g.Values.SiteOf(s.Val) == nil && infer.Through(s.Val) == nil || strings.HasPrefix(s.Op, infer.OpCall+"."))
}

// isRecord reports whether s is an object that holds data: of a class that an annotation names,
// of which nobody is seen to make the object, or a dict of which some keys are known.
func (s Seen) isRecord() bool {
	switch r := s.Referent().(type) {
	case *infer.DictRef:
		return r.Open
	case *infer.Instance:
		return s.Op == infer.OpParam || s.isUnknownCall()
	}
	return false
}

// namesOther reports whether a name in what is called says that it is not the policy in training.
func namesOther(fun ast.Expr) bool {
	other := false
	ast.Walk(fun, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Name:
			other = other || library.Load().Owner(n.Ident)&^domain.Current != 0
		case *ast.Attribute:
			other = other || library.Load().Owner(n.Attr)&^domain.Current != 0
		}
		return !other
	})
	return other
}
