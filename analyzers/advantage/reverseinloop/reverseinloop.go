// Package reverseinloop is rule ADV030, reverse-in-loop; rule.md says what it finds.
package reverseinloop

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports lists of returns that are reversed at every step at which one is appended.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	told := map[ast.Node]bool{}
	for _, r := range p.Recurrences() {
		loops := query.Around(query.PlaceOf(r.Sum))
		if len(loops) == 0 {
			continue
		}
		l := loops[len(loops)-1]
		appended := callsOn(l, "append")
		for list, call := range callsOn(l, "reverse") {
			if appended[list] == nil || told[call] {
				continue
			}
			told[call] = true
			p.Report(pass.Finding{At: call, Frame: l.Frame, Evidence: domain.Derived, Related: p.There(query.Place{Frame: l.Frame, Node: appended[list]}, "the same loop appends here")})
		}
	}
}

// callsOn are the calls of a method that stand as statements of their own in a loop's body, by what they are called
// on, as it is written: a variable or a field.
func callsOn(l query.Loop, method string) map[string]*ast.Call {
	out := map[string]*ast.Call{}
	var body []ast.Stmt
	switch st := l.Stmt.(type) {
	case *ast.For:
		body = st.Body
	case *ast.While:
		body = st.Body
	}
	for _, st := range body {
		e, ok := st.(*ast.ExprStmt)
		if !ok {
			continue
		}
		call, ok := e.X.(*ast.Call)
		if !ok {
			continue
		}
		if f, ok := call.Fun.(*ast.Attribute); ok && f.Attr == method && l.Frame.Module.AST != nil {
			out[l.Frame.Module.AST.Source(f.X)] = call
		}
	}
	return out
}
