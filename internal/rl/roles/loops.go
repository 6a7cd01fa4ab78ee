package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Nest returns the loops around the computation of v, outermost first: those of
// its own body and, through the calls that led there, those of its callers.
func (m *Model) Nest(v *infer.Val) []query.Loop {
	var out []query.Loop
	for range 16 {
		if v == nil || v.Frame == nil || v.Node == nil {
			break
		}
		out = append(query.Enclosing(v.Frame, v.Node), out...)
		v = v.Frame.Call
	}
	return out
}

// Contains reports whether v is computed inside the loop, in its own body or
// in a function called from there.
func (m *Model) Contains(l query.Loop, v *infer.Val) bool {
	return slices.Contains(m.Nest(v), l)
}

// Fresh reports whether new data is collected inside the loop.
func (m *Model) Fresh(l query.Loop) bool {
	return slices.ContainsFunc(m.EnvSteps, func(v *infer.Val) bool { return m.Contains(l, v) })
}

// Inside reports whether v may be computed in a loop: in its body, or in a function
// that is called from there.
func (m *Model) Inside(l query.Loop, v *infer.Val) bool {
	return v != nil && v.Frame != nil && v.Node != nil && inside(l, v.Frame, v.Node, map[*infer.Frame]bool{})
}

func inside(l query.Loop, f *infer.Frame, n ast.Node, seen map[*infer.Frame]bool) bool {
	if f == l.Frame {
		return l.Stmt.Span().Covers(n.Span())
	}
	if seen[f] {
		return false
	}
	seen[f] = true
	for site := range f.Sites {
		if inside(l, site.Caller, site.Node, seen) {
			return true
		}
	}
	return false
}
