package roles

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// EnvsGiven are the classes of the program that it gives to a library, by a name or an object made there: in a call of
// a symbol for which to is true. What only the program itself steps may do as it likes.
func (m *Model) EnvsGiven(to func(symbol string) bool) map[*infer.ClassRef]bool {
	out := map[*infer.ClassRef]bool{}
	for f := range m.g.EachFrame {
		for call := range m.g.CallsIn(f) {
			if !to(query.CalledSymbol(f, call)) {
				continue
			}
			ast.Walk(call, func(x ast.Node) bool {
				if e, ok := x.(ast.Expr); ok {
					switch r := infer.RefOf(f.Val(e)).(type) {
					case *infer.ClassRef:
						out[r] = true
					case *infer.Instance:
						out[r.Class] = true
					}
				}
				return true
			})
		}
	}
	return out
}
