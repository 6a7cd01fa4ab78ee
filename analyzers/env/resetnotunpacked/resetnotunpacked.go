// Package resetnotunpacked is rule ENV002, reset-not-unpacked; rule.md says what it finds.
package resetnotunpacked

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports pairs of observation and info that are taken for an observation.
var Analyzer = pass.Rule(Doc, run)

// arrays are the functions that make an array of an observation, and fail or do worse with a pair.
var arrays = []string{"tensor", "Tensor", "FloatTensor", "as_tensor", "from_numpy", "array", "asarray"}

func run(p *pass.Pass) {
	_, resets := p.Roles.EnvCalls()
	for _, c := range resets {
		if c.Unpacked || len(c.Into) != 1 || !isPair(c) || p.In(c.Frame) == nil || p.Becomes(c.Val, "len", "type") {
			// who asks what it is provides for both interfaces
			continue
		}
		for _, u := range p.UsesOf(c.Val) {
			message := ""
			switch {
			case u.Node == nil || len(u.In) == 0 || isCaught(c, u.Node):
			case u.IsOp(arrays...) && u.In[0] == c.Val:
				message = "the pair is made an array of here"
			case asksPolicy(u, c.Val):
				message = "the pair is handed to the policy here"
			}
			if message != "" {
				p.Report(pass.Finding{At: c.Node, Frame: c.Frame, Evidence: domain.Derived, Related: p.Here(u, message)})
				break
			}
		}
	}
}

// isCaught reports whether a handler goes on with the pair where what is made of it at a node fails.
func isCaught(c roles.EnvCall, n ast.Node) bool {
	pair := query.Path(c.Into[0])
	for t := range query.Tries(c.Frame, n) {
		for _, h := range t.Handlers {
			if slices.ContainsFunc(h.Body, func(st ast.Stmt) bool { return query.Reads(st, pair) }) {
				return true
			}
		}
	}
	return false
}

// asksPolicy reports whether a model of Stable-Baselines3 is asked for the action to an observation.
func asksPolicy(u, observation *infer.Val) bool {
	return strings.HasSuffix(u.Op, ".predict") && query.Algorithm(u.In[0]) != "" && len(u.In) > 1 && u.In[1] == observation
}

// isPair reports whether reset returns a pair for sure, of which the second is no part of an observation.
func isPair(c roles.EnvCall) bool {
	r, ok := infer.RefOf(c.Val).(*infer.SeqRef)
	if !ok || r.List || len(r.Elems) != 2 {
		return false
	}
	_, dict := r.Elems[1].Ref.(*infer.DictRef)
	return dict || c.Val.IsOp("gymnasium.Env.reset")
}
