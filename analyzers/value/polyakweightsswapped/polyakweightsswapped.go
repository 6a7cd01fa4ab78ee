// Package polyakweightsswapped is rule VAL006, polyak-weights-swapped; rule.md says what it finds.
package polyakweightsswapped

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
		evidence, swapped := judge(byPlace[at])
		if swapped {
			p.Report(pass.Finding{At: at.Node, Frame: at.Frame, Evidence: evidence, Unmistakable: evidence == domain.NameOnly})
		}
	}
}

// judge reports whether every call by which the program comes to a soft update swaps the weights.
func judge(ways []roles.Transfer) (evidence domain.Evidence, swapped bool) {
	evidence = domain.Derived
	seen := false
	for _, t := range ways {
		switch kept, taken := t.Kept.Numbers, t.Taken.Numbers; {
		case len(t.Offsets) > 0:
			return 0, false // VAL060 says what is wrong there
		case kept != nil && taken != nil:
			if t.Whole() {
				continue // a copy in full, by tau = 1
			}
			if !keepsLittle(kept, taken) {
				return 0, false
			}
			seen = true
		case isTau(t):
			evidence, seen = domain.NameOnly, true
		default:
			return 0, false
		}
	}
	return evidence, seen
}

// keepsLittle reports whether a network keeps next to nothing of its own weights. A share of nothing is a copy
// in full, which the same code does when it is called with 1.
func keepsLittle(kept, taken []float64) bool {
	kept = slices.DeleteFunc(slices.Clone(kept), func(x float64) bool { return x == 0 })
	return len(kept) > 0 &&
		!slices.ContainsFunc(kept, func(x float64) bool { return x < 0 || x > little }) &&
		!slices.ContainsFunc(taken, func(x float64) bool { return x < 1-little || x > 1 })
}

// isTau reports whether a target keeps the share tau and takes 1 - tau, for a tau of which nothing is known but its
// name. Everybody calls the small step tau, since it was called so by Lillicrap et al. (2015); what a
// setting is called is all that there is to go by in a function that nobody calls.
func isTau(t roles.Transfer) bool {
	kept, taken := t.Kept.Alone, t.Taken.Alone.Strip()
	if !kept.Known() || !taken.Known() || !taken.IsOneMinus() || !taken.Input(1).Same(kept) {
		return false
	}
	x := kept.Strip()
	if _, known := x.Numbers(); known {
		return false
	}
	name := ""
	switch n := x.Node.(type) {
	case *ast.Param:
		name = n.Name
	case *ast.Attribute:
		name = n.Attr
	case *ast.Name:
		name = n.Ident
	}
	return x.Op == infer.OpParam && name == "tau" || strings.HasPrefix(x.Op, infer.OpAttr) && (name == "tau" || strings.HasSuffix(name, "_tau"))
}
