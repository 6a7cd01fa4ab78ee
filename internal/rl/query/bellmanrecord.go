package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # Batches that are read field by field
//
// A batch that is one object has no variable for the flag of the episode's end: a target that forgets it reads the other
// fields. That there is a flag the batch's class says, or the memory that it was sampled from: something that ends
// an episode was put into it. Python goes by the names of fields here.

// maxRecordBody bounds the statements among which it is sought where a reward was taken out of its batch.
const maxRecordBody = 200

// UnreadFlag is what shows that the batch of a target's reward has the flag of the episode's end, which nothing reads: a field of its
// class, or what was put into the memory that it was sampled from. There is none where the batch goes to code that is not known.
func (g *Graph) UnreadFlag(b Bellman) Place {
	f := b.At.Frame
	if f == nil || b.At.Node == nil {
		return Place{}
	}
	at := recordIn(b.At.Node)
	if at == nil && len(f.Body()) < maxRecordBody { // the reward was taken out of it before
		OwnStmts(f, func(st ast.Stmt) {
			if as, ok := st.(*ast.Assign); ok && at == nil && slices.ContainsFunc(as.Targets, func(t ast.Expr) bool {
				n, ok := t.(*ast.Name)
				return ok && mentions(b.At.Node, n.Ident)
			}) {
				at = recordIn(as.Value)
			}
		})
	}
	if at == nil {
		return Place{}
	}
	batch := infer.Strip(f.Val(at))
	switch {
	case batch == nil || batch.Frame == nil || g.readsFlag(batch):
		return Place{}
	case holdsFlag(batch):
		return Place{f, at}
	}
	return g.putFlag(batch)
}

// recordIn is the object of which an expression reads the reward as a field or entry.
func recordIn(n ast.Node) (of ast.Expr) {
	ast.Walk(n, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Attribute:
			if nameIs(x.Attr, domain.Reward) {
				of = x.X
			}
		case *ast.Subscript:
			if nameIs(keyIn(x), domain.Reward) {
				of = x.X
			}
		}
		return of == nil
	})
	return of
}

// holdsFlag reports whether a record of a known class has a field for the end of an episode.
func holdsFlag(batch *infer.Val) bool {
	switch r := batch.Ref.(type) {
	case *infer.Instance:
		for name := range r.Attrs {
			if nameIs(name, ends) {
				return true
			}
		}
	case *infer.DictRef:
		for name := range r.Fields {
			if nameIs(name, ends) {
				return true
			}
		}
	}
	return false
}

// readsFlag reports whether the program may read a flag of a batch: a field is named like one or computed, or the batch goes
// elsewhere as a whole.
func (g *Graph) readsFlag(batch *infer.Val) bool {
	found := false
	g.EachFrame(func(f *infer.Frame) bool {
		var fields map[ast.Node]bool
		for _, n := range f.Nodes() {
			var of ast.Expr
			name := ""
			switch n := n.(type) {
			case *ast.Attribute:
				of, name = n.X, n.Attr
			case *ast.Subscript:
				of, name = n.X, keyIn(n)
			default:
				continue
			}
			if infer.Strip(f.Val(of)) == batch {
				if fields == nil {
					fields = map[ast.Node]bool{}
				}
				fields[of] = true
				found = found || name == "" || nameIs(name, ends|domain.Mask) || discountWords[name]
			}
		}
		for _, n := range f.Nodes() {
			x, ok := n.(*ast.Name)
			if ok && !found && !fields[n] && infer.Strip(f.Val(x)) == batch {
				found = !g.onlyBound(f, x)
			}
		}
		return !found
	})
	return found
}

// onlyBound reports whether a variable stands where it is set, where another variable takes its value, or where a function that was
// followed is given it.
func (g *Graph) onlyBound(f *infer.Frame, x *ast.Name) bool {
	bound := false
	for _, n := range f.Nodes() {
		switch n := n.(type) {
		case *ast.Assign:
			bound = bound || slices.Contains(n.Targets, ast.Expr(x)) || n.Value == x && !slices.ContainsFunc(n.Targets, isNoName)
		case *ast.Call:
			if v := f.Val(n); slices.Contains(n.Args, ast.Expr(x)) && v != nil {
				bound = bound || v.Op == infer.OpCall && !v.Unfollowed()
			}
		}
	}
	return bound
}

func isNoName(target ast.Expr) bool {
	_, isName := target.(*ast.Name)
	return !isName
}

// putFlag is the flag that a call puts into the memory that a batch was sampled from, with the reward or three other things.
func (g *Graph) putFlag(batch *infer.Val) Place {
	memory := Receiver(batch.Frame, batch.Node)
	if memory == nil {
		return Place{}
	}
	var out Place
	g.EachFrame(func(f *infer.Frame) bool {
		for call := range In[*ast.Call](f) {
			if len(call.Args)+len(call.Keywords) < 4 || !infer.SameSource(Receiver(f, call), memory) {
				continue
			}
			for _, a := range call.Args {
				if v := f.Val(a); v != nil && v.Is(ends) {
					out = Place{f, a}
				}
			}
			for _, k := range call.Keywords {
				if v := f.Val(k.Value); v != nil && v.Is(ends) {
					out = Place{f, k.Value}
				}
			}
		}
		return !out.Known()
	})
	return out
}
