package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Nest returns the loops around a place, outermost first: those of its own body and,
// through the calls that led there first, those of its callers.
func (m *Model) Nest(at query.Place) []query.Loop {
	var out []query.Loop
	for range 16 {
		if !at.Known() {
			break
		}
		out = append(query.Around(at), out...)
		at = query.PlaceOf(at.Frame.Call)
	}
	return out
}

// Inside reports whether a place may be reached in a loop: it stands in its body, or in
// a function that is called from there.
func (m *Model) Inside(l query.Loop, at query.Place) bool {
	return at.Known() && inside(l, at, map[*infer.Frame]bool{})
}

func inside(l query.Loop, at query.Place, seen map[*infer.Frame]bool) bool {
	if at.Frame == l.Frame {
		return slices.Contains(query.Around(at), l)
	}
	if seen[at.Frame] {
		return false
	}
	seen[at.Frame] = true
	for site := range at.Frame.Sites {
		if inside(l, query.Place{Frame: site.Caller, Node: site.Node}, seen) {
			return true
		}
	}
	return false
}

// Fresh reports whether new data is collected inside the loop.
func (m *Model) Fresh(l query.Loop) bool {
	return slices.ContainsFunc(m.EnvSteps, func(v *infer.Val) bool { return m.Inside(l, query.PlaceOf(v)) })
}
