package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// ShiftedFlag is a row of flags by which a sum over steps ends, of another step than the reward that it is read with.
type ShiftedFlag struct {
	Read    query.Place // where the row is read
	Written query.Place // where the flag is kept, in the body that steps the environment
	Late    bool        // the flag is of the step before the one whose reward is read; else of the step after
	AtRead  bool        // the reader is at fault: it tells the last step from the others, as is needed for flags of the step before
}

// A rowRead is where a loop reads a row of a slot.
type rowRead struct {
	at    ast.Expr
	index string
	plus  int64
	rows  stepRows
}

// ShiftedFlags are the rows of flags that are read one step beside the rewards, by loops that add up rewards.
func (m *Model) ShiftedFlags() (out []ShiftedFlag) {
	seen := map[query.Loop]bool{}
	for _, r := range m.g.Recurrences() {
		loops := query.Around(query.PlaceOf(r.Sum))
		if len(loops) == 0 || r.Sum.Frame.Stale() || seen[loops[len(loops)-1]] {
			continue
		}
		l := loops[len(loops)-1]
		seen[l] = true
		if s, ok := m.shiftedIn(l, r); ok {
			out = append(out, s)
		}
	}
	return out
}

func (m *Model) shiftedIn(l query.Loop, r query.Recurrence) (out ShiftedFlag, ok bool) {
	st, isFor := l.Stmt.(*ast.For)
	if !isFor {
		return out, false
	}
	var rewards, flags []rowRead
	for _, x := range m.readsIn(l, st) {
		switch {
		case slices.Equal(x.rows.outputs, []int{1}):
			rewards = append(rewards, x)
		case slices.Contains(x.rows.outputs, 2) && !slices.Contains(x.rows.outputs, 0) && !slices.Contains(x.rows.outputs, 1):
			flags = append(flags, x)
		}
	}
	if cutting := slices.DeleteFunc(slices.Clone(flags), func(x rowRead) bool { return isJudgedLate(l, r, x) }); len(cutting) > 0 {
		flags = cutting // what is read behind the sum has no part in it
	}
	if len(rewards) == 0 || len(flags) == 0 || !alike(rewards) || !alike(flags) || flags[0].index != rewards[0].index {
		return out, false
	}
	reward, flag := rewards[0], flags[0]
	if reward.rows.index != flag.rows.index || !sameBody(reward.rows.at.Frame, flag.rows.at.Frame) || isJudgedLate(l, r, flag) {
		return out, false
	}
	by := flag.step() - reward.step()
	if by != 1 && by != -1 {
		return out, false
	}
	return ShiftedFlag{
		Read: query.Place{Frame: l.Frame, Node: flag.at}, Written: flag.rows.at, Late: by < 0,
		AtRead: by < 0 && tellsSteps(st),
	}, true
}

// step is the step that a row is of, counted from that of the loop.
func (x rowRead) step() int64 { return x.plus - x.rows.start - int64(x.rows.lag) }

// alike reports whether all reads are of one row.
func alike(list []rowRead) bool {
	return !slices.ContainsFunc(list, func(x rowRead) bool { return x.index != list[0].index || x.step() != list[0].step() })
}

// readsIn are the reads of rows in the body of a loop, and in what it goes through.
func (m *Model) readsIn(l query.Loop, st *ast.For) (out []rowRead) {
	add := func(of ast.Expr, at ast.Expr, index string, plus int64) {
		v := l.Frame.Val(of)
		if v == nil {
			return
		}
		slots := m.SlotsOf(v)
		if len(slots) != 1 {
			return
		}
		if rows, ok := m.rowsOf(slots[0]); ok {
			out = append(out, rowRead{at, index, plus, rows})
		}
	}
	ast.WalkStmts(st.Body, func(n ast.Node) bool {
		if x, ok := n.(*ast.Subscript); ok {
			if index, plus := counted(x.Index); index != "" {
				add(x.X, x, index, plus)
			}
		}
		return true
	})
	for target, of := range pairedWith(st) {
		add(of, target, "", 0)
	}
	return out
}

// pairedWith are the targets of a loop over zip(...), each with the container that it goes through, all in the same direction.
func pairedWith(st *ast.For) map[ast.Expr]ast.Expr {
	target, ok := st.Target.(*ast.Tuple)
	call, isCall := unreversed(st.Iter).(*ast.Call)
	if !ok || !isCall || query.CalleeName(call) != "zip" || len(call.Args) != len(target.Elts) {
		return nil
	}
	out := map[ast.Expr]ast.Expr{}
	for i, a := range call.Args {
		switch x := unreversed(a).(type) {
		case *ast.Name, *ast.Attribute:
			out[target.Elts[i]] = x
		}
	}
	return out
}

// unreversed is what stands in reversed(...), list(...) or [::-1].
func unreversed(e ast.Expr) ast.Expr {
	for range 4 {
		switch x := e.(type) {
		case *ast.Call:
			if name := query.CalleeName(x); name != "reversed" && name != "list" || len(x.Args) != 1 {
				return e
			}
			e = x.Args[0]
		case *ast.Subscript:
			if s, ok := x.Index.(*ast.Slice); !ok || s.Low != nil || s.High != nil || s.Step == nil {
				return e
			}
			e = x.X
		default:
			return e
		}
	}
	return e
}

// tellsSteps reports whether a loop asks which step it is at, as it has to where the flag of the last one is kept elsewhere.
func tellsSteps(st *ast.For) bool {
	index := query.Path(st.Target)
	found := false
	ast.WalkStmts(st.Body, func(n ast.Node) bool {
		c, ok := n.(*ast.Compare)
		found = found || ok && query.Reads(c, index)
		return !found
	})
	return found && index != ""
}

// isJudgedLate reports whether the flag is asked behind the sum, which ends another step's sum than one before it.
func isJudgedLate(l query.Loop, r query.Recurrence, flag rowRead) bool {
	return r.Sum.Node != nil && r.Sum.Frame == l.Frame && flag.at.Span().Start > r.Sum.Node.Span().End
}
