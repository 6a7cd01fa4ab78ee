// Package pass is how rules are written: the steps that a rule needs, as
// analyzers of golang.org/x/tools/go/analysis, and Rule, which makes one of a
// rule's page and a function.
//
// Input: an *analysis.Pass whose package is one Python module. The driver hands
// in the parsed module (Syntax); the other steps derive values, roles and
// broken contracts from it, once for all rules. Output:
// diagnostics of go/analysis, each with the origin of the values that explain it
// and, where there is one, a fix.
//
// Limits: a step sees the modules that its module imports through the facts
// that they exported (Values); modules that import each other in a circle see
// only those that were evaluated before.
package pass

import (
	"go/token"
	"iter"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
	"github.com/rlvet/rlvet/internal/rule"
)

// Pass is one run of one rule on one module.
type Pass struct {
	*analysis.Pass
	// Source is the module's text and tree.
	Source *Source
	// Graph is the value graph, functions of other modules that it calls included.
	*query.Graph
	// Roles are the networks, optimizers, losses and loops of the program.
	Roles *roles.Model

	doc      func() *rule.Doc
	missing  bool // the rule says that something is missing
	family   string
	findings []Finding
	without  map[*infer.Module]bool // see runsWithout
}

// Doc returns the rule's page.
func (p *Pass) Doc() *rule.Doc { return p.doc() }

// In returns the module that a frame belongs to: the pass's own for nil.
func (p *Pass) In(f *infer.Frame) *Source {
	if f == nil {
		return p.Source
	}
	return sourceOf(f.Module)
}

// Calls yields every call of the program with each evaluation of the code that makes it.
func (p *Pass) Calls() iter.Seq2[*infer.Frame, *ast.Call] {
	return func(yield func(*infer.Frame, *ast.Call) bool) {
		for f, call := range query.Everywhere[*ast.Call](p.Graph) {
			if p.In(f) != nil && !yield(f, call) {
				return
			}
		}
	}
}

// Trains reports whether a frame belongs to a module of the program that is there to train. What a test computes
// trains nothing.
func (p *Pass) Trains(f *infer.Frame) bool {
	src := p.In(f)
	return src != nil && !src.IsTest()
}

// Text returns the source of the syntax that computed v, or "" for a value that
// no syntax of the program computed.
func (p *Pass) Text(v *infer.Val) string {
	if v == nil || v.Node == nil || v.Frame == nil {
		return ""
	}
	return p.In(v.Frame).Text(v.Node)
}

// pos returns the position of a byte offset in the module's text.
func (s *Source) pos(offset uint32) token.Pos { return token.Pos(s.Token.Base() + int(offset)) }
