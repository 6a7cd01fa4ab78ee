// Package carrystartsatvalue is rule ADV048, carry-starts-at-value; rule.md says what it finds.
package carrystartsatvalue

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports advantages that are carried on from a value.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, r := range p.Recurrences() {
		if r.Sum.Frame.Stale() {
			continue
		}
		own, ok := errors(p, r)
		if !ok {
			continue
		}
		starts := startsOf(p, r)
		if len(starts) == 0 || slices.ContainsFunc(starts, func(s query.Seen) bool { return !isValue(s, own, p.See(r.Sum)) }) {
			continue
		}
		f := pass.At(starts[0].Val, starts[0].Val)
		f.Evidence, f.Related = domain.Derived, p.Here(r.Sum, "this adds up errors, each with its value of the next state")
		p.Report(f)
	}
}

// errors are the values that what a recurrence adds subtracts, where it is an error of a temporal difference: it counts a value of what comes
// next, scaled, and subtracts another one.
func errors(p *pass.Pass, r query.Recurrence) (own []query.Seen, ok bool) {
	_, next := p.AddsTo(r)
	at := r.Carried.Seen
	for _, t := range r.Added {
		for _, e := range query.TermsOf(held(t.Seen), t.Sign) {
			switch {
			case e.Sign < 0:
				own = append(own, e.Seen)
			default:
				factors := query.FactorsOf(e.Seen).List
				next = next || len(factors) > 1 && slices.ContainsFunc(factors, func(x query.Seen) bool {
					return isSaid(x, at) || row(x).Known()
				})
			}
		}
	}
	return own, next && len(own) == 1
}

// held is what the list or array around an element s was filled with, or computed as.
func held(s query.Seen) query.Seen {
	x := s.Strip()
	for range maxHeld {
		switch {
		case x.IsOp(infer.OpStore):
			return x.Input(1)
		case !isRow(x) && !x.IsOp("flip"):
			return x
		}
		x = x.Input(0).Strip()
	}
	return x
}

// maxHeld bounds the way from an element to what holds it.
const maxHeld = 8

// row is s as an entry of a list or an array, or nothing.
func row(s query.Seen) query.Seen {
	x := s.StripTo(isRow)
	if !x.Known() || !isRow(x) {
		return query.Seen{}
	}
	return x
}

func isRow(s query.Seen) bool { return s.IsOp(infer.OpItem, infer.OpIterate) }

// isSaid reports whether s is what networks say, or entries of that.
func isSaid(s, at query.Seen) bool { return len(s.Strip().Evaluations(at)) > 0 }

// ofOneNetwork reports whether a network was asked in both lists: a reward may be shaped by what another one says, and the return of such
// rewards begins with a value.
func ofOneNetwork(a, b []query.Evaluation) bool {
	return slices.ContainsFunc(a, func(x query.Evaluation) bool {
		return slices.ContainsFunc(b, func(y query.Evaluation) bool { return x.Net == y.Net })
	})
}

// startsOf are the values with which a recurrence begins.
func startsOf(p *pass.Pass, r query.Recurrence) (out []query.Seen) {
	loops := query.Around(query.PlaceOf(r.Sum))
	if len(loops) == 0 {
		return nil
	}
	loop := loops[len(loops)-1]
	for _, f := range query.FactorsOf(r.Carried.Seen).List {
		x := f.Strip()
		if x.Op != infer.OpPhi || !infer.Reaches(r.Sum, x.Val, nearSum) {
			continue
		}
		for _, v := range x.In {
			if v != nil && v != x.Val && v.Node != nil && !(v.Frame == loop.Frame && loop.Stmt.Span().Covers(v.Node.Span())) {
				out = append(out, x.Of(v))
			}
		}
	}
	return out
}

// nearSum bounds the way from what is carried on to the sum.
const nearSum = 64

// isValue reports whether s is what a network says of a state, or an entry of the values that are subtracted.
func isValue(s query.Seen, own []query.Seen, at query.Seen) bool {
	x := s.Strip()
	if x.IsOp(infer.OpPhi, infer.OpConst) || x.Is(domain.Advantage|domain.TDError) {
		return false
	}
	start := row(s)
	for _, o := range own {
		if ofOneNetwork(x.Evaluations(at), o.Strip().Evaluations(at)) {
			return true
		}
		if r := row(o); r.Known() && start.Known() && infer.SameSource(r.In[0], start.In[0]) {
			return true
		}
	}
	return false
}
