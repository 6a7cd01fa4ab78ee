package roles

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// EnvsGiven are the classes of the program that it gives to a library, by a name, an object made there, or a function that makes one: in
// a call of a symbol for which to is true. What only the program itself steps may do as it likes.
func (m *Model) EnvsGiven(to func(symbol string) bool) map[*infer.ClassRef]bool {
	out := map[*infer.ClassRef]bool{}
	for f, call := range query.Everywhere[*ast.Call](m.g) {
		if !to(query.CalledSymbol(f, call)) {
			continue
		}
		ast.Walk(call, func(x ast.Node) bool {
			if e, ok := x.(ast.Expr); ok {
				m.addEnvs(out, infer.RefOf(f.Val(e)))
			}
			return true
		})
	}
	return out
}

// addEnvs adds the class that a library was given, of an object its class, of a function those of the objects that it returns.
func (m *Model) addEnvs(out map[*infer.ClassRef]bool, given infer.Ref) {
	switch r := given.(type) {
	case *infer.ClassRef:
		out[r] = true
	case *infer.Instance:
		out[r.Class] = true
	case *infer.FuncRef:
		for f := range m.g.EachFrame {
			if f.Func == nil || f.Func.Def != r.Def || f.Func.Lambda != r.Lambda {
				continue
			}
			if made, ok := infer.RefOf(f.Result).(*infer.Instance); ok {
				out[made.Class] = true
			}
		}
	}
}
