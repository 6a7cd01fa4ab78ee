// Package nodonemask is rule VAL002, no-done-mask; rule.md says what it finds.
package nodonemask

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports targets that count the value of the next state where there is none, though the program has the flag
// that says so.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if len(p.Bellmans()) == 0 || p.Endless() {
		return
	}
	for _, b := range p.Bellmans() {
		if !bootstraps(b) || p.EndsBranch(b.At.Val) {
			continue
		}
		if mask := maskOfCarry(p, b); mask.Known() {
			p.Report(finding(b, p.Here(mask.Val, "this ends what is carried on, and not the value of the next step")))
		} else if idle := idleFlag(p, b.At.Frame); idle.Known() {
			p.Report(finding(b, p.There(idle, "this says which episodes ended, and nothing reads it")))
		} else if flags := flagsOf(p, b); len(flags) > 0 && !p.Meets(b.At.Val, flags) {
			p.Report(finding(b, p.Here(flags[0], "this says which episodes ended")))
		}
	}
}

// idleFlag is a flag that the function around a sum has and does not read, or its callers.
func idleFlag(p *pass.Pass, f *infer.Frame) query.Place {
	for range 3 {
		if f == nil {
			break
		}
		if idle := p.IdleFlags(f); len(idle) > 0 {
			return idle[0]
		}
		f = f.Caller
	}
	return query.Place{}
}

// bootstraps reports whether a sum counts the value of a next state on every step.
func bootstraps(b query.Bellman) bool {
	for _, next := range b.Next {
		if next.Carried || next.Ends() {
			return false
		}
	}
	return true
}

// flagsOf are the flags that the program keeps beside the reward.
func flagsOf(p *pass.Pass, b query.Bellman) []*infer.Val {
	var out []*infer.Val
	for _, r := range b.Rewards {
		out = append(out, p.FlagsBeside(r.Seen)...)
	}
	return out
}

// maskOfCarry is what ends the advantage that a loop carries on, where the sum is a term of its delta.
func maskOfCarry(p *pass.Pass, b query.Bellman) query.Seen {
	for _, r := range p.Recurrences() {
		if masks := r.Masks(); len(masks) > 0 && r.Sums(b) {
			return masks[0]
		}
	}
	return query.Seen{}
}

func finding(b query.Bellman, related []pass.Related) pass.Finding {
	f := pass.At(b.At.Val, b.Next[0].Value.Val)
	f.Evidence, f.Related = domain.Derived, related
	return f
}
