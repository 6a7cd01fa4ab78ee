// Package logprobofunclampedaction is rule OFF018, logprob-of-unclamped-action; rule.md says what it finds.
package logprobofunclampedaction

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports buffers that keep a clamped action beside the log-probability of the action before the clamp.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if len(p.Made("log_prob")) == 0 || len(p.Made(query.ClipOps...)) == 0 {
		return
	}
	for _, b := range p.Roles.Buffers() {
		clamped := map[*infer.Val]*infer.Val{} // by the action that was drawn: the clamp
		drawn := map[*infer.Val]bool{}         // those that are kept as they are
		logps := map[*infer.Val]*infer.Val{}
		for _, s := range b.Slots {
			for _, w := range s.Writes {
				note(p, w, clamped, drawn, logps)
			}
		}
		for action, logp := range logps {
			if clip := clamped[action]; clip != nil && !drawn[action] {
				p.Report(pass.Finding{
					At: clip.Node, Frame: clip.Frame, Evidence: domain.Derived,
					Related: p.Here(logp, "the log-probability that is kept with it is of the action before the clamp"),
				})
			}
		}
	}
}

// note files what one write keeps.
func note(p *pass.Pass, w roles.Write, clamped map[*infer.Val]*infer.Val, drawn map[*infer.Val]bool, logps map[*infer.Val]*infer.Val) {
	x := p.See(w.Val).Unreduced()
	if !x.Known() {
		return
	}
	if x.IsOp("log_prob") && len(x.In) > 1 {
		if a := x.Input(1).Strip(); isDraw(a) {
			logps[a.Val] = x.Val
		}
		return
	}
	if isDraw(x) {
		drawn[x.Val] = true
	}
	if c, ok := query.ClipOf(x); ok {
		if a := c.X.Strip(); isDraw(a) && c.Lo.Known() && c.Hi.Known() {
			clamped[a.Val] = x.Val
		}
	}
}

// isDraw reports whether a value was drawn from a distribution.
func isDraw(s query.Seen) bool { return s.Known() && s.IsOp("sample", "rsample") && len(s.In) > 0 }
