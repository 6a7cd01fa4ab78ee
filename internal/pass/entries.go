package pass

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// entryOf returns the dict display, or the call of dict, that a key stands in, and what the
// key holds there; nil where the mention is no such key.
func entryOf(m Mention) (dict, value ast.Expr) {
	if len(m.Parents) == 0 {
		return nil, nil
	}
	switch d := m.Parents[0].(type) {
	case *ast.Dict:
		for i, k := range d.Keys {
			if k != nil && ast.Node(k) == m.Node {
				return d, d.Values[i]
			}
		}
	case *ast.Call:
		if name, ok := d.Fun.(*ast.Name); ok && name.Ident == "dict" && m.How == Passed {
			return d, m.Value
		}
	}
	return nil, nil
}

// unreadEntry reports whether m is a key of a dict with a number that is read nowhere: the
// program follows the dict wherever it goes, and takes it by other keys only.
func (r *readers) unreadEntry(m Mention) bool {
	dict, value := entryOf(m)
	if dict == nil || !isSetNumber(value) {
		return false
	}
	for _, x := range r.mentions {
		if SettingName(x.Name) != SettingName(m.Name) || x.Logged {
			continue
		}
		if entry, _ := entryOf(x); entry == nil && (x.How == Attr || x.How == Key) {
			return false
		}
	}
	made := r.valuesOf(m, dict)
	for _, v := range made {
		d, ok := v.Ref.(*infer.DictRef)
		if !ok || d.Open || r.handedOn()[d] {
			return false
		}
	}
	return len(made) > 0 && !r.p.MentionedElsewhere(m.Module, SettingName(m.Name), r.modules)
}

// handedOn are the dicts of which not each place that reads them says by its text which
// key it takes.
func (r *readers) handedOn() map[*infer.DictRef]bool {
	if r.handed != nil {
		return r.handed
	}
	r.handed = map[*infer.DictRef]bool{}
	held := map[infer.Ref]bool{} // what an evaluation has for an argument
	for f := range r.p.EachFrame {
		for _, v := range f.Params {
			if v != nil {
				held[v.Ref] = true
			}
		}
	}
	for f := range r.p.EachFrame {
		for _, n := range f.Nodes() {
			if call, ok := n.(*ast.Call); ok && isLogCall(call) {
				continue
			}
			ast.Children(n, func(c ast.Node) {
				if e, ok := c.(ast.Expr); ok {
					for _, d := range dictsOf(f.Val(e), 4) {
						if !r.byKey(f, n, e) && !(held[d] && r.called(f, n)) {
							r.handed[d] = true
						}
					}
				}
			})
		}
	}
	return r.handed
}

// dictsOf are the dicts that a value may be.
func dictsOf(v *infer.Val, depth int) (out []*infer.DictRef) {
	if v == nil || depth == 0 {
		return nil
	}
	if d, ok := v.Ref.(*infer.DictRef); ok {
		out = append(out, d)
	}
	if v.Op == infer.OpPhi || v.Op == infer.OpNarrow {
		for _, x := range v.In {
			out = append(out, dictsOf(x, depth-1)...)
		}
	}
	return out
}

// byKey reports whether the node above a dict keeps it, or takes a key that stands there.
func (r *readers) byKey(f *infer.Frame, above ast.Node, e ast.Expr) bool {
	switch n := above.(type) {
	case *ast.ExprStmt, *ast.IfExp, *ast.If:
		return true
	case *ast.Assign:
		for _, t := range n.Targets {
			if at, ok := t.(*ast.Attribute); ok {
				if _, own := infer.RefOf(f.Val(at.X)).(*infer.Instance); own {
					continue
				}
			}
			if _, ok := t.(*ast.Name); !ok {
				return ast.Expr(e) == t
			}
		}
		return true
	case *ast.AnnAssign:
		_, ok := n.Target.(*ast.Name)
		return ok
	case *ast.Subscript:
		_, ok := n.Index.(*ast.String)
		return ok && n.X == e
	case *ast.Call: // x.get("key") is seen at x.get
		return n.Fun == e
	case *ast.Compare:
		_, ok := n.X.(*ast.String)
		return ok
	case *ast.Attribute:
		call := r.callOf(f, n)
		if call == nil || call.Fun != ast.Expr(n) || len(call.Args) == 0 {
			return false
		}
		_, ok := call.Args[0].(*ast.String)
		return ok && (n.Attr == "get" || n.Attr == "pop" || n.Attr == "setdefault")
	}
	return false
}

// called reports whether n is the call of a function or class of the program.
func (r *readers) called(f *infer.Frame, n ast.Node) bool {
	call, _ := n.(*ast.Call)
	if k, ok := n.(*ast.Keyword); ok && k.Name != "" {
		call = r.callOf(f, k)
	}
	if call == nil {
		return false
	}
	v := f.Val(call)
	if v == nil || r.p.IsOpaque(v) {
		return false
	}
	switch infer.RefOf(f.Val(call.Fun)).(type) {
	case *infer.FuncRef, *infer.BoundRef, *infer.ClassRef:
		return true
	}
	return false
}

// callOf is the call that a node of a frame stands in directly, or nil.
func (r *readers) callOf(f *infer.Frame, n ast.Node) *ast.Call {
	src := r.p.In(f)
	if src == nil {
		return nil
	}
	call, _ := src.Parent(n).(*ast.Call)
	return call
}
