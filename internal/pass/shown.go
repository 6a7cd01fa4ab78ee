package pass

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// maxShown bounds what is made of a value that people look at.
const maxShown = 32

// OnlyShown reports whether all that is made of v goes where people read it, as into a plot.
func (p *Pass) OnlyShown(v *infer.Val) bool {
	if v.Frame == nil {
		return false
	}
	ends, seen := 0, map[*infer.Val]bool{v: true}
	for queue := []*infer.Val{v}; len(queue) > 0; queue = queue[1:] {
		if len(seen) > maxShown || queue[0].Frame != v.Frame || queue[0] == v.Frame.Result || queue[0].Op == infer.OpCall {
			return false
		}
		for _, u := range p.UsesOf(queue[0]) {
			switch {
			case u.Op == infer.OpDelegate, u.IsOp("backward"): // it trains, though its loss is shown too
				return false
			case p.IsOpaque(u) && (query.Loggers[query.CalleeName(u.Node)] || query.LoggerObject(u.Node)):
				ends++
			case p.IsOpaque(u) && !query.Computes[query.CalleeName(u.Node)]:
				return false
			case !seen[u]:
				seen[u] = true
				queue = append(queue, u)
			}
		}
	}
	return ends > 0 && !captured(v)
}

// captured reports whether a function within that of v reads a variable that v is assigned to:
// who calls it, and when, is not seen.
func captured(v *infer.Val) bool {
	names, found := map[string]bool{}, false
	ast.WalkModule(v.Frame.Module.AST, func(n ast.Node) bool {
		if a, ok := n.(*ast.Assign); ok && a.Value == v.Node {
			for _, t := range a.Targets {
				if name, ok := t.(*ast.Name); ok {
					names[name.Ident] = true
				}
			}
		}
		return true
	})
	for _, n := range v.Frame.Nodes() {
		switch n.(type) {
		case *ast.FunctionDef, *ast.Lambda:
			ast.Walk(n, func(n ast.Node) bool {
				name, ok := n.(*ast.Name)
				found = found || ok && names[name.Ident]
				return !found
			})
		}
	}
	return found
}
