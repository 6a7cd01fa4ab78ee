package infer

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// # Fields that subclasses fill
//
// The constructor of a base class says self.actor = self.optimizer = None, and each subclass puts its own there. The
// methods of the base use what they find. Of an object that may be of any subclass such a field holds something of which
// only the name is known: None would be certain, and wrong. A class that fills the field itself, in any of its
// methods, says when it is None.

// fieldOfObject is a field of an object, by which it is known again.
type fieldOfObject struct {
	obj  *Instance
	name string
}

// unfilled is what a field holds that r's class leaves to its subclasses; nil where it is no such field.
func (in *interp) unfilled(x *Val, r *Instance, name string) *Val {
	if r != r.Class.generic && r.behind == nil || in.fills(r.Class, name, maxFieldCopies) {
		return nil
	}
	key := fieldOfObject{r, name}
	v := in.unfilledIn[key]
	if v == nil {
		v = in.newVal(Val{Q: domain.Unknown, Op: OpAttr + "." + name, In: []*Val{x}})
		if q := in.named(name); q != nil {
			v.Q = *q
		}
		if v.Is(domain.Optimizer) { // told apart from the others, also as an argument
			v.Ref = &LibObject{owner: in}
		}
		if in.unfilledIn == nil {
			in.unfilledIn = map[fieldOfObject]*Val{}
		}
		in.unfilledIn[key] = v
	}
	return v
}

// saysNothing reports whether a field holds None, or as well what was loaded into it and is not known.
func saysNothing(v *Val) bool {
	switch {
	case v == nil:
		return false
	case v.Op != OpPhi:
		return v.IsNone()
	}
	none := false
	for x := range alternatives(v) {
		if !x.IsNone() && (x.Ref != nil || x.Const != nil || x.Op == OpPhi || x.Q.Kind != domain.UnknownKind) {
			return false
		}
		none = none || x.IsNone()
	}
	return none
}

// maxFieldCopies bounds the fields of which each is set to the next.
const maxFieldCopies = 4

// fills reports whether a class or one of its ancestors puts anything but None into a field.
func (in *interp) fills(c *ClassRef, name string, depth int) bool {
	if depth == 0 || c.Record {
		return true
	}
	for _, a := range c.mro() {
		for _, from := range in.fillingsOf(a)[name] {
			if from == "" || in.fills(c, from, depth-1) {
				return true
			}
		}
	}
	return false
}

// fillingsOf are the fields into which the code of a class puts anything but None, with the field that each is taken from, as in
// self.target = self.online, and "" for all else.
func (in *interp) fillingsOf(c *ClassRef) map[string][]string {
	if known, ok := in.fillings[c]; ok {
		return known
	}
	out := map[string][]string{}
	note := func(target ast.Node, from string) {
		ast.Walk(target, func(n ast.Node) bool {
			if t, ok := n.(*ast.Attribute); ok {
				out[t.Attr] = append(out[t.Attr], from)
			}
			return true
		})
	}
	assigned := func(target, value ast.Expr) {
		switch v := value.(type) {
		case *ast.Constant:
			if v.Kind == ast.None {
				return
			}
		case *ast.Attribute:
			if self, ok := v.X.(*ast.Name); ok && self.Ident == "self" {
				note(target, v.Attr)
				return
			}
		}
		note(target, "")
	}
	ast.InspectStmts(c.Def.Body, func(st ast.Stmt) bool {
		switch st := st.(type) {
		case *ast.Assign:
			for _, t := range st.Targets {
				assigned(t, st.Value)
			}
		case *ast.AnnAssign:
			if st.Value != nil {
				assigned(st.Target, st.Value)
			}
		case *ast.AugAssign:
			note(st.Target, "")
		case *ast.For:
			note(st.Target, "")
		case *ast.With:
			for _, item := range st.Items {
				if item.Target != nil {
					note(item.Target, "")
				}
			}
		}
		return true
	})
	if in.fillings == nil {
		in.fillings = map[*ClassRef]map[string][]string{}
	}
	in.fillings[c] = out
	return out
}
