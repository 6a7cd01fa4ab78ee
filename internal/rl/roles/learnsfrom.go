package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// LearnsFrom reports whether a loss is made of v: backward() is called on something made of it, or it is put into an object that
// yields what a loss is made of, as a replay buffer of a library does. Of what only decides something, or is shown, nothing is learnt.
func (m *Model) LearnsFrom(v *infer.Val) bool {
	fate := m.FateOf(v)
	if fate.Differentiated {
		return true
	}
	var filled []*infer.Val
	for x := range fate.Vals {
		for _, u := range m.g.UsesOf(x) {
			if into := m.puts(u, x); into != nil {
				filled = append(filled, into)
			}
		}
	}
	return len(filled) > 0 && slices.ContainsFunc(m.Backwards, func(b *Backward) bool {
		return infer.Within(b.Loss, reach, func(x *infer.Val) bool {
			from := query.Receiver(x.Frame, x.Node)
			return from != nil && m.g.IsOpaque(x) && slices.ContainsFunc(filled, func(into *infer.Val) bool { return isOneObject(into, from) })
		})
	})
}

// puts returns the object into which u, a call of which nothing is known and whose result is dropped, may put x; nil for anything else.
func (m *Model) puts(u, x *infer.Val) *infer.Val {
	if !m.g.IsOpaque(u) || len(m.g.UsesOf(u)) > 0 || query.Loggers[query.CalleeName(u.Node)] || query.LoggerObject(u.Node) {
		return nil
	}
	if into := query.Receiver(u.Frame, u.Node); into != x {
		return into
	}
	return nil
}

// isOneObject reports whether two values are surely the same object of unknown class.
func isOneObject(a, b *infer.Val) bool {
	return a == b || a.Ref != nil && a.Ref == b.Ref || a.Node != nil && infer.SameSource(a, b)
}
