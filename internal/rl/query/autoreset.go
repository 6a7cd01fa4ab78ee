package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Environments that reset themselves
//
// A class that steps many environments often resets those that are over within its step. What the step returns as the observation is then
// the first one of the next episode, and the last one of the old episode is handed out beside it,
//
//	final = self._obs();  self._spawn(over);  return self._obs(), reward, terminated, truncated, {"final": final}
//
// Both are made of one state, before and after some of it is written anew: that tells the last observation, whatever it is called.

// Final is a place at which a step hands out the observations that it had before it reset what is over.
type Final struct {
	Value ast.Expr // what is handed out
	By    ast.Node // the key or field under which it is, or itself
	Key   string   // the key of a dict
	Attr  string   // or the field
	At    int      // or the place among what is returned
}

// resetter reads the step of one class.
type resetter struct {
	class, step []ast.Stmt
	anew        map[string]bool // what reset calls, as it is written
}

// write is a part of the state that a step writes, and whether that begins an episode.
type write struct {
	path  string
	at    uint32
	reset bool
}

// look is what an expression shows: how it is written where it is made, the parts of the state that it is made of as of that position, and
// the variables that hold it since.
type look struct {
	form  string
	made  map[string]bool
	at    uint32
	taken uint32 // where the expression itself stands
	since map[string]uint32
}

// FinalsOf are the last observations that the step of a class hands out beside the first ones; none where the step is not seen to
// reset, or its flags do not tell ends from cuts.
func FinalsOf(class []ast.Stmt) (out []Final) {
	step, reset := methodOf(class, "step"), methodOf(class, "reset")
	if step == nil || reset == nil {
		return nil
	}
	r := resetter{class, step.Body, map[string]bool{}}
	for _, call := range callsIn(reset.Body) {
		if path := Path(call.Fun); strings.HasPrefix(path, "self.") {
			r.anew[path] = true
		}
	}
	returned := r.returned()
	if returned == nil || len(returned.Elts) != 5 || r.mixesFlags(returned) {
		return nil
	}
	writes := r.writes()
	first := r.look(returned.Elts[0], returned.Loc.Start, maxFlag)
	consider := func(f Final, value ast.Expr) {
		if last := r.look(value, value.Span().Start, maxFlag); len(last.made) > 0 && last.form == first.form && resetBetween(writes, last, first) {
			f.Value = value
			out = append(out, f)
		}
	}
	for i, e := range returned.Elts[1:] {
		consider(Final{By: e, At: i + 1}, e)
	}
	ast.WalkStmts(step.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Dict:
			for i, k := range n.Keys {
				if key, ok := k.(*ast.String); ok {
					consider(Final{By: key, Key: key.Value}, n.Values[i])
				}
			}
		case *ast.Assign:
			switch t := n.Targets[0].(type) {
			case *ast.Subscript:
				if key, ok := t.Index.(*ast.String); ok {
					consider(Final{By: key, Key: key.Value}, n.Value)
				}
			case *ast.Attribute:
				if !first.made[Path(t)] && strings.HasPrefix(Path(t), "self.") {
					consider(Final{By: t, Attr: t.Attr}, n.Value)
				}
			}
		}
		return true
	})
	return out
}

// returned is the tuple that the step returns, nil where it returns in several places, or no tuple.
func (r resetter) returned() (out *ast.Tuple) {
	n := 0
	ast.WalkStmts(r.step, func(x ast.Node) bool {
		if ret, ok := x.(*ast.Return); ok {
			n++
			out, _ = ret.X.(*ast.Tuple)
		}
		return !infer.IsBody(x)
	})
	if n != 1 {
		return nil
	}
	return out
}

// mixesFlags reports whether the flag of the end counts cuts as well, made of the other flag or of what the step counts up; or the flag of
// the cut is not seen to be one: it is made of what the step counts up, or is that of an inner environment.
func (r resetter) mixesFlags(returned *ast.Tuple) bool {
	end, cut := map[string]bool{}, map[string]bool{}
	r.parts(returned.Elts[2], returned.Loc.Start, end, maxFlag)
	r.parts(returned.Elts[3], returned.Loc.Start, cut, maxFlag)
	mixed, counted := end[Path(returned.Elts[3])] || end["step 3"], cut["step 3"]
	Targets(r.step, func(t ast.Expr, by ast.Stmt) {
		if up, ok := by.(*ast.AugAssign); ok && up.Op == ast.Add && isOneText(up.Value) {
			mixed, counted = mixed || end[pathWithin(t)], counted || cut[pathWithin(t)]
		}
	})
	return mixed || !counted
}

// parts are the variables and fields that an expression is made of, through the assignments of the step.
func (r resetter) parts(e ast.Expr, at uint32, into map[string]bool, depth int) {
	ast.Walk(e, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		path := ""
		if ok {
			path = Path(x)
		}
		if path == "" || into[path] {
			return path == ""
		}
		into[path] = true
		if i := r.answered(path); i >= 0 {
			into[fmt.Sprint("step ", i)] = true
		} else if value, from := r.bound(path, at); value != nil && depth > 0 {
			r.parts(value, from, into, depth-1)
		}
		if value, from := r.gathered(path); value != nil && depth > 0 {
			r.parts(value, from, into, depth-1)
		}
		return true
	})
}

// answered is the place of a variable among what the step of an inner environment returns, or -1.
func (r resetter) answered(path string) int {
	i := -1
	Targets(r.step, func(t ast.Expr, by ast.Stmt) {
		as, ok := by.(*ast.Assign)
		if !ok || Path(t) != path || CalleeName(as.Value) != "step" {
			return
		}
		if into, ok := as.Targets[0].(*ast.Tuple); ok {
			i = slices.Index(into.Elts, t)
		}
	})
	return i
}

// bound is what the step assigned to a variable or field last before a position.
func (r resetter) bound(path string, before uint32) (value ast.Expr, at uint32) {
	Targets(r.step, func(t ast.Expr, by ast.Stmt) {
		if Path(t) == path && by.Span().Start < before && !by.Span().Covers(ast.Span{Start: before, End: before}) {
			value, at = AssignedTo(t, by), by.Span().Start
		}
	})
	return value, at
}

// sameArray are functions and methods that yield the array that they are given, in another type or a copy.
var sameArray = Words(`copy clone astype float double to cpu numpy asarray ascontiguousarray array as_tensor tensor from_numpy stack deepcopy detach`)

// look reads an expression at a position.
func (r resetter) look(e ast.Expr, at uint32, depth int) look {
	out := look{made: map[string]bool{}, at: at, taken: at, since: map[string]uint32{}}
	for ; depth > 0; depth-- {
		if call, ok := e.(*ast.Call); ok && sameArray[CalleeName(call)] {
			if fun, isAttr := call.Fun.(*ast.Attribute); isAttr && !isLibraryName(fun.X) {
				e = fun.X
				continue
			}
			if len(call.Args) > 0 {
				if _, listed := call.Args[0].(*ast.List); !listed {
					e = call.Args[0]
					continue
				}
			}
		}
		if row, ok := e.(*ast.Subscript); ok && Path(row.Index) != "" { // of some environments
			e = row.X
			continue
		}
		name, ok := e.(*ast.Name)
		if !ok {
			break
		}
		if x, from := r.gathered(name.Ident); x != nil {
			e, out.at = x, from
			continue
		}
		out.since[name.Ident] = out.at
		value, from := r.bound(name.Ident, out.at)
		if value == nil {
			out.form, out.made[name.Ident] = name.Ident, true
			return out
		}
		out.since[name.Ident] = from
		e, out.at = value, from
	}
	out.form = formOf(e)
	r.state(e, out.made, 2)
	return out
}

// isLibraryName reports whether an expression is the name of a library of arrays.
func isLibraryName(e ast.Expr) bool {
	name, ok := e.(*ast.Name)
	return ok && (name.Ident == "np" || name.Ident == "numpy" || name.Ident == "torch" || name.Ident == "copy")
}

// gathered is what a step appends to a list of its own.
func (r resetter) gathered(list string) (x ast.Expr, at uint32) {
	for _, call := range callsIn(r.step) {
		if Path(call.Fun) == list+".append" && len(call.Args) == 1 {
			x, at = call.Args[0], call.Loc.Start
		}
	}
	return x, at
}

// state adds the fields that an expression reads, those of methods of the class that it calls included.
func (r resetter) state(e ast.Node, into map[string]bool, depth int) {
	ast.Walk(e, func(n ast.Node) bool {
		at, ok := n.(*ast.Attribute)
		if !ok || !strings.HasPrefix(Path(at), "self.") {
			return true
		}
		def := methodOf(r.class, at.Attr)
		switch {
		case def == nil:
			into[Path(at)] = true
		case depth > 0:
			for _, st := range def.Body {
				r.state(st, into, depth-1)
			}
		}
		return false
	})
}

// writes are all parts of the state that the step writes, also by the methods that it calls.
func (r resetter) writes() (out []write) {
	Targets(r.step, func(t ast.Expr, by ast.Stmt) {
		if path := pathWithin(t); path != "" {
			as, ok := by.(*ast.Assign)
			out = append(out, write{path, by.Span().Start, ok && r.begins(as.Value) && (r.someRows(t, as) || r.branches(by))})
		}
	})
	for _, call := range callsIn(r.step) {
		path := Path(call.Fun)
		def := methodOf(r.class, strings.TrimPrefix(path, "self."))
		if def == nil || !strings.HasPrefix(path, "self.") {
			continue
		}
		reset := r.isReset(call) && (len(call.Args) > 0 || r.branches(call))
		for _, st := range append(slices.Clone(def.Body), r.calledBy(def)...) {
			Targets([]ast.Stmt{st}, func(t ast.Expr, _ ast.Stmt) {
				if p := pathWithin(t); strings.HasPrefix(p, "self.") {
					out = append(out, write{p, call.Loc.Start, reset})
				}
			})
		}
	}
	return out
}

// calledBy are the bodies of the methods that a method calls.
func (r resetter) calledBy(def *ast.FunctionDef) (out []ast.Stmt) {
	for _, call := range callsIn(def.Body) {
		if at, ok := call.Fun.(*ast.Attribute); ok && Path(at.X) == "self" {
			if m := methodOf(r.class, at.Attr); m != nil && m != def {
				out = append(out, m.Body...)
			}
		}
	}
	return out
}

// isReset reports whether a call is what reset makes a first state with, or a reset itself.
func (r resetter) isReset(call *ast.Call) bool {
	return r.anew[Path(call.Fun)] || CalleeName(call) == "reset"
}

// begins reports whether a value is made by what makes a first state.
func (r resetter) begins(value ast.Expr) bool {
	found := false
	ast.Walk(value, func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		found = found || ok && r.isReset(call)
		return !found
	})
	return found
}

// someRows reports whether an assignment writes some rows of its target only: those of an index, or that where() picks.
func (r resetter) someRows(t ast.Expr, as *ast.Assign) bool {
	if at, ok := t.(*ast.Subscript); ok {
		_, all := at.Index.(*ast.Slice)
		return !all
	}
	return CalleeName(as.Value) == "where"
}

// branches reports whether a node of the step stands in a branch.
func (r resetter) branches(n ast.Node) bool {
	found := false
	ast.WalkStmts(r.step, func(x ast.Node) bool {
		branch, ok := x.(*ast.If)
		found = found || ok && branch.Span().Covers(n.Span())
		return !found
	})
	return found
}

// resetBetween reports whether what two looks show is reset after the one and before the other, and nothing else becomes of it in between.
func resetBetween(writes []write, last, first look) bool {
	found := false
	for _, w := range writes {
		bound, kept := first.since[w.path]
		behind := first.made[w.path] && last.at < w.at && w.at < first.at || kept && bound < w.at && last.taken < w.at
		switch {
		case behind && w.reset:
			found = true
		case last.made[w.path] && last.at < w.at && w.at < first.at && !w.reset:
			return false
		}
	}
	return found
}

// formOf spells an expression without its spaces and parentheses.
func formOf(e ast.Expr) string {
	var b strings.Builder
	ast.Walk(e, func(n ast.Node) bool {
		fmt.Fprintf(&b, "%T", n)
		switch n := n.(type) {
		case *ast.Name:
			b.WriteString(n.Ident)
		case *ast.Attribute:
			b.WriteString(n.Attr)
		case *ast.Number:
			b.WriteString(n.Text)
		case *ast.BinOp:
			fmt.Fprint(&b, n.Op)
		case *ast.Keyword:
			b.WriteString(n.Name)
		}
		b.WriteByte(' ')
		return true
	})
	return b.String()
}

// callsIn are the calls in a body, in source order.
func callsIn(body []ast.Stmt) (out []*ast.Call) {
	ast.WalkStmts(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.Call); ok {
			out = append(out, call)
		}
		return true
	})
	return out
}
