// Package methodnotcalled is rule LOOP026, method-not-called; rule.md says what it finds.
package methodnotcalled

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports methods that a statement names and does not call.
var Analyzer = pass.Rule(Doc, run)

// The methods that do something, by what has them.
var (
	ofOptimizers = query.Words("step zero_grad")
	ofModules    = query.Words("train eval zero_grad")
	ofTensors    = query.Words("backward")
	ofEnvs       = query.Words("reset close")
	ofSchedules  = query.Words("step")
)

func run(p *pass.Pass) {
	for f, st := range query.Everywhere[*ast.ExprStmt](p.Graph) {
		if at, ok := st.X.(*ast.Attribute); ok && isMethod(p, f.Val(at.X), at.Attr) && p.Trains(f) && !isAsked(f, at) {
			p.Report(pass.Finding{
				At: at, Frame: f, Evidence: domain.Derived,
				Message: "`" + at.Attr + "` is named, but not called: parentheses are missing",
				Help:    "write `" + p.In(f).Text(at) + "()`",
			})
		}
	}
}

// isMethod reports whether an object surely has a method of that name, which works only when it is called.
func isMethod(p *pass.Pass, on *infer.Val, name string) bool {
	switch {
	case on == nil:
		return false
	case on.Is(domain.Optimizer):
		return ofOptimizers[name]
	case on.Is(domain.Module):
		return ofModules[name]
	case on.Is(domain.Env):
		return ofEnvs[name]
	case p.Roles.IsSchedule(on):
		return ofSchedules[name]
	}
	return ofTensors[name] && query.IsArray(on)
}

// isAsked reports whether the statement is there to find out whether the object has the method: it stands where its absence is caught.
func isAsked(f *infer.Frame, at *ast.Attribute) bool {
	for try := range query.Tries(f, at) {
		for _, h := range try.Handlers {
			if h.Type == nil {
				return true
			}
			caught := false
			ast.Walk(h.Type, func(n ast.Node) bool {
				x, ok := n.(*ast.Name)
				caught = caught || ok && (x.Ident == "AttributeError" || x.Ident == "Exception")
				return !caught
			})
			if caught {
				return true
			}
		}
	}
	return false
}
