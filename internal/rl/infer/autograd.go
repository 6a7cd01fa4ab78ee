package infer

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Function is a custom torch.autograd.Function: one evaluation of its forward
// on unknown inputs and one of its backward on what forward saved.
type Function struct {
	Class    *ClassRef
	Forward  *Frame
	Backward *Frame
	// Inputs are forward's parameters behind ctx, GradOutputs backward's.
	Inputs, GradOutputs []*Val
}

// GradientNode returns what stands behind return in backward for an input, by its place
// among Inputs: of the last return that yields a value.
func (fn *Function) GradientNode(position int) ast.Node {
	var at ast.Node = fn.Backward.Func.Def
	ast.InspectStmts(fn.Backward.Body(), func(s ast.Stmt) bool {
		switch s := s.(type) {
		case *ast.FunctionDef, *ast.ClassDef:
			return false
		case *ast.Return:
			if _, none := s.X.(*ast.Constant); s.X != nil && !none {
				at = s.X
			}
		}
		return true
	})
	if t, ok := at.(*ast.Tuple); ok && position < len(t.Elts) && len(t.Elts) == len(fn.Inputs) {
		return t.Elts[position]
	}
	return at
}

// MayBeMadeOf reports whether the program passes for input j what it computed from what it passes
// for input i, as the mean of a tensor beside the tensor; or leaves both to callers that are not seen.
func (r *Result) MayBeMadeOf(fn *Function, i, j int) bool {
	for _, f := range r.Frames {
		if f == fn.Forward || f.Func == nil || f.Func.Def != fn.Forward.Func.Def {
			continue
		}
		for s := range f.Sites {
			args := s.Args[max(len(s.Args)-len(fn.Inputs), 0):] // behind ctx
			if len(args) != len(fn.Inputs) || args[i] == nil || args[j] == nil {
				continue
			}
			x, y := Strip(args[i]), Strip(args[j])
			if Reaches(x, y, 2000) || x.Op == OpParam && y.Op == OpParam && s.Caller.Entry {
				return true
			}
		}
	}
	return false
}

// OpSaved is an element of ctx.saved_tensors: In[0] is what forward saved.
const OpSaved = "ctx.saved"

const contextName = "torch.autograd.function.FunctionCtx"

// function evaluates a custom Function apart from its calls, so that the two
// halves share one context and nothing else.
func (in *interp) function(c *ClassRef) {
	fwd, bwd := staticFunc(c, "forward"), staticFunc(c, "backward")
	if fwd == nil || bwd == nil {
		return
	}
	ctx := in.newVal(Val{Q: domain.Of(domain.Other), Op: OpParam, Ref: &LibObject{Name: contextName, owner: in}})
	fn := &Function{Class: c}
	if setup := staticFunc(c, "setup_context"); setup != nil {
		fn.Forward, fn.Inputs = in.enterHalf(fwd, nil)
		in.setUp(setup, ctx, fn)
	} else {
		fn.Forward, fn.Inputs = in.enterHalf(fwd, ctx)
	}
	fn.Backward, fn.GradOutputs = in.enterHalf(bwd, ctx)
	if fn.Forward != nil && fn.Backward != nil {
		in.res.Functions = append(in.res.Functions, fn)
	}
}

// setUp evaluates setup_context(ctx, inputs, output), where torch 2 has what forward saves.
func (in *interp) setUp(setup *FuncRef, ctx *Val, fn *Function) {
	if fn.Forward == nil || len(in.codeOf(setup).params.List) != 3 {
		return
	}
	inputs := in.newVal(Val{Q: domain.Of(domain.Other), Op: OpDisplay, In: fn.Inputs})
	inputs.Ref = &SeqRef{Elems: fn.Inputs, owner: in}
	in.enter(setup, nil, []*Val{ctx, inputs, fn.Forward.Result}, nil)
}

// enterHalf evaluates forward or backward on unknown tensors; ctx is nil where the
// function has no such parameter.
func (in *interp) enterHalf(fn *FuncRef, ctx *Val) (*Frame, []*Val) {
	params := in.codeOf(fn).params.List
	args := make([]*Val, len(params))
	for i, p := range params {
		if p.Kind == ast.VarArgs || p.Kind == ast.VarKwArgs {
			return nil, nil
		}
		args[i] = in.newVal(Val{Q: domain.Unknown, Op: OpParam, Node: p})
	}
	own := args
	if ctx != nil && len(args) > 0 {
		args[0], own = ctx, args[1:]
	}
	if len(own) == 0 {
		return nil, nil
	}
	f := in.enter(fn, nil, args, nil)
	for _, a := range own {
		a.Frame = f
	}
	return f, own
}

func staticFunc(c *ClassRef, name string) *FuncRef {
	v := c.Attrs[name]
	if v == nil {
		return nil
	}
	fn, _ := v.Ref.(*FuncRef)
	if fn == nil || fn.Def == nil {
		return nil
	}
	return fn
}

// IsAutogradFunction reports whether a class is a custom torch.autograd.Function.
func (c *ClassRef) IsAutogradFunction() bool {
	return c.Derives("torch.autograd.Function") || c.Derives("torch.autograd.function.Function")
}

// applyFunction is SomeFunction.apply(x): forward with a context of its own.
func (in *interp) applyFunction(f *Frame, s *state, n ast.Node, c *ClassRef, a callArgs) *Val {
	fwd := staticFunc(c, "forward")
	if fwd == nil {
		return nil
	}
	ctx := in.newVal(Val{Q: domain.Of(domain.Other), Op: OpParam})
	ctx.Ref = heapAt(f, n, func() *LibObject { return &LibObject{Name: contextName, owner: in} })
	pos := append([]*Val{ctx}, a.pos...)
	if staticFunc(c, "setup_context") != nil {
		pos = a.pos
	}
	return in.applied(in.callFunc(f, s, n, fwd, callArgs{pos: pos, kw: a.kw, open: a.open}), 2)
}

// applied is what apply yields where forward yields v, or several at once. forward runs without gradients, and backward
// supplies them, so the mode in which forward computed a value says nothing of the result.
func (in *interp) applied(v *Val, depth int) *Val {
	w := *v
	w.Q.Grad, w.NoGrad = domain.GradUnknown, false
	if r, ok := v.Ref.(*SeqRef); ok && r.Elems != nil && depth > 0 {
		of := &SeqRef{List: r.List, Elems: make([]*Val, len(r.Elems)), owner: in}
		for i, x := range r.Elems {
			of.Elems[i] = in.applied(x, depth-1)
		}
		w.Ref = of
	}
	return in.newVal(w)
}

// saveForBackward remembers tensors on the context.
func saveForBackward(in *interp, f *Frame, s *state, n ast.Node, recv *Val, o *LibObject, a callArgs) *Val {
	r := &SeqRef{Elems: []*Val{}, owner: in}
	for _, x := range a.pos {
		r.Elems = append(r.Elems, in.val(f, s, n, OpSaved, x.Q, x))
	}
	v := in.val(f, s, n, OpDisplay, domain.Of(domain.Other), a.pos...)
	v.Ref = r
	if o.owner == in {
		if o.Attrs == nil {
			o.Attrs = map[string]*Val{}
		}
		o.Attrs["saved_tensors"] = v
		o.Attrs["saved_variables"] = v
	}
	return in.none()
}
