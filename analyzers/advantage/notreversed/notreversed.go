// Package notreversed is rule ADV007, not-reversed; rule.md says what it finds.
package notreversed

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

// Analyzer reports returns that are added up from the first reward on, and those that are kept in the order of a backward loop.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Source.IsTest() {
		return
	}
	told := map[ast.Node]bool{}
	for _, r := range p.Recurrences() {
		loops := query.Around(query.PlaceOf(r.Sum))
		paid := len(r.Added) == 1 && pays(r.Added[0].Seen) && r.Added[0].Sign > 0
		if len(loops) == 0 || told[r.Sum.Node] || !paid && !estimates(p, r) {
			continue
		}
		l := loops[len(loops)-1]
		learned, frames := learnedFrom(p, r.Sum)
		if !learned {
			continue
		}
		// Of a backward loop the order of what it collects matters, and of a forward one that of what it goes through.
		switch way := query.DirectionOf(l, func() bool { return p.Roles.Fresh(l) }); {
		case way == query.Forward && (paid || estimates(p, r)) && !turned(p, l, callersOf(l.Frame), query.CollectedIn(l, r.Sum)):
			told[r.Sum.Node] = true
			p.Report(pass.Finding{At: r.Sum.Node, Frame: r.Sum.Frame, Evidence: domain.Derived})
		case way == query.Backward:
			at := query.AppendedIn(l, r.Sum)
			if at == nil || query.KeepsRows(l, r.Sum) || turned(p, l, append(frames, callersOf(l.Frame)...), nil) {
				continue
			}
			told[r.Sum.Node] = true
			what := "advantage"
			if paid {
				what = "return"
			}
			p.Report(pass.Finding{
				At: at, Frame: r.Sum.Frame, Evidence: domain.Derived,
				Message: what + "s are kept from last to first and never turned round",
				Why:     "the " + what + " of the last step is matched with the action of the first",
				Help:    "reverse the list behind the loop, or use `insert(0, ...)`",
			})
		}
	}
}

// pays reports whether what is added is a reward, perhaps with the value of what would have come next where the time was up.
func pays(s query.Seen) bool {
	return s.Is(domain.Reward) || s.May(domain.Reward) && s.Is(domain.Reward|domain.Return)
}

// estimates reports whether a recurrence adds up temporal-difference errors: a generalised advantage.
func estimates(p *pass.Pass, r query.Recurrence) bool {
	_, ok := p.AddsTo(r)
	return ok
}

// learnedFrom reports whether a return meets something that carries gradients, element by element; frames are the evaluations
// through which it goes.
func learnedFrom(p *pass.Pass, sum *infer.Val) (learned bool, frames []*infer.Frame) {
	for v := range p.HoldingReturn(sum) {
		learned = learned || v.Q.Grad == domain.Attached
		if v.Frame != nil && !slices.Contains(frames, v.Frame) {
			frames = append(frames, v.Frame)
		}
	}
	return learned, frames
}

// callersOf are an evaluation and those that lead to it.
func callersOf(f *infer.Frame) []*infer.Frame {
	out := []*infer.Frame{f}
	for i := 0; i < len(out) && len(out) < 32; i++ {
		for site := range out[i].Sites {
			if !slices.Contains(out, site.Caller) {
				out = append(out, site.Caller)
			}
		}
	}
	return out
}

// turned reports whether anything but the head of the loop turns an order round in some evaluations, other than that of what the loop
// collects.
func turned(p *pass.Pass, l query.Loop, frames []*infer.Frame, collected map[string]bool) bool {
	for _, f := range frames {
		for _, n := range f.Nodes() {
			if query.Turns(f, n) && !query.InHead(l, f, n) && !(f == l.Frame && collected[query.TurnedPlace(n)]) {
				return true
			}
		}
	}
	return false
}
