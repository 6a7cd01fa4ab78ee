// Package targetaliasesprediction is rule OFF017, target-aliases-prediction; rule.md says what it finds.
package targetaliasesprediction

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

// Analyzer reports errors of a prediction against a target that is written into the memory of the prediction.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, l := range p.Roles.Losses() {
		infer.Walk(l.Value.Val, 400, func(v *infer.Val) bool {
			sides := query.ErrorsOf(l.Value.Of(v))
			if len(sides) == 1 {
				if d := sides[0].Difference(); d.Known() && len(d.In) > 1 {
					sides = []query.Seen{d.Input(0), d.Input(1)}
				}
			}
			if len(sides) == 2 {
				for i := range 2 {
					if written := writtenInto(sides[i].Val, sides[1-i].Val); written != nil {
						report(p, written, v)
					}
				}
			}
			return true
		})
	}
}

// report says that a write makes an error zero. It stands at the name that is written into: there, or above it, is what has to change.
func report(p *pass.Pass, written, e *infer.Val) {
	f := pass.At(written)
	f.Evidence = domain.Derived
	if item, ok := written.Node.(*ast.Subscript); ok {
		f.At = item.X
	}
	f.Related = p.Here(e, "this error is zero")
	p.Report(f)
}

// writtenInto returns the last write into a target that shares the memory of a prediction; nil where it does not, or
// where nothing is written.
func writtenInto(target, prediction *infer.Val) *infer.Val {
	v := bare(target)
	if v == nil || v.Op != infer.OpStore || v.Node == nil {
		return nil
	}
	written := v
	for range 16 {
		switch {
		case v == nil:
			return nil
		case v.Op == infer.OpStore && len(v.In) > 0:
			v = bare(v.In[0])
		case v == bare(prediction):
			return written
		default:
			return nil
		}
	}
	return nil
}

// bare is the tensor of which a value is the whole, in the same memory.
func bare(v *infer.Val) *infer.Val {
	for range 16 {
		if v == nil || v.Fn == nil || !v.IsOp("detach", "data") || len(v.In) == 0 {
			return v
		}
		v = v.In[0]
	}
	return v
}
