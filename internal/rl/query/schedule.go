package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # A number that moves a little in each round
//
// Exploration rates, temperatures and exponents of importance weights are variables or fields that a program sets once and
// then moves towards a bound: eps = max(low, eps * 0.99). How they move is arithmetic on constants and settings, and
// where they begin is what else is assigned to them.

// Decay is an assignment that moves a number, as x = x * c or x = x - c.
type Decay struct {
	Frame *infer.Frame
	Node  ast.Stmt
	Path  string // of the variable or field
	// Up says that each round makes the number larger, where it begins at Starts.
	Up     bool
	Starts []float64
}

// Bounded is a Decay within min or max: x = max(Bound, x * c).
type Bounded struct {
	Decay
	Call  *ast.Call
	Least bool // min, of which the smaller counts
	Bound []float64
}

// Decays are the assignments of a frame's body that move a number of which the beginning is known.
func (g *Graph) Decays(f *infer.Frame) (out []Decay) {
	for _, n := range f.Nodes() {
		switch n := n.(type) {
		case *ast.AugAssign:
			if n.Op == ast.Mult || n.Op == ast.Sub || n.Op == ast.Add {
				out = g.decay(out, f, n, n.Target, n.Op, n.Value)
			}
		case *ast.Assign:
			if b, ok := n.Value.(*ast.BinOp); ok && len(n.Targets) == 1 {
				out = g.moved(out, f, n, n.Targets[0], b)
			}
		}
	}
	return out
}

// Bounded are the assignments of a frame's body that move a number up to a bound.
func (g *Graph) Bounded(f *infer.Frame) (out []Bounded) {
	for _, n := range f.Nodes() {
		as, ok := n.(*ast.Assign)
		if !ok || len(as.Targets) != 1 {
			continue
		}
		call, ok := as.Value.(*ast.Call)
		if !ok || len(call.Args) != 2 || len(call.Keywords) > 0 {
			continue
		}
		name := CalledSymbol(f, call)
		if name != "builtins.min" && name != "builtins.max" && name != "numpy.minimum" && name != "numpy.maximum" {
			continue
		}
		for i, e := range call.Args {
			b, ok := e.(*ast.BinOp)
			if !ok {
				continue
			}
			bound, known := g.See(f.Val(call.Args[1-i])).Numbers()
			for _, d := range g.moved(nil, f, as, as.Targets[0], b) {
				if known {
					out = append(out, Bounded{Decay: d, Call: call, Least: name == "builtins.min" || name == "numpy.minimum", Bound: bound})
				}
			}
		}
	}
	return out
}

// moved reads x * c, c * x, x - c and x + c.
func (g *Graph) moved(out []Decay, f *infer.Frame, st ast.Stmt, target ast.Expr, b *ast.BinOp) []Decay {
	switch {
	case Path(target) == "" || b.Op != ast.Mult && b.Op != ast.Sub && b.Op != ast.Add:
	case Path(b.X) == Path(target):
		return g.decay(out, f, st, target, b.Op, b.Y)
	case Path(b.Y) == Path(target) && b.Op != ast.Sub:
		return g.decay(out, f, st, target, b.Op, b.X)
	}
	return out
}

func (g *Graph) decay(out []Decay, f *infer.Frame, st ast.Stmt, target ast.Expr, op ast.Operator, by ast.Expr) []Decay {
	path := Path(target)
	if path == "" {
		return out
	}
	steps, ok := g.See(f.Val(by)).Numbers()
	if !ok {
		return out
	}
	starts := g.startsOf(f, target)
	if len(starts) == 0 {
		return out
	}
	up, ok := rises(op, steps, starts)
	if !ok {
		return out
	}
	return append(out, Decay{Frame: f, Node: st, Path: path, Up: up, Starts: starts})
}

// rises reports whether a number grows by an operation with any of some numbers; ok is false where they do not agree.
func rises(op ast.Operator, steps, starts []float64) (up, ok bool) {
	for i, s := range steps {
		var now bool
		switch {
		case op == ast.Mult && (s <= 0 || s == 1), op != ast.Mult && s == 0:
			return false, false
		case op == ast.Mult:
			now = s > 1
		case op == ast.Add:
			now = s > 0
		default:
			now = s < 0
		}
		if i > 0 && now != up {
			return false, false
		}
		up = now
	}
	for _, x := range starts {
		if x <= 0 {
			return false, false
		}
	}
	return up, len(steps) > 0
}

// startsOf are the numbers that a variable or field is set to where it is not moved; none where one of them is not known. A
// field is found by its name in all classes of the program.
func (g *Graph) startsOf(f *infer.Frame, target ast.Expr) (out []float64) {
	for _, set := range g.settersOf(f, target) {
		for _, t := range set.st.Targets {
			value := valueFor(t, set.st.Value, target)
			if value == nil || readsField(set.st.Value, target) {
				continue
			}
			list, known := g.See(set.frame.Val(value)).Numbers()
			if !known {
				return nil
			}
			out = append(out, list...)
		}
	}
	return out
}

// setter is an assignment in an evaluation of the body that it stands in.
type setter struct {
	frame *infer.Frame
	st    *ast.Assign
}

// settersOf are the assignments by which a variable or field may be set.
func (g *Graph) settersOf(f *infer.Frame, target ast.Expr) []setter {
	switch target := target.(type) {
	case *ast.Name:
		for _, n := range f.Nodes() {
			if st, ok := n.(*ast.Global); ok && slices.Contains(st.Names, target.Ident) && f.Module.Frame != nil {
				return g.settersIn(f.Module.Frame)
			}
		}
		return g.settersIn(f)
	case *ast.Attribute:
		return g.fieldSetters()[target.Attr]
	}
	return nil
}

func (g *Graph) settersIn(f *infer.Frame) (out []setter) {
	for as := range In[*ast.Assign](f) {
		out = append(out, setter{f, as})
	}
	return out
}

// fieldSetters are the assignments of the whole program to fields, by the name of the field: programs count in many fields.
func (g *Graph) fieldSetters() map[string][]setter {
	g.fields.once.Do(func() {
		g.fields.byName = map[string][]setter{}
		for f, as := range Everywhere[*ast.Assign](g) {
			named := map[string]bool{}
			for _, t := range as.Targets {
				leaves(t, func(x ast.Expr) {
					if at, ok := x.(*ast.Attribute); ok && !named[at.Attr] {
						named[at.Attr] = true
						g.fields.byName[at.Attr] = append(g.fields.byName[at.Attr], setter{f, as})
					}
				})
			}
		}
	})
	return g.fields.byName
}

// valueFor is what an assignment gives a place that is called as another: the same variable, or the same field of any object.
func valueFor(t, value, like ast.Expr) ast.Expr {
	if tuple, ok := t.(*ast.Tuple); ok {
		values, ok := value.(*ast.Tuple)
		if !ok || len(values.Elts) != len(tuple.Elts) {
			return nil
		}
		for i, e := range tuple.Elts {
			if sameField(e, like) {
				return values.Elts[i]
			}
		}
		return nil
	}
	if sameField(t, like) {
		return value
	}
	return nil
}

func sameField(a, b ast.Expr) bool {
	switch a := a.(type) {
	case *ast.Name:
		b, ok := b.(*ast.Name)
		return ok && a.Ident == b.Ident
	case *ast.Attribute:
		b, ok := b.(*ast.Attribute)
		return ok && a.Attr == b.Attr
	}
	return false
}

// readsField reports whether an expression reads a place.
func readsField(e, place ast.Expr) bool {
	found := false
	ast.Walk(e, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		found = found || ok && sameField(x, place)
		return !found
	})
	return found
}
