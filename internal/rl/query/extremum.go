package query

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # The smaller of two critics
//
// Two critics of one kind err differently where they know little. The smaller of what they say of the same action is a guard against
// overestimation (Fujimoto et al. 2018): torch.min(q1, q2), or the minimum over critics that were put side by side.

// Extremum is the smallest or largest of what networks say, element by element.
type Extremum struct {
	At      Seen
	Largest bool
	Of      []Seen // what is compared
}

// ExtremumOf reads s as one; over the actions of one network it is none.
func ExtremumOf(s Seen) (Extremum, bool) {
	if !s.Known() || len(s.In) == 0 || !s.IsOp("min", "minimum", "amin", "max", "maximum", "amax") {
		return Extremum{}, false
	}
	e := Extremum{At: s, Largest: s.IsOp("max", "maximum", "amax")}
	switch side := s.Input(0).Strip(); {
	case len(s.In) > 1 && s.Input(1).isYielded(6):
		e.Of = []Seen{s.Input(0), s.Input(1)}
	case side.IsOp("stack") && alongStack(s, side):
		e.Of = append(e.Of, side.Input(0).Flows()...)
		if seq, ok := side.Input(0).Referent().(*infer.SeqRef); !ok || seq.Elem != nil {
			return Extremum{}, false // how many there are is not known
		}
	}
	return e, len(e.Of) > 1 && !slices.ContainsFunc(e.Of, func(x Seen) bool { return !x.isYielded(6) })
}

// alongStack reports whether a reduction is over the axis along which values were put side by side.
func alongStack(reduction, stack Seen) bool {
	over, along := reduction.Arg("dim"), stack.Arg("dim")
	axis, known := over.Int()
	by, given := along.Int()
	return known && (given && axis == by || along == nil && axis == 0)
}

// Extrema are the extrema of critics that a value is made of, behind what chooses among actions, clips, or subtracts the entropy; sure says
// that it is so whatever branch the program takes.
func (s Seen) Extrema() (out []Extremum, sure bool) {
	room := maxEvaluations
	sure = true
	base := s.in
	var visit func(s Seen)
	visit = func(s Seen) {
		room--
		if !s.Known() || room < 0 {
			return
		}
		if _, asked := s.evaluation(base); asked {
			return
		}
		x := s.through()
		if e, ok := ExtremumOf(s); ok {
			out = append(out, e)
		}
		switch {
		case x.Known() && x.Val != s.Val:
			visit(x)
		case s.IsOp("sub", "add"):
			for _, t := range TermsOf(s, 1) {
				if t.Val != s.Val {
					visit(t.Seen)
				}
			}
		case s.IsOp(choosing...) || s.isStacked() || s.IsOp(infer.OpItem, infer.OpPhi):
			sure = sure && s.Op != infer.OpPhi
			for _, x := range s.Flows() {
				visit(x)
			}
		}
	}
	visit(s)
	return out, sure
}
