package roles

import (
	"maps"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// callIndex relates calls with the evaluations that answer them. It is built once
// for all rules.
type callIndex struct {
	// args are the calls that a value is an argument of, or part of one.
	args map[*infer.Val][]argUse
	// params and results are answers that were given: most evaluations are never asked about.
	params, results answers[*infer.Frame, map[*infer.Val]bool]
	// wrappers are what a call yields that another's evaluation answers.
	wrappers map[*infer.Site][]*infer.Val
	// absorbed is what stands for a value as well.
	absorbed map[*infer.Val][]*infer.Val
	// takes are the values computed with an object, in the order of frames.
	takes map[infer.Ref][]*infer.Val
}

// argUse is a value passed to an evaluation as a parameter or part of one.
type argUse struct {
	site  *infer.Site
	param *infer.Val
}

// calledWith returns the index.
func (m *Model) calledWith() *callIndex {
	return m.calls.get(func() *callIndex { return newCallIndex(m.g) })
}

func newCallIndex(q *query.Graph) *callIndex {
	x := &callIndex{
		args:     map[*infer.Val][]argUse{},
		wrappers: map[*infer.Site][]*infer.Val{}, absorbed: map[*infer.Val][]*infer.Val{},
		takes: map[infer.Ref][]*infer.Val{},
	}
	for v := range q.Each {
		x.addTaker(v)
		x.addJoin(v)
	}
	for _, g := range q.Values.Frames { // a superseded one may still answer a call
		for site := range g.Sites {
			x.addSite(site)
		}
	}
	for u := range q.EachUsed {
		if s := q.Values.SiteOf(u); s != nil {
			if x.wrappers[s] == nil {
				x.addSite(s)
			}
			x.wrappers[s] = append(x.wrappers[s], u)
		}
	}
	for v, by := range q.Values.Absorbed {
		x.absorb(v, by)
	}
	return x
}

// paramsOf are the parameters of an evaluation, with their parts.
func (x *callIndex) paramsOf(f *infer.Frame) map[*infer.Val]bool {
	return x.params.get(f, func() map[*infer.Val]bool {
		all := map[*infer.Val]bool{}
		for _, v := range f.Params {
			for _, part := range nested(v) {
				all[part] = true
			}
		}
		return all
	})
}

// resultsOf are the parts of what an evaluation returns.
func (x *callIndex) resultsOf(f *infer.Frame) map[*infer.Val]bool {
	return x.results.get(f, func() map[*infer.Val]bool {
		all := map[*infer.Val]bool{}
		for _, part := range nested(f.Result) {
			all[part] = true
		}
		return all
	})
}

// absorb notes that by stands for v, and so do their parts.
func (x *callIndex) absorb(v, by *infer.Val) {
	pairs(v, by, 4, func(v, by *infer.Val) {
		if v != by {
			x.absorbed[v] = append(x.absorbed[v], by)
		}
	})
}

// addJoin is about a join that keeps the elements of one of two containers.
func (x *callIndex) addJoin(v *infer.Val) {
	if v.Op != infer.OpPhi || !query.IsContainer(v) {
		return
	}
	for _, in := range v.In {
		if in != nil && in.Ref != v.Ref {
			x.absorb(in, v)
		}
	}
}

// addTaker notes the objects that a value is computed with.
func (x *callIndex) addTaker(v *infer.Val) {
	for i, in := range v.In {
		if in == nil || !infer.IsObject(in.Ref) || slices.ContainsFunc(v.In[:i], func(y *infer.Val) bool { return y != nil && y.Ref == in.Ref }) {
			continue
		}
		x.takes[in.Ref] = append(x.takes[in.Ref], v)
	}
}

// takers returns the values that are computed with one of some objects, once each.
func (x *callIndex) takers(objects map[infer.Ref]bool) []*infer.Val {
	var out []*infer.Val
	for r := range objects {
		out = append(out, x.takes[r]...)
	}
	slices.SortStableFunc(out, func(a, b *infer.Val) int { return a.Seq - b.Seq })
	seen := map[*infer.Val]bool{}
	return slices.DeleteFunc(out, func(v *infer.Val) bool {
		old := seen[v]
		seen[v] = true
		return old
	})
}

// addSite notes the arguments of a call. One that was noted before adds nothing.
func (x *callIndex) addSite(site *infer.Site) {
	for i, a := range site.Args {
		if i < len(site.Callee.Params) {
			pairs(a, site.Callee.Params[i], 4, func(a, param *infer.Val) {
				if use := (argUse{site, param}); !slices.Contains(x.args[a], use) {
					x.args[a] = append(x.args[a], use)
				}
			})
		}
	}
}

// nested is a value with the elements and fields of the containers it is made of, in the order of their
// positions and keys: a walk that ends at what it does not understand depends on where it begins.
func nested(v *infer.Val) (out []*infer.Val) {
	seen := map[*infer.Val]bool{}
	var visit func(v *infer.Val, depth int)
	visit = func(v *infer.Val, depth int) {
		if v == nil || depth == 0 || seen[v] {
			return
		}
		seen[v] = true
		out = append(out, v)
		eachPart(v, func(x *infer.Val) { visit(x, depth-1) })
	}
	visit(v, 5)
	return out
}

func eachPart(v *infer.Val, visit func(*infer.Val)) {
	switch r := v.Ref.(type) {
	case *infer.SeqRef:
		for _, e := range r.Elems {
			visit(e)
		}
		visit(r.Elem)
	case *infer.DictRef:
		for _, k := range slices.Sorted(maps.Keys(r.Fields)) {
			visit(r.Fields[k]) // in order: how deep a part lies may decide whether it is seen
		}
		visit(r.Elem)
	case nil:
		if isEither(v) {
			for _, x := range v.In {
				visit(x)
			}
		}
	}
}

// isEither reports whether v is one of several things of which one is a container.
func isEither(v *infer.Val) bool {
	return v.Op == infer.OpPhi && v.Ref == nil && slices.ContainsFunc(v.In, func(x *infer.Val) bool { return x != nil && query.IsContainer(x) })
}

// pairs walks two values of one structure side by side.
func pairs(a, b *infer.Val, depth int, visit func(a, b *infer.Val)) {
	if a == nil || b == nil || depth == 0 {
		return
	}
	visit(a, b)
	switch x := a.Ref.(type) {
	case *infer.SeqRef:
		y, ok := b.Ref.(*infer.SeqRef)
		if !ok {
			return
		}
		for i := range min(len(x.Elems), len(y.Elems)) {
			pairs(x.Elems[i], y.Elems[i], depth-1, visit)
		}
		pairs(x.Elem, y.Elem, depth-1, visit)
		for _, e := range x.Elems {
			pairs(e, y.Elem, depth-1, visit) // positions were forgotten
		}
	case *infer.DictRef:
		y, ok := b.Ref.(*infer.DictRef)
		if !ok {
			return
		}
		for _, k := range slices.Sorted(maps.Keys(x.Fields)) {
			v := x.Fields[k]
			pairs(v, y.Fields[k], depth-1, visit)
			pairs(v, y.Elem, depth-1, visit)
		}
		pairs(x.Elem, y.Elem, depth-1, visit)
	}
}

// within reports whether f is scope or was evaluated for a call from it.
func (x *callIndex) within(f, scope *infer.Frame) bool {
	for f != nil {
		if f == scope {
			return true
		}
		f = f.Caller
	}
	return false
}

// calledFrom reports whether an evaluation is part of another, by any of the calls that it answers.
func (x *callIndex) calledFrom(f, scope *infer.Frame) bool {
	seen, next := map[*infer.Frame]bool{}, []*infer.Frame{f}
	for len(next) > 0 {
		f, next = next[0], next[1:]
		switch {
		case f == nil || seen[f]:
			continue
		case f == scope:
			return true
		}
		seen[f] = true
		for site := range f.Sites {
			next = append(next, site.Caller)
		}
	}
	return false
}

// closesOver reports whether f is a function defined inside scope.
func (x *callIndex) closesOver(f, scope *infer.Frame) bool {
	for range 64 {
		if f == nil || f.Func == nil {
			return false
		}
		if f = f.Func.Closure; f == scope {
			return f != nil
		}
	}
	return false
}

// usedIn reports whether something of a frame takes v.
func (x *callIndex) usedIn(g *query.Graph, v *infer.Val, f *infer.Frame) bool {
	for _, u := range g.UsesOf(v) {
		if u.Frame == f {
			return true
		}
	}
	return x.resultsOf(f)[v]
}

// pure reports whether what an evaluation runs stores nothing outside of itself.
func (x *callIndex) pure(f *infer.Frame) bool { return isPure(f.Body()) }

// isPure reports whether statements, by their syntax, store nothing outside of
// local names.
func isPure(body []ast.Stmt) bool {
	pure := true
	for _, st := range body {
		ast.Walk(st, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Assign:
				for _, t := range n.Targets {
					pure = pure && isLocal(t)
				}
			case *ast.AugAssign:
				pure = pure && isLocal(n.Target)
			case *ast.Global, *ast.Nonlocal:
				pure = false
			case *ast.Call:
				at, ok := n.Fun.(*ast.Attribute)
				pure = pure && !(ok && (mutators[at.Attr] || strings.HasSuffix(at.Attr, "_") && !strings.HasSuffix(at.Attr, "__")))
			}
			return pure
		})
	}
	return pure
}

// mutators are methods that change what they are called on, beside those of tensors, which end in an underscore.
var mutators = query.Words("append appendleft extend insert add update setdefault push put store load_state_dict step backward zero_grad")

// isLocal reports whether assigning to a target only binds names.
func isLocal(t ast.Expr) bool {
	switch t := t.(type) {
	case *ast.Attribute, *ast.Subscript:
		return false
	case *ast.Tuple:
		for _, e := range t.Elts {
			if !isLocal(e) {
				return false
			}
		}
	}
	return true
}
