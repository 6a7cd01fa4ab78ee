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
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/library"
	"github.com/rlvet/rlvet/internal/rl/roles"
	"github.com/rlvet/rlvet/internal/rule"
)

// Pass is one run of one rule on one module.
type Pass struct {
	*analysis.Pass
	// Source is the module's text and tree.
	Source *Source
	// Values is the value graph, functions of other modules that it calls included.
	Values *infer.Result
	// Roles are the networks, optimizers, losses and loops of the program.
	Roles *roles.Model

	doc      func() *rule.Doc
	findings []Finding
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

// Text returns the source of the syntax that computed v, or "" for a value that
// no syntax of the program computed.
func (p *Pass) Text(v *infer.Val) string {
	if v == nil || v.Node == nil || v.Frame == nil {
		return ""
	}
	return p.In(v.Frame).Text(v.Node)
}

// Ops returns the values that operations of these canonical names produced, in
// every spelling that the tables know: "torch.div" is also x / y, x.div(y) and
// numpy.divide.
func (p *Pass) Ops(names ...string) []*infer.Val {
	var out []*infer.Val
	for _, name := range names {
		out = append(out, p.Values.Ops(name)...)
		if short := infer.BaseOp(name); short != name {
			out = append(out, p.Values.Ops(short)...) // the operator
		}
	}
	return out
}

// EachFrame calls yield for every evaluation that was not superseded.
func (p *Pass) EachFrame(yield func(*infer.Frame) bool) {
	for _, f := range p.Values.Frames {
		if !f.Stale() && !yield(f) {
			return
		}
	}
}

// Own calls visit for the nodes of a frame's own body. A function, class or lambda in it is
// visited as a node; what it holds is a body of its own.
func Own(f *infer.Frame, visit func(ast.Node)) {
	for _, st := range f.Body() {
		ast.Walk(st, func(n ast.Node) bool {
			visit(n)
			return !isNested(n)
		})
	}
}

// Each calls yield for every value of every frame, once each: an assigned value
// stands at its expression and at the variable.
func (p *Pass) Each(yield func(*infer.Val) bool) {
	for _, v := range p.Values.Values() {
		if !yield(v) {
			return
		}
	}
}

// Made returns the values that operations of these base names produced, whichever
// library and spelling: what Each yields and IsOp(names...) is true of, for rules
// that are about few operations.
func (p *Pass) Made(names ...string) []*infer.Val { return p.Values.Made(names...) }

// OfKind returns the values that must be one of the kinds: what Each yields and
// Is(k) is true of.
func (p *Pass) OfKind(k domain.Kind) []*infer.Val { return p.Values.OfKind(k) }

// Taking returns the values of the library's functions that have a parameter of one
// of these names.
func (p *Pass) Taking(params ...string) []*infer.Val {
	return p.Values.OfRow(func(row *library.Func) bool {
		return slices.ContainsFunc(params, func(name string) bool { return slices.Contains(row.Params, name) })
	})
}

// Torch returns the oldest version of torch for which fixes must hold, "" for
// every version.
func (p *Pass) Torch() string { return p.Source.Torch }

// pos returns the position of a byte offset in the module's text.
func (s *Source) pos(offset uint32) token.Pos { return token.Pos(s.Token.Base() + int(offset)) }
