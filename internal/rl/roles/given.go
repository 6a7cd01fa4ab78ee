package roles

import (
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// EnvsGiven are the classes of the program that it gives to a library, by a name, an object made there, or a function that makes one: in
// a call of a symbol for which to is true. What only the program itself steps may do as it likes, so may what one of its environments wraps, what a
// class of a library turns into another interface, and what goes through calls that nobody sees.
func (m *Model) EnvsGiven(to func(symbol string) bool) map[*infer.ClassRef]bool {
	out := map[*infer.ClassRef]bool{}
	for f, call := range query.Everywhere[*ast.Call](m.g) {
		if !to(query.CalledSymbol(f, call)) {
			continue
		}
		ast.Walk(call, func(x ast.Node) bool {
			e, ok := x.(ast.Expr)
			if !ok {
				return true
			}
			given := infer.RefOf(f.Val(e))
			m.addEnvs(out, given)
			inner, ok := e.(*ast.Call)
			if !ok {
				return true
			}
			if made, own := given.(*infer.Instance); own && made.Class != nil {
				return made.Class.Lookup("step") == nil && made.Class.Lookup("reset") == nil
			}
			symbol := query.CalledSymbol(f, inner)
			return (to(symbol) || strings.HasPrefix(symbol, "gymnasium.")) && !converts(symbol)
		})
	}
	return out
}

// converts reports whether a symbol is a class that turns an environment of another interface into one of gymnasium.
func converts(symbol string) bool {
	return strings.Contains(infer.BaseOp(symbol), "Compatibility") // EnvCompatibility, StepAPICompatibility, shimmy.GymV21CompatibilityV0
}

// BySetting reports whether a branch around a statement of a method asks for a setting of its object: an attribute that __init__ alone sets.
func (m *Model) BySetting(at query.Place) bool {
	if at.Frame.Func == nil || at.Frame.Func.Class == nil {
		return false
	}
	for _, b := range query.Branches(at) {
		cond := b.If.Cond
		if not, ok := cond.(*ast.UnaryOp); ok {
			cond = not.X
		}
		attr, ok := cond.(*ast.Attribute)
		if !ok || query.Path(attr) == "" {
			continue
		}
		moves := false
		for f := range m.g.EachFrame {
			if f.Func == nil || f.Func.Class != at.Frame.Func.Class || f.Func.Name() == "__init__" {
				continue
			}
			query.Targets(f.Body(), func(t ast.Expr, _ ast.Stmt) {
				set, ok := t.(*ast.Attribute)
				moves = moves || ok && set.Attr == attr.Attr
			})
		}
		if !moves {
			return true
		}
	}
	return false
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
