package infer

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// An environment of another module is stepped by the library that it is given to, which nobody sees: the module of the environment
// does not know who makes it, and the one that makes it calls nothing of it. So the calls are made up where it is given away.

// playing are the methods of an environment that a library calls.
var playing = []string{"reset", "step"}

// plays calls the environments of other modules that Stable-Baselines3 is given: an object, a class, or a function that makes one.
func (in *interp) plays(f *Frame, s *state, n ast.Node, library string, a callArgs) {
	call, ok := n.(*ast.Call)
	if !ok || !strings.HasPrefix(library, "stable_baselines3.") && !strings.HasPrefix(library, "sb3_contrib.") {
		return
	}
	for _, v := range a.all() {
		for _, x := range makers(v, maxNesting) {
			if _, isObject := x.Ref.(*Instance); !isObject {
				x = in.callVal(f, s, call, x, callArgs{open: true})
			}
			if env, ok := RefOf(x).(*Instance); ok && env.Class.Module != in.res.Module && env.Class.Derives("gymnasium.Env") {
				in.play(f, s, call, x, env)
			}
		}
	}
}

// makers are the environments among what a library was given, their classes, and the functions of no argument that make them, each once.
func makers(v *Val, depth int) (out []*Val) {
	if v == nil || depth == 0 {
		return nil
	}
	switch r := v.Ref.(type) {
	case *Instance:
		out = append(out, v)
	case *ClassRef:
		if r.Derives("gymnasium.Env") {
			out = append(out, v)
		}
	case *FuncRef:
		if r.Lambda != nil && len(r.Lambda.Params.List) == 0 || r.Def != nil && len(r.Def.Params.List) == 0 {
			out = append(out, v)
		}
	case *SeqRef:
		for _, e := range append(slices.Clone(r.Elems), r.Elem) {
			out = append(out, makers(e, depth-1)...)
		}
	}
	return out
}

// play calls the methods of an environment once.
func (in *interp) play(f *Frame, s *state, call *ast.Call, v *Val, env *Instance) {
	for _, name := range playing {
		m := env.Class.Lookup(name)
		if m == nil {
			continue
		}
		fn, ok := m.Ref.(*FuncRef)
		if !ok || in.codeOf(fn).visited {
			continue
		}
		var a callArgs
		if name == "step" {
			a.pos = []*Val{in.newVal(Val{Q: domain.Unknown, Op: OpParam})}
		}
		in.callVal(f, s, call, in.bindMethod(fn, v, env.Class), a)
	}
}
