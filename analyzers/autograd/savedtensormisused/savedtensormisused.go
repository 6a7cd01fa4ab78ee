// Package savedtensormisused is rule GRAD007, saved-tensor-misused; rule.md says what it
// finds.
package savedtensormisused

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
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
		if !marksDirty(p, fn) {
			changesAfterSaving(p, fn)
		}
		keepsOutput(p, fn)
	}
}

// marksDirty reports whether forward declares what it changes in place.
func marksDirty(p *pass.Pass, fn *infer.Function) bool {
	return slices.ContainsFunc(p.Made("mark_dirty"), func(v *infer.Val) bool { return v.Frame == fn.Forward })
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
