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
	case v.Op == "gym.Env.step" && n == 4:
		elems = oldStep
	case v.Op == "gym.Env.step" && n == 5:
		elems = in.gymnasium("step")
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
	ofOneEnv(v, r)
	w := *v
	w.Ref = r
	return in.newVal(w)
}

// stepped is what the variables hold that take step(action) apart, of something out of sight that has no other method of that name:
// the four or five things that a step of an environment yields; nil where the call is another one, or where the name of a variable
// speaks against it, as in jax's "obs, state, reward, done, info".
func (in *interp) stepped(v *Val, targets []ast.Expr) []domain.Value {
	if v == nil || v.Op != OpCall+".step" || v.Ref != nil || v.Fn != nil {
		return nil
	}
	call, ok := v.Node.(*ast.Call)
	if !ok || len(call.Args) != 1 || len(call.Keywords) > 0 {
		return nil
	}
	elems := oldStep
	if len(targets) == 5 {
		elems = in.gymnasium("step")
	}
	if len(targets) != len(elems) {
		return nil
	}
	var out []domain.Value
	for i, e := range elems {
		if name, ok := targets[i].(*ast.Name); ok && in.speaksAgainst(name.Ident, e.V.Kind) {
			return nil
		}
		e.V.Evidence = domain.Used
		out = append(out, e.V)
	}
	return out
}

// ends are what the variables are called that take the end of an episode, whichever end it was.
const ends = domain.Done | domain.Terminated | domain.Truncated | domain.Mask

// speaksAgainst reports whether a variable is called after something else than a kind.
func (in *interp) speaksAgainst(name string, k domain.Kind) bool {
	q := in.named(name)
	return q != nil && q.Kind.Known() && k.Known() && !q.May(k) && !(k&ends != 0 && q.May(ends))
}

// ofOneEnv notes that what a step of a single environment yields besides the observation
// are numbers, one each. That there is one is known of what make returns, as it is or wrapped
// by gym's own wrappers; a class of the program may step many.
func ofOneEnv(step *Val, r *SeqRef) {
	if !isOp(step, "step") || len(step.In) == 0 || len(r.Elems) < 3 {
		return
	}
	env := step.In[0]
	for range maxWrappers {
		o, ok := RefOf(env).(*LibObject)
		if !ok || len(o.Pos) == 0 || !strings.Contains(o.Name, ".wrappers.") {
			break
		}
		env = o.Pos[0]
	}
	if env == nil || env.Op != "gym.make" && env.Op != "gymnasium.make" {
		return
	}
	for _, e := range r.Elems[1 : len(r.Elems)-1] {
		e.Q.Shape = domain.MakeShape()
	}
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
