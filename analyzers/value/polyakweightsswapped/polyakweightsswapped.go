// Package polyakweightsswapped is rule VAL006, polyak-weights-swapped; rule.md says what it finds.
package polyakweightsswapped

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports soft updates that replace the target instead of moving it a little.
var Analyzer = pass.Rule(Doc, run)

// little is the most that a target keeps of itself where its weights are swapped: with the shares that
// people choose it keeps 0.9 and more.
const little = 0.1

func run(p *pass.Pass) {
	byPlace := map[query.Place][]roles.Transfer{}
	var places []query.Place
	for _, t := range p.Roles.Transfers() {
		at := query.Place{Frame: t.At.Frame, Node: t.At.Node}
		if byPlace[at] == nil {
			places = append(places, at)
		}
		byPlace[at] = append(byPlace[at], t)
	}
	for _, at := range places {
		if swapped(byPlace[at]) {
			p.Report(pass.Finding{At: at.Node, Frame: at.Frame, Evidence: domain.Derived})
		}
	}
}

// swapped reports whether every call by which the program comes to a soft update swaps the weights.
func swapped(ways []roles.Transfer) bool {
	seen := false
	for _, t := range ways {
		kept, taken := t.Kept.Numbers, t.Taken.Numbers
		switch {
		case len(t.Offsets) > 0:
			return false // VAL060 says what is wrong there
		case kept == nil || taken == nil:
			return false // what is called tau may be the share that is kept: 0.999 in a configuration that we do not see
		case t.Whole():
			// a copy in full, by tau = 1
		case !keepsLittle(kept, taken):
			return false
		default:
			seen = true
		}
	}
	return seen
}

// keepsLittle reports whether a network keeps next to nothing of its own weights. A share of nothing is a copy
// in full, which the same code does when it is called with 1.
func keepsLittle(kept, taken []float64) bool {
	kept = slices.DeleteFunc(slices.Clone(kept), func(x float64) bool { return x == 0 })
	return len(kept) > 0 &&
		!slices.ContainsFunc(kept, func(x float64) bool { return x < 0 || x > little }) &&
		!slices.ContainsFunc(taken, func(x float64) bool { return x < 1-little || x > 1 })
}
