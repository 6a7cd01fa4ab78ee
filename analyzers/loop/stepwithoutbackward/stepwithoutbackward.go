// Package stepwithoutbackward is rule LOOP030, step-without-backward; rule.md says what it finds.
package stepwithoutbackward

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

// Analyzer reports steps of an optimizer behind zero_grad() without a backward pass between them.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Source.IsTest() {
		return
	}
	r := p.Roles.Rounds()
	for i, order := range r.Orders {
		for _, s := range order.Events {
			h := r.Of(s).Of
			if !r.Is(s, roles.Steps) || h == nil || !h.Sure || r.IsForeign(i) {
				continue
			}
			zeros := r.Last(s, h, roles.Zeroes, roles.Touches, roles.Computes, roles.Steps)
			if roles.Every(zeros, func(z *roles.Event) bool {
				return r.Surely(z, h, roles.Zeroes) && z.Frame == s.Frame && begins(r, z, h)
			}) && !mayCompute(p, r, zeros[0], s) {
				p.Report(pass.Finding{
					At: s.Node, Frame: s.Frame, Evidence: domain.Derived,
					Related: p.There(zeros[0].Place, "the gradients are set to zero here, and none are computed since"),
				})
			}
		}
	}
}

// begins reports whether no backward pass comes before a zero_grad() whose gradients it would throw away: that is another mistake.
func begins(r *roles.Rounds, z *roles.Event, h *roles.Holder) bool {
	return !slices.ContainsFunc(r.Last(z, h, roles.Zeroes, roles.Touches, roles.Computes, roles.Steps), func(e *roles.Event) bool {
		return r.MayReach(e, h) || r.Is(e, roles.Touches)
	})
}

// mayCompute reports whether a call between two places may compute gradients: one that was not followed and is handed a
// value with a graph, or that is called so.
func mayCompute(p *pass.Pass, r *roles.Rounds, from, to *roles.Event) bool {
	found := false
	for call := range query.In[*ast.Call](to.Frame) {
		at := call.Span().Start
		if found || at < from.Node.Span().Start || at > to.Node.Span().Start || call == from.Node || call == to.Node {
			continue
		}
		name := strings.ToLower(query.CalleeName(call))
		if strings.Contains(name, "backward") || strings.Contains(name, "grad") && name != "no_grad" {
			return true
		}
		v := to.Frame.Val(call)
		found = v == nil || p.IsOpaque(v) && slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return mayHaveGraph(to.Frame.Val(e)) })
	}
	return found
}

func mayHaveGraph(v *infer.Val) bool {
	return v == nil || v.Q.Grad != domain.Detached && !query.IsNumber(v) && v.Const == nil
}
