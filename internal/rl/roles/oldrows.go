package roles

import (
	"maps"
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// OldRows is a list of rows that a clipped objective learns from, and that no update empties.
type OldRows struct {
	Surrogate *Surrogate
	// Enter is where rows enter, Made where the list was made.
	Enter, Made query.Place
	// Bounded says that the list forgets its oldest row when it is full.
	Bounded bool
}

// OldRows returns the lists from which the old log-probability of a clipped objective is read, where one round of a loop after the other
// adds rows and learns from them, and nothing takes rows out: those of policies that are long gone stay in the batch.
func (m *Model) OldRows() (out []OldRows) {
	x := m.rowLists()
	seen := map[home]bool{}
	for _, s := range m.Surrogates() {
		if !s.AroundOne() {
			continue
		}
		terms := query.TermsOf(s.Ratio.Exponent(), 1)
		i := slices.IndexFunc(terms, func(t query.Term) bool { return t.Sign < 0 })
		if len(terms) != 2 || i < 0 || terms[1-i].Sign < 0 {
			continue
		}
		homes, known := x.behind(m, terms[i].Unreduced())
		if !known || len(homes) == 0 {
			continue
		}
		var found []OldRows
		for _, h := range homes {
			o, ok := x.neverEmptied(m, h, s)
			if !ok {
				found = nil
				break
			}
			if !seen[h] {
				found = append(found, o)
			}
		}
		for _, h := range homes {
			seen[h] = true
		}
		if len(found) > 0 {
			out = append(out, found[0])
		}
	}
	return out
}

// behind are the lists that a value was read from; known is false where some of it was kept in another way.
func (x *replayLists) behind(m *Model, s query.Seen) (homes []home, known bool) {
	add := func(h home) {
		if !slices.Contains(homes, h) {
			homes = append(homes, h)
		}
	}
	for _, slot := range m.SlotsOf(s.Val) {
		for _, w := range slot.Writes {
			call, ok := w.At.Node.(*ast.Call)
			if !ok {
				return nil, false // written at an index: the next round writes over it
			}
			method, ok := call.Fun.(*ast.Attribute)
			if !ok {
				return nil, false
			}
			h, ok := homeOf(w.At.Frame, method.X)
			if !ok {
				return nil, false
			}
			add(h)
		}
	}
	byRef := map[infer.Ref][]home{}
	for _, h := range x.order {
		for ref := range x.refs[h] {
			byRef[ref] = append(byRef[ref], h)
		}
	}
	seen := map[*infer.Val]bool{}
	var queue []*infer.Val
	next := func(v *infer.Val) {
		if v != nil && !seen[v] {
			seen[v] = true
			queue = append(queue, v)
		}
	}
	for next(s.Val); len(queue) > 0 && len(seen) < maxTraced; queue = queue[1:] {
		v := queue[0]
		if v.IsOp("log_prob", "log_softmax") || v.Is(domain.Module) || v.Const != nil {
			continue // it is computed here
		}
		if _, whole := v.Ref.(*infer.SeqRef); whole {
			for _, h := range byRef[v.Ref] {
				add(h)
			}
			eachPart(v, next)
		}
		if _, object := v.Ref.(*infer.Instance); object {
			continue
		}
		for _, in := range v.In {
			next(in)
		}
	}
	return homes, true
}

// neverEmptied reports whether rows enter a list round after round, an objective learns from them in the same rounds, and none leaves.
func (x *replayLists) neverEmptied(m *Model, h home, s *Surrogate) (out OldRows, ok bool) {
	if x.opaque[h] || x.unknown || len(x.made[h]) == 0 || len(x.entries[h]) == 0 {
		return out, false
	}
	for _, c := range x.cleared { // for rows in (states, actions): del rows[:]
		if slices.ContainsFunc(x.made[c], func(at query.Place) bool { _, loop := at.Node.(*ast.For); return loop }) {
			return out, false
		}
	}
	for ref := range maps.Keys(x.refs[h]) {
		if x.shortened[ref] {
			return out, false
		}
	}
	learns := query.PlaceOf(s.At.Val)
	for _, e := range x.entries[h] {
		if e.out != 0 {
			return out, false
		}
		for _, l := range m.Nest(e.at) {
			if !m.Inside(l, learns) {
				continue
			}
			if slices.ContainsFunc(x.made[h], func(at query.Place) bool { return m.Inside(l, at) }) {
				return out, false
			}
			if !out.Enter.Known() {
				out = OldRows{Surrogate: s, Enter: e.at, Made: x.made[h][0]}
			}
		}
	}
	if !out.Enter.Known() || len(x.made[h]) > 1 && !sameNode(x.made[h]) {
		return out, false
	}
	most, bounded := bound(out.Made)
	out.Bounded = bounded
	return out, !bounded || x.drawn[h] && !m.decides(most)
}

// sameNode reports whether places are one statement, in several evaluations.
func sameNode(list []query.Place) bool {
	return !slices.ContainsFunc(list, func(p query.Place) bool { return p.Node != list[0].Node })
}

// bound is the most rows that a deque holds, as where it is made says; bounded is false for what may grow.
func bound(made query.Place) (most *infer.Val, bounded bool) {
	ast.Walk(made.Node, func(n ast.Node) bool {
		call, ok := n.(*ast.Call)
		if !ok || query.CalledSymbol(made.Frame, call) != "collections.deque" {
			return true
		}
		if e := query.Keyword(call, "maxlen"); e != nil && !query.IsNone(e) {
			most, bounded = made.Frame.Val(e), true
		} else if len(call.Args) == 2 {
			most, bounded = made.Frame.Val(call.Args[1]), true
		}
		return true
	})
	return most, bounded
}

// decides reports whether a number may be what an update waits for: it is compared with something, or counts rounds. A deque of so many rows
// holds those of one rollout.
func (m *Model) decides(most *infer.Val) bool {
	if most == nil {
		return true
	}
	same := func(f *infer.Frame, e ast.Expr) bool {
		v := f.Val(e)
		if v == nil {
			return false
		}
		n, known := v.Float()
		limit, both := most.Float()
		return infer.SameSource(v, most) || known && both && n == limit
	}
	for f, c := range query.Everywhere[*ast.Compare](m.g) {
		if slices.ContainsFunc(append([]ast.Expr{c.X}, c.Ys...), func(e ast.Expr) bool { return same(f, e) }) {
			return true
		}
	}
	for f, b := range query.Everywhere[*ast.BinOp](m.g) {
		if b.Op == ast.Mod && same(f, b.Y) {
			return true
		}
	}
	for f, call := range query.Everywhere[*ast.Call](m.g) {
		if query.CalledSymbol(f, call) == "builtins.range" && slices.ContainsFunc(call.Args, func(e ast.Expr) bool { return same(f, e) }) {
			return true
		}
	}
	return false
}
