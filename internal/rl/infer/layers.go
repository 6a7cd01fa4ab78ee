package infer

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// # Layers in turn
//
// A loop over the layers of a network that gives each what the one before yielded is
// nn.Sequential, and what comes out is what the last layer makes of it. A loop that may run no
// round would join that with what went in, and an activation among the layers alone yields no
// gradient.

// inTurn evaluates "for layer in layers: x = layer(x)"; it reports whether the loop is one.
func (in *interp) inTurn(f *Frame, s *state, st *ast.For, iter, layer *Val) bool {
	call, target := applies(st)
	layers := layersOf(iter)
	if call == nil || len(layers) == 0 || slices.ContainsFunc(layers, func(v *Val) bool { return !isLayers(v) }) {
		return false
	}
	in.assign(f, s, st.Target, layer)
	in.expr(f, s, call.Fun)
	x := in.expr(f, s, call.Args[0])
	v := in.callSequential(f, s, call, iter, &LibObject{Pos: layers}, callArgs{pos: []*Val{x}})
	f.record(call, v)
	in.assign(f, s, target, v)
	return true
}

// applies is the call in a loop of which the body is "x = layer(x)", with the target of the
// assignment; nil of any other loop.
func applies(st *ast.For) (*ast.Call, ast.Expr) {
	layer, ok := st.Target.(*ast.Name)
	if !ok || len(st.Body) != 1 {
		return nil, nil
	}
	assign, ok := st.Body[0].(*ast.Assign)
	if !ok || len(assign.Targets) != 1 {
		return nil, nil
	}
	call, ok := assign.Value.(*ast.Call)
	if !ok || len(call.Args) != 1 || len(call.Keywords) > 0 {
		return nil, nil
	}
	names := make([]string, 3)
	for i, e := range []ast.Expr{call.Fun, call.Args[0], assign.Targets[0]} {
		if n, ok := e.(*ast.Name); ok {
			names[i] = n.Ident
		}
	}
	if names[0] != layer.Ident || names[1] == "" || names[1] != names[2] {
		return nil, nil
	}
	return call, assign.Targets[0]
}

// layersOf are the layers, and the lists of layers, of what a loop goes over; nil where it is no
// container of layers.
func layersOf(v *Val) []*Val {
	switch r := v.Ref.(type) {
	case *SeqRef:
		return []*Val{v}
	case *LibObject:
		if r.Name == sequentialName || r.Name == moduleListName {
			return r.Pos
		}
	case *Instance:
		if r.layers != nil {
			return []*Val{{Ref: r.layers}}
		}
	}
	return nil
}

// isLayers reports whether v is a layer, or a list in which one is and nothing that is known to be
// something else.
func isLayers(v *Val) bool {
	r, ok := v.Ref.(*SeqRef)
	if !ok {
		return v.Is(domain.Module)
	}
	layer := false
	for _, e := range append(slices.Clip(r.Elems), r.Elem) {
		if e == nil {
			continue
		}
		for x := range alternatives(e) {
			if x.Q.Kind.Known() && !x.Is(domain.Module) && x.Ref == nil {
				return false
			}
			layer = layer || x.Is(domain.Module)
		}
	}
	return layer
}

// behindSome is x behind some of several layers, each at least once and in no known order: where one
// of them is trained, and none is known to keep gradients back, it is attached.
func (in *interp) behindSome(f *Frame, s *state, n ast.Node, layer, x *Val) *Val {
	v := in.callVal(f, s, n, layer, callArgs{pos: []*Val{x}})
	if layer.Op != OpPhi || layer.Ref != nil || v.Q.Grad != domain.GradUnknown {
		return v
	}
	if w := in.behindTrained(f, s, n, layer, x, v); w != v {
		v = in.callVal(f, s, n, layer, callArgs{pos: []*Val{w}})
		v = in.behindTrained(f, s, n, layer, w, v)
	}
	return v
}

// behindTrained is v, which one of several layers made of x, as attached where one of them attached
// it and none keeps back the gradients that x has.
func (in *interp) behindTrained(f *Frame, s *state, n ast.Node, layer, x, v *Val) *Val {
	attached, kept := false, false
	Walk(v, maxElems, func(y *Val) bool {
		attached = attached || y.Q.Grad == domain.Attached
		kept = kept || y.Op != OpPhi && y.Q.Grad == domain.Detached && x.Q.Grad == domain.Attached
		return y.Op == OpPhi
	})
	if v.Q.Grad != domain.GradUnknown || !attached || kept {
		return v
	}
	w := in.val(f, s, n, OpCall, v.Q, v, layer)
	w.Q.Grad = domain.Attached
	return w
}

// addLayers notes layers that are added to an object that is a container of layers.
func (in *interp) addLayers(f *Frame, s *state, n ast.Node, o *Instance, layers []*Val) {
	if o.owner != in || len(layers) == 0 || !o.Class.Derives(sequentialName) && !o.Class.Derives(moduleListName) {
		return
	}
	if o.layers == nil {
		o.layers = &SeqRef{List: true, owner: in}
		o.layers.tail = newTail(f, s, nil)
	}
	for _, l := range layers {
		if list, ok := l.Ref.(*SeqRef); ok {
			in.grow(f, s, n, o.layers, append(slices.Clip(list.Elems), in.seqElem(list)), false)
			continue
		}
		in.grow(f, s, n, o.layers, []*Val{l}, true)
	}
}
