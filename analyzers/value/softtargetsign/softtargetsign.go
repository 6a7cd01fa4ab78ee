// Package softtargetsign is rule VAL091, soft-target-sign; rule.md says what it finds.
package softtargetsign

import (
	_ "embed"
	"slices"

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

// Analyzer reports targets that pay for likely actions.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, f := range p.Roles.Fits() {
		for _, b := range p.Roles.Targets(f) {
			for _, n := range b.Next {
				if len(n.Value.Evaluations(b.At)) == 0 {
					continue
				}
				x := n.Value.Strip()
				for _, t := range query.TermsOf(n.Value, 1) {
					if t.Val != n.Value.Val && p.Roles.LogProbSign(t) > 0 && ofOwnDraws(p, t.Val) {
						p.Report(pass.Finding{At: x.Node, Frame: x.Frame, Evidence: domain.Derived, Called: called(p, x)})
					}
				}
			}
		}
	}
}

// maxMade bounds the way from a bonus back to the distributions that it is of.
const maxMade = 200

// ofOwnDraws reports whether the log-probabilities in a bonus are of distributions from which actions are drawn. That of an action under a
// prior, or under the policy of the data, is added on purpose: it keeps the next action near to them.
func ofOwnDraws(p *pass.Pass, bonus *infer.Val) bool {
	var drawn []infer.Ref
	for _, v := range p.Made("sample", "rsample") {
		if len(v.In) > 0 && v.In[0] != nil && v.In[0].Ref != nil {
			drawn = append(drawn, v.In[0].Ref)
		}
	}
	own := true
	infer.Walk(bonus, maxMade, func(v *infer.Val) bool {
		if v.IsOp("log_prob") && len(v.In) > 0 && v.In[0] != nil && v.In[0].Ref != nil {
			own = own && slices.Contains(drawn, v.In[0].Ref)
		}
		return own
	})
	return own
}

// called is what the program calls both parts of the sum, the value before the bonus.
func called(p *pass.Pass, target query.Seen) pass.Called {
	sum, ok := target.Node.(*ast.BinOp)
	if !ok || sum.Op != ast.Add || p.In(target.Frame) == nil {
		return nil
	}
	value, bonus := sum.X, sum.Y
	if v := target.Frame.Val(value); v != nil && p.Roles.LogProbSign(query.Term{Seen: p.See(v), Sign: 1}) > 0 {
		value, bonus = bonus, value
	}
	src := p.In(target.Frame)
	return pass.Called{"value": src.Text(value), "bonus": src.Text(bonus)}
}
