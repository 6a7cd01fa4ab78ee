// Package actionsfarfromunit is rule ENV062, actions-far-from-unit; rule.md says what it finds.
package actionsfarfromunit

import (
	_ "embed"
	"fmt"
	"math"
	"strings"

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

// Analyzer reports action spaces far from the range of a Gaussian that starts at mean 0 and deviation 1.
var Analyzer = pass.Rule(Doc, run)

// What the extent of a space may be before a Gaussian of deviation 1 covers little of it, or hardly anything but its ends.
const widest, narrowest = 10, 0.1

func run(p *pass.Pass) {
	learner := gaussianLearner(p)
	if learner == "" || len(query.Calls(p.Source.AST, "RescaleAction", "RescaleActionV0", "NormalizedActions", "TransformAction")) > 0 {
		return
	}
	given := p.Roles.EnvsGiven(func(symbol string) bool {
		return strings.HasPrefix(symbol, "stable_baselines3.") || strings.HasPrefix(symbol, "sb3_contrib.")
	})
	for f := range p.EachFrame {
		if f.Func == nil || f.Func.Class == nil || p.In(f) == nil || !given[f.Func.Class] {
			continue
		}
		query.Targets(f.Body(), func(t ast.Expr, by ast.Stmt) {
			at, ok := t.(*ast.Attribute)
			as, isAssign := by.(*ast.Assign)
			if !ok || at.Attr != "action_space" || !isAssign {
				return
			}
			low, high, ok := bounds(f, as.Value)
			if !ok || high-low <= widest && high-low >= narrowest {
				return
			}
			p.Report(pass.Finding{At: as.Value, Frame: f, Evidence: domain.Derived, Message: fmt.Sprintf("%s samples actions around 0, in a space from %g to %g", learner, low, high)})
		})
	}
}

// gaussianLearner is the class of the models in a program, if all of them sample from a Gaussian.
func gaussianLearner(p *pass.Pass) string {
	out := ""
	for f, call := range p.Calls() {
		if p.In(f) != p.Source {
			continue
		}
		class := query.AlgorithmClass(f.Val(call.Fun))
		switch {
		case class == "":
		case !query.IsGaussian(class) || query.HasOpenArgs(call) || query.Keyword(call, "use_sde") != nil || query.Keyword(call, "policy_kwargs") != nil:
			return ""
		default:
			out = class
		}
	}
	return out
}

// bounds are those of a Box, where both are finite numbers.
func bounds(f *infer.Frame, e ast.Expr) (low, high float64, ok bool) {
	call, isCall := e.(*ast.Call)
	if !isCall || query.CalleeName(call) != "Box" {
		return 0, 0, false
	}
	bound := func(i int, name string) (float64, bool) {
		x := query.Keyword(call, name)
		if x == nil && i < len(call.Args) {
			x = call.Args[i]
		}
		if x == nil {
			return 0, false
		}
		v := f.Val(x)
		if v == nil || v.Op == infer.OpConfig {
			return 0, false
		}
		number, ok := v.Float()
		return number, ok && !math.IsInf(number, 0)
	}
	low, okLow := bound(0, "low")
	high, okHigh := bound(1, "high")
	return low, high, okLow && okHigh
}
