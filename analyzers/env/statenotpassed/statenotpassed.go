// Package statenotpassed is rule ENV063, state-not-passed; rule.md says what it finds.
package statenotpassed

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
			if len(call.Args) > 1 || query.Keyword(call, "state") != nil {
				continue
			}
		case "MaskablePPO":
			if len(call.Args) > 4 || query.Keyword(call, "action_masks") != nil {
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
