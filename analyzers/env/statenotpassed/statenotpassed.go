// Package statenotpassed is rule ENV063, state-not-passed; rule.md says what it finds.
package statenotpassed

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports predictions of recurrent or masked policies without their state or masks.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for f, call := range p.Calls() {
		if query.CalleeName(call) != "predict" || query.HasOpenArgs(call) || len(query.Around(query.Place{Frame: f, Node: call})) == 0 {
			continue
		}
		at, ok := call.Fun.(*ast.Attribute)
		if !ok {
			continue
		}
		out := pass.Finding{At: call, Frame: f, Evidence: domain.Derived}
		switch query.Algorithm(f.Val(at.X)) {
		case "RecurrentPPO":
			if len(call.Args) > 1 || query.Keyword(call, "state") != nil || !acts(p, query.Place{Frame: f, Node: call}) {
				continue
			}
		case "MaskablePPO":
			if masked(call) || bothWays(p) || !steps(p, query.Place{Frame: f, Node: call}) {
				continue
			}
			out.Message = "the policy acts without the masks that it was trained with"
			out.Why = "it takes actions that are not allowed, which it never learnt anything about"
			out.Help = "pass `action_masks=get_action_masks(env)`"
		default:
			continue
		}
		p.Report(out)
	}
}

// masked reports whether a call of predict passes masks.
func masked(call *ast.Call) bool {
	return len(call.Args) > 4 || query.Keyword(call, "action_masks") != nil
}

// bothWays reports whether a module predicts with masks as well, or trains without them: it knows of them, and compares what the policy does
// without, or has no use for them.
func bothWays(p *pass.Pass) bool {
	for f, call := range p.Calls() {
		at, ok := call.Fun.(*ast.Attribute)
		if !ok || p.In(f) == nil || query.Algorithm(f.Val(at.X)) != "MaskablePPO" {
			continue
		}
		switch use := query.Keyword(call, "use_masking"); {
		case at.Attr == "predict" && masked(call):
			return true
		case at.Attr == "learn" && use != nil:
			if c, ok := use.(*ast.Constant); !ok || c.Kind != ast.True {
				return true
			}
		}
	}
	return false
}

// acts reports whether the rounds of the loop around a call are the steps of one episode: an environment is stepped in each, and none begins an
// episode anew. A loop that takes the time of a call, or the first action of many episodes, needs no state.
func acts(p *pass.Pass, at query.Place) bool {
	loops := query.Around(at)
	round := loops[len(loops)-1]
	_, resets := p.Roles.EnvCalls()
	return steps(p, at) && !slices.ContainsFunc(resets, func(c roles.EnvCall) bool { return slices.Contains(round.Body(), c.Stmt) })
}

// steps reports whether the loop around a call steps an environment.
func steps(p *pass.Pass, at query.Place) bool {
	loops := query.Around(at)
	all, _ := p.Roles.EnvCalls()
	return slices.ContainsFunc(all, func(c roles.EnvCall) bool { return p.Roles.Inside(loops[len(loops)-1], c.Place()) })
}
