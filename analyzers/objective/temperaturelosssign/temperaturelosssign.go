// Package temperaturelosssign is rule OBJ025, temperature-loss-sign; rule.md says what it finds.
package temperaturelosssign

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports losses that move the temperature of soft actor-critic away from the target entropy.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Roles.Maximises() {
		return
	}
	for _, t := range p.Roles.Temperatures() {
		f := pass.At(t.Sum.Strip().Val, t.Goal.Val)
		switch {
		case t.LogProb > 0 && t.Sign > 0:
			f = pass.At(t.At.Val, t.Goal.Val)
			f.Message = "temperature loss with the wrong sign"
			f.Why = "the temperature falls where the entropy is too low, so the policy loses what is left of it"
			f.Help = "minimise `-(log_alpha * (log_prob + target_entropy).detach()).mean()`"
		case t.LogProb == 0 && (t.Sign < 0 || !t.Size):
			continue // whatever it is compared with
		case t.LogProb > 0:
			continue // both signs differ from what is usual: the temperature may be an inverse one
		case t.Sign > 0 && (t.GoalSign < 0 && (t.Size || t.Continuous) || t.GoalSign > 0 && t.Discrete):
			f.Message = "target entropy subtracted from the log-probability"
			f.Help = "add it: `log_prob + target_entropy`"
			f.Fix = flip(t.Sum.Strip().Val)
		case t.Sign < 0 && t.GoalSign > 0 && t.Size && t.Continuous:
			f.Message = "target entropy with the wrong sign"
			f.Help = "use `-dim(A)`, the negative number of the action's dimensions"
		default:
			continue
		}
		p.Report(f)
	}
}

// flip turns the subtraction into an addition.
func flip(sum *infer.Val) *pass.Fix {
	n, ok := sum.Node.(*ast.BinOp)
	if !ok || n.Op != ast.Sub {
		return nil
	}
	return &pass.Fix{Message: "Add the target entropy", Edits: []pass.Edit{{Span: n.OpLoc, New: "+"}}}
}
