// Package criticbesideitself is rule VAL093, critic-beside-itself; rule.md says what it finds.
package criticbesideitself

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

// Analyzer reports the smaller or larger of what one critic says, and what it says again.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	told := map[ast.Node]bool{} // a copy is made once, and its critics are compared in several places
	for _, v := range p.Made("min", "minimum", "max", "maximum", "amin", "amax") {
		for _, s := range p.Paths(v) {
			e, ok := query.ExtremumOf(s)
			if !ok || len(e.Of) != 2 {
				continue
			}
			if !isRepeated(p, e) {
				if made := copied(p, e); made != nil && !told[made.Node] {
					told[made.Node] = true
					p.Report(ofCopies(p, v, made))
				}
				continue
			}
			p.Report(pass.Finding{At: v.Node, Frame: v.Frame, Evidence: domain.Derived})
			break
		}
	}
}

// isRepeated reports whether both values are what one network says of the same inputs: one value that is written twice, or two calls.
func isRepeated(p *pass.Pass, e query.Extremum) bool {
	a, b := e.Of[0].Evaluations(e.At), e.Of[1].Evaluations(e.At)
	if len(a) != 1 || len(b) != 1 || !p.Roles.AnswersAlike(a[0]) {
		return false
	}
	if e.Of[0].Val == e.Of[1].Val {
		return isWrittenTwice(p, e)
	}
	return a[0].At != b[0].At && a[0].Repeats(b[0]) && calledPath(a[0]) != "" && calledPath(a[0]) == calledPath(b[0])
}

// calledPath is how the network is written that is called: of several in a list, each is one object to inference.
func calledPath(e query.Evaluation) string {
	call, ok := e.At.Node.(*ast.Call)
	if !ok {
		return ""
	}
	return query.Path(call.Fun)
}

// isWrittenTwice reports whether both operands are the same expression: an output that is taken apart may be one value to inference.
func isWrittenTwice(p *pass.Pass, e query.Extremum) bool {
	call, ok := e.At.Node.(*ast.Call)
	src := p.In(e.At.Frame)
	if !ok || src == nil {
		return false
	}
	args := call.Args
	if at, isMethod := call.Fun.(*ast.Attribute); isMethod && len(args) == 1 {
		args = append([]ast.Expr{at.X}, args...)
	}
	return len(args) > 1 && query.Path(args[0]) != "" && query.Path(args[0]) == query.Path(args[1])
}
