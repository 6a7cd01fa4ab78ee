// Package savedtensormisused is rule GRAD007, saved-tensor-misused; rule.md says what it
// finds.
package savedtensormisused

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports Functions that modify saved tensors or keep their output on ctx.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, fn := range p.Values.Functions {
		if query.HasSetupContext(fn) || p.In(fn.Forward) == nil || p.In(fn.Backward) == nil {
			continue
		}
		changesInBackward(p, fn)
		if !calls(fn.Forward, "mark_dirty") {
			changesAfterSaving(p, fn)
		}
		keepsOutput(p, fn)
	}
}

// calls reports whether a body calls a method of that name.
func calls(f *infer.Frame, method string) bool {
	found := false
	for _, st := range f.Body() {
		ast.Walk(st, func(n ast.Node) bool {
			call, ok := n.(*ast.Call)
			if ok {
				at, isMethod := call.Fun.(*ast.Attribute)
				found = found || isMethod && at.Attr == method
			}
			return !found
		})
	}
	return found
}

// outputs are the tensors that forward returns.
func outputs(fn *infer.Function) []*infer.Val {
	result := fn.Forward.Result
	if result == nil {
		return nil
	}
	if seq, ok := result.Ref.(*infer.SeqRef); ok {
		return seq.Elems
	}
	return []*infer.Val{result}
}
