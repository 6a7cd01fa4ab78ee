package roles

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Holder is what an expression on which step() or zero_grad() is called stands for: one of some
// optimizers, or something of which only the place is known where the program keeps it: the same attribute of
// the same object, the same parameter.
type Holder struct {
	// Optimizers are those that it may be, all of them; none where that is not known.
	Optimizers []*Optimizer
	// Sure says that it is an optimizer, and no engine, schedule or profiler that steps too.
	Sure bool
	// Name is the attribute or variable that holds it, "" where it is neither.
	Name string

	of    []*infer.Val // the networks whose parameters an optimizer that is not known was made of
	root  any          // the nearest object or value at which path begins
	path  string
	base  any // the first one, at which trail begins
	trail string
}

// Only is the one optimizer that a holder is, or nil.
func (h *Holder) Only() *Optimizer {
	if h == nil || len(h.Optimizers) != 1 {
		return nil
	}
	return h.Optimizers[0]
}

// Reach is the name by which a file that is not known may reach a holder: that of the attribute that holds it. A
// local variable is out of reach.
func (h *Holder) Reach() string {
	if h.path == "" {
		return ""
	}
	return h.Name
}

// Same reports whether two holders are surely one.
func (h *Holder) Same(o *Holder) bool {
	if h == nil || o == nil {
		return false
	}
	if len(h.Optimizers) > 0 && len(o.Optimizers) > 0 {
		return len(h.Optimizers) == len(o.Optimizers) && !slices.ContainsFunc(h.Optimizers, func(x *Optimizer) bool { return !slices.Contains(o.Optimizers, x) })
	}
	return h.root != nil && h.root == o.root && h.path == o.path
}

// Apart reports whether two holders surely hold different parameters.
func (r *Rounds) Apart(a, b *Holder) bool {
	switch {
	case a == nil || b == nil || a.Same(b):
		return false
	case len(a.Optimizers) > 0 && len(b.Optimizers) > 0:
		return !slices.ContainsFunc(a.Optimizers, func(x *Optimizer) bool {
			return slices.ContainsFunc(b.Optimizers, func(y *Optimizer) bool { return x == y || r.m.Overlap(x.Networks, y.Networks) })
		})
	case a.root == nil || b.root == nil:
		return false
	case !a.Sure || !b.Sure: // what is zeroed may be the network itself
		return false
	case r.m.Overlap(r.networksOf(a), r.networksOf(b)): // two that take the parameters of one
		return false
	case a.isPartOf(b) || b.isPartOf(a): // self.opt wraps self.opt.optimizer
		return false
	case a.base != nil && a.base == b.base && a.trail != "" && b.trail != "" && a.trail != b.trail: // self.actor.optimizer, self.critic.optimizer
		return true
	case a.root == b.root:
		return a.path != "" && b.path != "" && a.path != b.path
	case (a.path == "") != (b.path == ""): // a variable may be what an attribute holds: self.step_with(self.opt)
		return false
	case a.path == "" && mayBeOne(a.root, b.root): // a variable before and behind a branch that builds it anew
		return false
	}
	return a.path == "" || a.Name != b.Name // other attributes hold other objects
}

// isPartOf reports whether a holder is an attribute of another, or of such: what wraps an optimizer steps with it.
func (h *Holder) isPartOf(o *Holder) bool {
	return h.base != nil && h.base == o.base && strings.HasPrefix(h.trail, o.trail+".")
}

// mayBeOne reports whether something that one value may be is among what the other may be.
func mayBeOne(a, b any) bool {
	x, ok := a.(*infer.Val)
	y, both := b.(*infer.Val)
	if !ok || !both || x.Op != infer.OpPhi && y.Op != infer.OpPhi {
		return false
	}
	one := map[*infer.Val]bool{}
	eachChoice(x, func(v *infer.Val) { one[v] = true })
	found := false
	eachChoice(y, func(v *infer.Val) { found = found || one[v] })
	return found
}

// eachChoice calls yield for what a value may be.
func eachChoice(v *infer.Val, yield func(*infer.Val)) {
	infer.Walk(v, maxChoices, func(x *infer.Val) bool {
		yield(x)
		return x.Op == infer.OpPhi
	})
}

// maxChoices bounds how many things are looked at that a value may be.
const maxChoices = 40

// holder is what an expression stands for; nil where nothing identifies it.
func (r *Rounds) holder(f *infer.Frame, e ast.Expr) *Holder {
	v := f.Val(e)
	h := &Holder{}
	switch e := e.(type) {
	case *ast.Name:
		h.Name = e.Ident
	case *ast.Attribute:
		h.Name = e.Attr
	default:
		return nil
	}
	if v != nil && (v.Op == infer.OpIterate || isNowhere(v, e)) {
		return nil
	}
	list, all := r.optimizersOf(v, 4)
	if all && len(list) > 0 {
		if slices.ContainsFunc(list, r.isOneOfMany) {
			return nil
		}
		h.Optimizers, h.Sure = list, true
	}
	h.of = parametersIn(v, maxFactories)
	h.Sure = h.Sure || v.Is(domain.Optimizer) || len(h.of) > 0
	h.root, h.path = rootOf(f, e)
	h.base, h.trail = baseOf(f, e)
	return r.intern(h)
}

// holderKey is what two holders have in common that are one.
type holderKey struct {
	only *Optimizer
	root any
	path string
}

// intern returns the one holder for all expressions that stand for the same.
func (r *Rounds) intern(h *Holder) *Holder {
	key := holderKey{only: h.Only()}
	switch {
	case key.only == nil && (h.root == nil || len(h.Optimizers) > 0):
		return h
	case key.only == nil:
		key.root, key.path = h.root, h.path
	}
	if old := r.holders[key]; old != nil {
		if old.path == "" && h.Name != "" {
			old.Name, old.root, old.path, old.base, old.trail = h.Name, h.root, h.path, h.base, h.trail
		}
		return old
	}
	r.holders[key] = h
	return h
}

// holderOf is the holder of an optimizer that is known.
func (r *Rounds) holderOf(o *Optimizer) *Holder {
	if h := r.holders[holderKey{only: o}]; h != nil {
		return h
	}
	return &Holder{Optimizers: []*Optimizer{o}, Sure: true}
}

// isNowhere reports whether a name is bound by nothing that was understood: by a statement with an error in its syntax, or by exec or %run.
// Each time that it is read it would seem to be another thing.
func isNowhere(v *infer.Val, e ast.Expr) bool {
	_, isName := e.(*ast.Name)
	return isName && v.Op == infer.OpUnknown && v.Node == ast.Node(e)
}

// optimizersOf lists the optimizers that a value may be; all says that it is nothing else.
func (r *Rounds) optimizersOf(v *infer.Val, depth int) (list []*Optimizer, all bool) {
	if v == nil || depth == 0 {
		return nil, false
	}
	if v.Op == infer.OpPhi && v.Ref == nil {
		all = true
		for _, x := range v.In {
			if x.IsNone() {
				continue
			}
			l, ok := r.optimizersOf(x, depth-1)
			all = all && ok
			for _, o := range l {
				if !slices.Contains(list, o) {
					list = append(list, o)
				}
			}
		}
		return list, all
	}
	for _, o := range r.m.Optimizers {
		if v.Ref != nil && o.Val.Ref == v.Ref {
			return []*Optimizer{o}, true
		}
	}
	return nil, false
}

// isOneOfMany reports whether an optimizer is built by a comprehension or by map(): the objects of all its rounds
// are one to inference.
func (r *Rounds) isOneOfMany(o *Optimizer) bool {
	at := query.PlaceOf(o.Val)
	for range 16 {
		if !at.Known() {
			break
		}
		if call, ok := at.Node.(*ast.Call); inComprehension(at) || ok && query.CalleeName(call) == "map" {
			return true
		}
		at = query.PlaceOf(at.Frame.Call)
	}
	return false
}

func inComprehension(at query.Place) bool {
	for range query.Comprehensions(at) {
		return true
	}
	return false
}

// lists are functions that make a list of what they are handed.
var lists = query.Words("list tuple filter chain")

// networksOf are the networks whose parameters a holder is known to have.
func (r *Rounds) networksOf(h *Holder) (out []*Network) {
	for _, o := range h.Optimizers {
		out = append(out, o.Networks...)
	}
	for _, v := range h.of {
		if n := r.m.Network(v); n != nil {
			out = append(out, n)
		}
	}
	return out
}

// maxFactories bounds how many calls are looked into that may each be of an optimizer that the one before takes.
const maxFactories = 3

// parametersIn are the networks of whose parameters a value is made by a call of something that is not known, as optimizers of other
// libraries and factories of optimizers make one. What is handed an optimizer as well is something else, as a schedule is: it has none.
func parametersIn(v *infer.Val, depth int) (of []*infer.Val) {
	if v == nil || depth == 0 || v.Ref != nil && !isUnknownObject(v.Ref) {
		return nil
	}
	if _, ok := v.Node.(*ast.Call); !ok || v.IsOp("parameters", "named_parameters", "clip_grad_norm", "clip_grad_value") || v.Fn != nil || lists[query.CalleeName(v.Node)] {
		return nil
	}
	optimizer := false
	for _, x := range v.In {
		infer.Walk(x, near, func(x *infer.Val) bool {
			result := len(v.In) > 0 && x == v.In[0] && !v.Unfollowed() // what the call returned, and no argument
			if !result && (x.Is(domain.Optimizer) && x.Q.Evidence != domain.NameOnly || len(parametersIn(x, depth-1)) > 0) {
				optimizer = true
			}
			if x.IsOp("parameters", "named_parameters") {
				of = append(of, x.In...)
				return false
			}
			return !optimizer && (x.Op == infer.OpPhi || x.Op == infer.OpCall && !x.Unfollowed() || query.IsContainer(x) || lists[infer.BaseOp(x.Op)])
		})
	}
	if optimizer {
		return nil
	}
	return of
}

func isUnknownObject(r infer.Ref) bool {
	o, ok := r.(*infer.LibObject)
	return ok && o.Class == nil
}

// rootOf is the nearest object that an expression is an attribute of, with the attributes that lead from there, or the
// value that it is.
func rootOf(f *infer.Frame, e ast.Expr) (root any, path string) {
	for range 8 {
		a, ok := e.(*ast.Attribute)
		if !ok {
			break
		}
		path = "." + a.Attr + path
		if x := f.Val(a.X); x != nil {
			if o, ok := x.Ref.(*infer.Instance); ok {
				return o, path
			}
		}
		e = a.X
	}
	if v := f.Val(e); v != nil && (v.Op != infer.OpIterate || path == "") {
		return v, path
	}
	return nil, ""
}

// baseOf is rootOf with the first object or value of a chain of attributes, whatever lies on the way.
func baseOf(f *infer.Frame, e ast.Expr) (base any, trail string) {
	for range 8 {
		a, ok := e.(*ast.Attribute)
		if !ok {
			break
		}
		e, trail = a.X, "."+a.Attr+trail
	}
	v := f.Val(e)
	if v == nil || v.Op == infer.OpIterate {
		return nil, ""
	}
	if o, ok := v.Ref.(*infer.Instance); ok {
		return o, trail
	}
	return v, trail
}
