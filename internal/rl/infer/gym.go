package infer

import (
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// gymTuple is what a call of step or reset of an environment of gym yields, by the number
// of variables that it is assigned to: until version 0.26 step returned observation, reward,
// done and info; since then terminated and truncated are apart, as in gymnasium. Any other
// value is its own.
func (in *interp) gymTuple(f *Frame, s *state, v *Val, n int) *Val {
	if v.Ref != nil || v.Fn == nil || v.Node == nil {
		return v
	}
	var elems []library.Element
	switch {
	case v.Op == "gym.Env.step":
		elems = in.stepElements(v, n, false)
	case v.Op == "gym.Env.reset" && n == 2:
		elems = in.gymnasium("reset")
	}
	if elems == nil {
		return v
	}
	r := &SeqRef{owner: in}
	for _, e := range elems {
		x := in.val(f, s, v.Node, v.Op, e.V, v.In...)
		x.Fn = v.Fn
		r.Elems = append(r.Elems, x)
	}
	ofOneMade(v, r)
	w := *v
	w.Ref = r
	return in.newVal(w)
}

// stepTuple is v, the value of an assignment, with the kinds of what a step of an environment yields, where it is one that is taken apart:
// of something out of sight, or of an object of the program that can be reset as well.
func (in *interp) stepTuple(f *Frame, s *state, st *ast.Assign, v *Val) *Val {
	env, into := stepTaken(f, st, v)
	if env == nil || v.Fn != nil {
		return v
	}
	own := isOwnEnv(f.Val(env), v, len(into.Elts))
	if !own && (v.Op != OpCall+".step" && !isPromised(f.Val(env)) || v.Ref != nil) {
		return v
	}
	elems := in.stepElements(v, len(into.Elts), own)
	if elems == nil || in.speakAgainst(into.Elts, elems) {
		return v
	}
	r := &SeqRef{owner: in}
	for i, e := range elems {
		e.V.Evidence = domain.Used
		r.Elems = append(r.Elems, in.asStep(f, s, into.Elts[i], v, in.index(f, s, into.Elts[i], v, in.constant(int64(i))), e.V))
	}
	w := *v
	w.Ref = r
	return in.newVal(w)
}

// stepTaken reads an assignment of v as one that takes env.step(action) apart: as it is called, or later, under a name.
func stepTaken(f *Frame, st *ast.Assign, v *Val) (env ast.Expr, into *ast.Tuple) {
	call, ok := st.Value.(*ast.Call)
	if !ok && v.Frame == f {
		call, ok = v.Node.(*ast.Call)
	}
	if !ok || len(call.Args) != 1 || len(call.Keywords) > 0 || len(st.Targets) != 1 {
		return nil, nil
	}
	at, ok := call.Fun.(*ast.Attribute)
	into, apart := st.Targets[0].(*ast.Tuple)
	if !ok || !apart || at.Attr != "step" {
		return nil, nil
	}
	return at.X, into
}

// stepElements are the n things that a step of an environment yields; nil where it does not yield n. Those of a program's own need not
// tell what else there is to say.
func (in *interp) stepElements(step *Val, n int, own bool) []library.Element {
	switch {
	case n == 5:
		return in.gymnasium("step")
	case n == 4 && own && step.Ref.(*SeqRef).Elems[3].Ref == nil: // a flag, and no dict
		return in.gymnasium("step")[:4]
	case n == 4, n == 3 && own:
		return oldStep[:n]
	}
	return nil
}

// isOwnEnv reports whether an object of the program is an environment, whose step yields n things: it has a method reset too.
func isOwnEnv(env, step *Val, n int) bool {
	obj, ok := RefOf(env).(*Instance)
	r, listed := step.Ref.(*SeqRef)
	return ok && listed && len(r.Elems) == n && r.Elem == nil && obj.Class.Lookup("reset") != nil
}

// isPromised reports whether the step of an object is written in a subclass only.
func isPromised(env *Val) bool {
	obj, ok := RefOf(env).(*Instance)
	if !ok {
		return false
	}
	v := obj.Class.Lookup("step")
	if v == nil {
		return false
	}
	fn, ok := v.Ref.(*FuncRef)
	return ok && isStub(fn)
}

// asStep is an element of what a step of an environment yields. What it was made of, as of the action, does not say what it is; its
// shape and its gradient stand.
func (in *interp) asStep(f *Frame, s *state, n ast.Node, step, e *Val, q domain.Value) *Val {
	k := e.Q.Kind
	switch {
	case e.Ref != nil || e.Const != nil || k.Is(q.Kind):
		return e
	case e.Op == OpItem && e.Q == domain.Unknown:
		e.Q = q
		return e
	case q.Is(domain.Observation) && k.Known() && !k.Is(domain.Other|domain.Number), q.Is(Ends) && k.Is(Ends&^domain.Mask):
		return e
	}
	op, from := OpNarrow, e
	if q.Is(domain.Reward) && e.Q.Grad != domain.Attached { // one quantity, and no sum of what it is computed of
		op, from = OpItem, step
	}
	of := e.Q
	of.Kind, of.Evidence = q.Kind, q.Evidence
	w := in.val(f, s, n, op, of, from)
	w.Lib = e.Lib
	return w
}

// Ends are the kinds of a flag that says where an episode ends, whichever end that is.
const Ends = domain.Done | domain.Terminated | domain.Truncated | domain.Mask

// speakAgainst reports whether a variable is called after something else than what it would hold, as in jax's
// "obs, state, reward, done, info".
func (in *interp) speakAgainst(targets []ast.Expr, elems []library.Element) bool {
	for i, t := range targets {
		name, ok := t.(*ast.Name)
		if !ok {
			continue
		}
		q, k := in.named(name.Ident), elems[i].V.Kind
		if q != nil && q.Kind.Known() && k.Known() && !q.May(k) && !(k&Ends != 0 && q.May(Ends)) {
			return true
		}
	}
	return false
}

// ofOneMade notes how many of each thing besides the observation a step of an environment yields: a number of a
// single one, a vector where many are stepped at a time.
func ofOneMade(step *Val, r *SeqRef) {
	if !isOp(step, "step") || len(step.In) == 0 || len(r.Elems) < 3 {
		return
	}
	shape := domain.MakeShape()
	switch axes, ok := EnvAxes(step.In[0]); {
	case !ok:
		return
	case axes > 0:
		shape = domain.MakeShape(domain.UnknownDim)
	}
	for _, e := range r.Elems[1 : len(r.Elems)-1] {
		e.Q.Shape = shape
	}
}

// EnvAxes is how many axes stand before what a single environment shows: none where env is one, one where it steps many at a
// time. That is known of what the functions of gym return, as it is or wrapped by gym's own wrappers; ok is false for any
// other, as for a class of the program, which may step many.
func EnvAxes(env *Val) (axes int, ok bool) {
	env = Strip(env)
	for range maxWrappers {
		o, ok := RefOf(env).(*LibObject)
		if ok && o.Class != nil && (o.Class.Name == "gymnasium.vector.VectorEnv" || o.Class.Name == "gym.vector.VectorEnv") {
			return 1, true
		}
		if !ok || len(o.Pos) == 0 || !strings.Contains(o.Name, ".wrappers.") {
			break
		}
		env = Strip(o.Pos[0])
	}
	switch {
	case env == nil:
		return 0, false
	case env.Op == "gym.make" || env.Op == "gymnasium.make":
		return 0, true
	}
	return 1, env.Op == "gymnasium.make_vec" || env.Op == "gym.vector.make"
}

// maxWrappers bounds how many wrappers are taken off an environment.
const maxWrappers = 8

// gymnasium are the elements of what a method of gymnasium's environments returns.
func (in *interp) gymnasium(method string) []library.Element {
	fn := in.table.Class("gymnasium.Env").Method(method)
	elems, _ := fn.Elements(fn.Bind(nil, nil))
	return elems
}

// observed are the arguments of a function. What gym's reset returns is made an array of
// only where it is an observation alone, not the pair of observation and info.
func (in *interp) observed(name string, pos []*Val) []*Val {
	switch name {
	case "torch.tensor", "torch.Tensor", "torch.FloatTensor", "torch.as_tensor", "torch.from_numpy":
	default:
		return pos
	}
	if len(pos) == 0 || pos[0].Op != "gym.Env.reset" || pos[0].Ref != nil {
		return pos
	}
	v := *pos[0]
	v.Q = domain.Of(domain.Observation)
	v.Q.Grad = domain.Detached
	return append([]*Val{in.newVal(v)}, pos[1:]...)
}

// oldStep is what step returned before gym 0.26.
var oldStep = func() []library.Element {
	kinds := []domain.Kind{domain.Observation, domain.Reward, domain.Done, domain.Other}
	out := make([]library.Element, len(kinds))
	for i, k := range kinds {
		out[i].V = domain.Of(k)
		out[i].V.Grad = domain.Detached
	}
	out[2].V.Range = domain.Between(domain.Zero, domain.One)
	return out
}()
