package roles

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # State dicts that go nowhere
//
// A state dict is a dict of its own, whose tensors are those of the network. To assign to one of its keys replaces what stands there, and
// leaves the network as it is until somebody loads the dict.

// staysInDict reports whether the state dict that s is has one name, under which its entries are only read, in sums and products, or replaced:
// nobody loads it, keeps it, or writes into its tensors.
func staysInDict(s query.Seen) bool {
	if !s.IsOp("state_dict") || s.Frame == nil {
		return false
	}
	name := boundName(s.Frame, s.Node)
	return name != "" && len(query.Mentions(s.Frame, name)) == harmless(s.Frame, name)
}

// boundName is the variable to which alone an expression is assigned; "" for none.
func boundName(f *infer.Frame, value ast.Node) string {
	for _, n := range f.Nodes() {
		as, ok := n.(*ast.Assign)
		if !ok || ast.Node(as.Value) != value || len(as.Targets) != 1 {
			continue
		}
		if name, ok := as.Targets[0].(*ast.Name); ok {
			return name.Ident
		}
	}
	return ""
}

// harmless counts where a dict's variable stands as what loops go over, or for an entry that is replaced, or that is an operand: x = d[k] * 2 makes
// a new tensor, where d[k] *= 2 and d[k].mul_(2) write into the network's.
func harmless(f *infer.Frame, name string) (n int) {
	count := func(e ast.Expr) {
		if sub, ok := e.(*ast.Subscript); ok {
			e = sub.X
		}
		if x, ok := e.(*ast.Name); ok && x.Ident == name {
			n++
		}
	}
	for _, st := range f.Body() {
		ast.Walk(st, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.Assign:
				for _, t := range node.Targets {
					count(t) // the one name that binds it, too
				}
			case *ast.BinOp:
				count(node.X)
				count(node.Y)
			case *ast.For:
				count(keysOf(node.Iter))
			}
			return true
		})
	}
	return n
}

// keysOf is d of d.keys(), else the expression itself.
func keysOf(e ast.Expr) ast.Expr {
	call, ok := e.(*ast.Call)
	if !ok || len(call.Args) > 0 {
		return e
	}
	if at, ok := call.Fun.(*ast.Attribute); ok && at.Attr == "keys" {
		return at.X
	}
	return e
}
