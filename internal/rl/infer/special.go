package infer

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// special evaluates a call that is about the program rather than about numbers:
// copying, wrapping, iterating, building records. It returns nil to decline.
type special func(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val

var specials map[string]special

func init() {
	specials = map[string]special{
		"builtins.super":                    callSuper,
		"builtins.len":                      callLen,
		"builtins.isinstance":               callIsInstance,
		"builtins.zip":                      callZip,
		"builtins.enumerate":                callEnumerate,
		"builtins.list":                     callTuple,
		"builtins.tuple":                    callTuple,
		"builtins.sorted":                   callList,
		"builtins.reversed":                 callList,
		"builtins.set":                      callList,
		"random.sample":                     callDraws,
		"random.choices":                    callDraws,
		"random.choice":                     callNext,
		"tqdm.tqdm":                         firstArg,
		"tqdm.auto.tqdm":                    firstArg,
		"tqdm.autonotebook.tqdm":            firstArg,
		"tqdm.notebook.tqdm":                firstArg,
		"tqdm.rich.tqdm":                    firstArg,
		"tqdm.trange":                       callRange,
		"tqdm.auto.trange":                  callRange,
		"tqdm.notebook.trange":              callRange,
		"rich.progress.track":               firstArg,
		"itertools.chain":                   callChain,
		"itertools.chain.from_iterable":     callChainOf,
		"itertools.cycle":                   callChain,
		"itertools.islice":                  callIslice,
		"itertools.zip_longest":             callZip,
		"torch.utils.data.default_collate":  callCollate,
		"builtins.iter":                     firstArg,
		"builtins.next":                     callNext,
		"builtins.dict":                     callDict,
		"builtins.vars":                     firstArg,
		"builtins.getattr":                  callGetattr,
		"builtins.setattr":                  callSetattr,
		"builtins.map":                      callMap,
		"builtins.range":                    callRange,
		"builtins.float":                    callNumber,
		"builtins.int":                      callNumber,
		"copy.deepcopy":                     callCopy,
		"copy.copy":                         callShallowCopy,
		"types.SimpleNamespace":             callDict,
		"argparse.Namespace":                callDict,
		"easydict.EasyDict":                 callDict,
		"collections.OrderedDict":           callDict,
		"tensordict.TensorDict":             firstArg,
		"collections.namedtuple":            callNamedtuple,
		"typing.NamedTuple":                 callNamedtuple,
		"collections.deque":                 callDeque,
		"collections.defaultdict":           callDefaultdict,
		"dataclasses.field":                 callField,
		"dataclasses.replace":               callReplace,
		"dataclasses.asdict":                callAsdict,
		"dataclasses.fields":                callFields,
		"functools.partial":                 callPartialNew,
		"torch.compile":                     firstArg,
		"torch.jit.script":                  firstArg,
		"torch.jit.trace":                   firstArg,
		"torch.vmap":                        firstArg,
		"torch.func.vmap":                   firstArg,
		"torch.utils.checkpoint.checkpoint": callFirst,
		"tyro.cli":                          callInstanceOf,
		"click.option":                      callOption,
		"click.argument":                    callOption,
		"rich_click.option":                 callOption,
		"rich_click.argument":               callOption,
		"draccus.parse":                     callInstanceOf,
		"pyrallis.parse":                    callInstanceOf,
		"simple_parsing.parse":              callInstanceOf,
		"torch.no_grad":                     callGradMode("torch.no_grad"),
		"torch.inference_mode":              callGradMode("torch.inference_mode"),
		"torch.enable_grad":                 callGradMode("torch.enable_grad"),
		"torch.set_grad_enabled":            callGradMode("torch.set_grad_enabled"),
		"torch.autograd.no_grad":            callGradMode("torch.no_grad"),
		"torch.autograd.set_grad_enabled":   callGradMode("torch.set_grad_enabled"),
		"ray.remote":                        firstArg,
	}
	knowDatasets()
	for name := range pieceOps {
		specials["torch."+name] = callPieces(name)
		specials["numpy."+name] = callPieces(name)
	}
}

func firstArg(_ *interp, _ *Frame, _ *state, _ ast.Node, a callArgs) *Val {
	if len(a.pos) == 0 {
		return nil
	}
	return a.pos[0]
}

// callFirst calls the first argument on the others.
func callFirst(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if len(a.pos) == 0 {
		return nil
	}
	return in.callVal(f, s, n, a.pos[0], callArgs{pos: a.pos[1:]})
}

func callGradMode(name string) special {
	return func(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
		if len(a.pos) == 1 {
			if fn, ok := a.pos[0].Ref.(*FuncRef); ok { // used as a decorator without parentheses
				b := *fn
				b.grad = gradOff
				if name == "torch.enable_grad" {
					b.grad = gradOn
				}
				v := *a.pos[0]
				v.Ref = &b
				return in.newVal(v)
			}
		}
		o := &LibObject{Name: name, Pos: a.all(), owner: in}
		if name == "torch.set_grad_enabled" { // takes effect at once; with takes it back
			s.noGrad = gradModeOf(o, gradKept).off(s.noGrad)
		}
		v := in.val(f, s, n, OpNew, domain.Of(domain.Other), o.Pos...)
		v.Ref = o
		return v
	}
}

// callSuper is super(): the class is that of the method being evaluated.
func callSuper(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	g := f
	for g != nil && (g.Func == nil || g.Func.Class == nil) {
		g = g.outer()
	}
	if g == nil {
		return nil
	}
	v := in.val(f, s, n, OpNew, domain.Of(domain.Other))
	r := &SuperRef{Class: g.Func.Class, Self: g.Func.Self}
	if c := definingClass(g.Func.Class, g.Func); c != nil {
		r.Class = c
	}
	if r.Self == nil && len(g.Params) > 0 {
		r.Self = g.Params[0]
	}
	v.Ref = r
	return v
}

// definingClass finds the ancestor whose body holds the method.
func definingClass(c *ClassRef, fn *FuncRef) *ClassRef {
	for _, a := range c.mro() {
		if v := a.Attrs[fn.Name()]; v != nil {
			if m, ok := v.Ref.(*FuncRef); ok && m.Def == fn.Def {
				return a
			}
		}
	}
	return nil
}

func callLen(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if len(a.pos) != 1 {
		return nil
	}
	x := a.pos[0]
	v := in.size(f, s, n, x, domain.UnknownDim)
	if r, ok := x.Ref.(*SeqRef); ok && r.Elems != nil {
		v.setCount(int64(len(r.Elems)))
	} else if x.Q.Shape.Known() && x.Q.Shape.Rank > 0 && x.Q.Shape.Dims[0].N >= 0 {
		v.setCount(int64(x.Q.Shape.Dims[0].N))
	}
	return v
}

// callIsInstance is isinstance(x, str) and its like where x is a text: a mapping that is also indexed asks that of
// its key. Of other values nothing is said.
func callIsInstance(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if len(a.pos) != 2 || a.pos[0].Op == OpConfig {
		return nil
	}
	class, ok := a.pos[1].Ref.(*LibRef)
	if _, text := a.pos[0].Str(); !text || !ok || !strings.HasPrefix(class.Name, "builtins.") {
		return nil
	}
	is := class.Name == "builtins.str" || class.Name == "builtins.object"
	v := in.val(f, s, n, OpCall, domain.ConstValue(is), a.pos...)
	v.asked, v.Const = true, is
	return v
}

// limits are the numbers that are written as text: float("inf").
var limits = map[any]float64{
	"inf": math.Inf(1), "+inf": math.Inf(1), "infinity": math.Inf(1), "Inf": math.Inf(1), "-inf": math.Inf(-1), "-infinity": math.Inf(-1), "-Inf": math.Inf(-1),
}

// callNumber is float(x) and int(x): constants stay constants.
func callNumber(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if len(a.pos) != 1 {
		return nil
	}
	x := a.pos[0]
	v := in.val(f, s, n, OpCall, x.Q, x)
	v.Q.Grad, v.Q.Shape = domain.Detached, domain.MakeShape()
	if c, ok := limits[x.Const]; ok {
		v.Q, v.Const = domain.ConstValue(c), c
		return v
	}
	if isNumber(x.Const) {
		v.Const = x.Const
		v.Op = x.Op
	}
	return v
}

func callGetattr(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if len(a.pos) < 2 {
		return nil
	}
	name, ok := a.pos[1].Str()
	if !ok {
		return in.anyList(f, s, n, a)
	}
	v := in.getAttr(f, s, n, a.pos[0], name)
	if len(a.pos) == 3 {
		v = in.join(v, a.pos[2])
	}
	return v
}

func callSetattr(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if len(a.pos) == 3 {
		if name, ok := a.pos[1].Str(); ok {
			if e, ok := n.(ast.Expr); ok {
				in.noteStore(f, e, a.pos[0], a.pos[2])
			}
			in.setAttr(a.pos[0], name, a.pos[2])
		}
	}
	return in.none()
}

func callPartialNew(in *interp, f *Frame, s *state, n ast.Node, a callArgs) *Val {
	if len(a.pos) == 0 {
		return nil
	}
	o := &LibObject{Name: partialName, Pos: a.pos, Args: map[string]*Val{}, owner: in}
	for _, k := range a.kw {
		o.Args[k.name] = k.val
	}
	v := in.val(f, s, n, OpFunction, domain.Of(domain.Other), a.all()...)
	v.Ref = o
	return v
}

func (in *interp) callPartial(f *Frame, s *state, n ast.Node, o *LibObject, a callArgs) *Val {
	args := callArgs{pos: append(append([]*Val(nil), o.Pos[1:]...), a.pos...), kw: a.kw, open: a.open}
	for _, k := range slices.Sorted(maps.Keys(o.Args)) {
		if a.get(k) == nil {
			args.kw = append(args.kw, kwArg{k, o.Args[k]})
		}
	}
	return in.callVal(f, s, n, o.Pos[0], args)
}

// builtins are Python's own functions that evaluation knows by name.
var builtins = func() map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields(`abs all any bool bytes callable chr complex dict dir divmod enumerate eval filter
		float format frozenset getattr hasattr hash id input int isinstance issubclass iter len list map max min next
		object open ord pow print property range repr reversed round set setattr slice sorted staticmethod classmethod
		str sum super tuple type vars zip NotImplemented ValueError RuntimeError Exception KeyError TypeError`) {
		m[n] = true
	}
	return m
}()
