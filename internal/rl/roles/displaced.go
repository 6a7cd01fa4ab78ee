package roles

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # Which row leaves a full replay
//
// A replay is a list from which rows are drawn at random. It has two ends: rows enter at one, and where there are too many, the one that
// entered first has to leave, which stands at the other. Programs write that in many ways, and a slip of one index turns it round:
//
//	if len(rows) >= size: rows.pop()            the row that came last leaves
//	rows.append(x)
//	rows = [x] + rows[1:]                       the place of the first is written again and again
//	rows[0] = x                                 the same
//	rows.append(x);  rows = rows[:size]         what came last is cut off
//	rows[self.at] = x                           and nothing ever moves `at`
//
// A list is known by the field or variable that holds it, since it may be another list after each row.

// Displaced is a row of a full replay that makes room for the next though others are older.
type Displaced struct {
	At query.Place
	// Newest says that the row that came last leaves; else all that come share one place.
	Newest bool
	// Entered is where rows enter while there is room; unknown where At does that too.
	Entered query.Place
}

// home is what holds a list: a field of a class, or a variable of a function or module.
type home struct {
	scope any
	name  string
}

// end is one end of a list.
type end int8

const (
	front end = 1 + iota
	back
)

// entry is a place at which rows enter a list or leave it.
type entry struct {
	at         query.Place
	in, out    end
	overwrites bool // one statement does both, by writing at an index
	cuts       bool // it leaves so many as there may be
}

// replayLists are the lists of a program with what enters and leaves them.
type replayLists struct {
	entries map[home][]entry
	order   []home
	// opaque are lists that something else changes, too: which row stands where is not known.
	opaque map[home]bool
	drawn  map[home]bool
	stuck  map[home][]write // writes at an index that is no number
	// made are where a list begins anew, refs the lists that it was to inference.
	made map[home][]query.Place
	refs map[home]map[infer.Ref]bool
	// shortened are lists that lose rows under whatever name; unknown says that something does of which no list is known.
	shortened map[infer.Ref]bool
	unknown   bool
	// cleared are the names under which lists lose rows.
	cleared []home
	seen    map[ast.Node]bool
}

// rowLists returns the lists of the program.
func (m *Model) rowLists() *replayLists {
	return m.lists.get(func() *replayLists {
		x := &replayLists{
			entries: map[home][]entry{}, opaque: map[home]bool{}, drawn: map[home]bool{}, stuck: map[home][]write{},
			made: map[home][]query.Place{}, refs: map[home]map[infer.Ref]bool{}, shortened: map[infer.Ref]bool{}, seen: map[ast.Node]bool{},
		}
		for f := range m.g.EachFrame {
			for _, n := range f.Nodes() {
				x.look(f, n)
			}
		}
		return x
	})
}

// outlasts reports whether a list is there from one round to the next where it loses rows: a field, a list of the module, or one of a function
// that has a loop there.
func outlasts(h home, at ast.Node) bool {
	def, local := h.scope.(*ast.FunctionDef)
	found := !local
	if local {
		ast.WalkStmts(def.Body, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.For, *ast.While:
				found = found || n.Span().Covers(at.Span())
			}
			return !found
		})
	}
	return found
}

// Displacements returns where a full replay gives away what is not its oldest row.
func (m *Model) Displacements() (out []Displaced) {
	x := m.rowLists()
	for _, h := range x.order {
		if !x.drawn[h] {
			continue
		}
		if d, ok := m.neverMoves(x.stuck[h]); ok && len(x.entries[h]) == 0 {
			out = append(out, d)
		}
		if x.opaque[h] {
			continue
		}
		for _, e := range x.entries[h] {
			if d, ok := x.displaces(h, e); ok && outlasts(h, d.At.Node) {
				out = append(out, d)
				break
			}
		}
	}
	return out
}

// homeOf is what holds the list that an expression reads; ok is false where that is no field of an object of the program and no variable.
func homeOf(f *infer.Frame, e ast.Expr) (h home, ok bool) {
	switch e := e.(type) {
	case *ast.Name:
		if f.Func == nil || !bindsName(f, e.Ident) {
			return home{f.Module, e.Ident}, true
		}
		return home{f.Func.Def, e.Ident}, f.Func.Def != nil
	case *ast.Attribute:
		if o, is := infer.RefOf(f.Val(e.X)).(*infer.Instance); is {
			return home{o.Class, e.Attr}, true
		}
		if self, is := e.X.(*ast.Name); is && f.Func != nil && f.Func.Class != nil && f.Func.Def != nil { // Python hands the object over first
			if ps := f.Func.Def.Params.List; len(ps) > 0 && ps[0].Name == self.Ident {
				return home{f.Func.Class, e.Attr}, true
			}
		}
	}
	return home{}, false
}

// bindsName reports whether a name is the function's own: a parameter, or bound in its body.
func bindsName(f *infer.Frame, name string) bool {
	if f.Func.Def != nil && slices.ContainsFunc(f.Func.Def.Params.List, func(p *ast.Param) bool { return p.Name == name }) {
		return true
	}
	for _, n := range f.Nodes() {
		if g, ok := n.(*ast.Global); ok && slices.Contains(g.Names, name) {
			return false
		}
	}
	return slices.ContainsFunc(f.Nodes(), func(n ast.Node) bool { return query.Binds(n, name) })
}

// look notes what a node does to a list. A body that was evaluated for several calls is looked at once.
func (x *replayLists) look(f *infer.Frame, n ast.Node) {
	x.draws(f, n)
	x.lists(f, n)
	if x.seen[n] {
		return
	}
	x.seen[n] = true
	at := query.Place{Frame: f, Node: n}
	switch n := n.(type) {
	case *ast.Call:
		x.call(at, n)
	case *ast.Delete:
		for _, t := range n.Targets {
			if sub, ok := t.(*ast.Subscript); ok {
				if h, ok := homeOf(f, sub.X); ok {
					x.note(h, removed(at, sub.Index))
				}
			}
		}
	case *ast.Assign:
		for _, t := range n.Targets {
			x.assign(at, t, n.Value)
		}
	case *ast.AugAssign:
		if h, ok := homeOf(f, n.Target); ok && n.Op == ast.Add {
			x.note(h, entry{at: at, in: back})
		}
	}
}

// lists notes which list a name stands for where rows enter, which lists lose rows, and where they begin anew: in each evaluation of a body.
func (x *replayLists) lists(f *infer.Frame, n ast.Node) {
	switch n := n.(type) {
	case *ast.Call:
		method, ok := n.Fun.(*ast.Attribute)
		switch {
		case !ok:
			x.unknown = x.unknown || query.CalleeName(n) == "setattr"
		case shortening[method.Attr]:
			ref := infer.RefOf(f.Val(method.X))
			x.shortened[ref] = true
			x.unknown = x.unknown || ref == nil && len(n.Args) == 0
			if h, ok := homeOf(f, method.X); ok {
				x.cleared = append(x.cleared, h)
			}
		case method.Attr == "append" || method.Attr == "extend" || method.Attr == "appendleft":
			h, ok := homeOf(f, method.X)
			if ref := infer.RefOf(f.Val(method.X)); ok && ref != nil {
				if x.refs[h] == nil {
					x.refs[h] = map[infer.Ref]bool{}
				}
				x.refs[h][ref] = true
			}
		}
	case *ast.Delete:
		for _, t := range n.Targets {
			if sub, ok := t.(*ast.Subscript); ok {
				t = sub.X
			}
			x.shortened[infer.RefOf(f.Val(t))] = true
			if h, ok := homeOf(f, t); ok {
				x.cleared = append(x.cleared, h)
				x.made[h] = append(x.made[h], query.Place{Frame: f, Node: n})
			}
		}
	case *ast.Assign, *ast.AnnAssign, *ast.For, *ast.With:
		query.Targets([]ast.Stmt{n.(ast.Stmt)}, func(t ast.Expr, by ast.Stmt) {
			if sub, ok := t.(*ast.Subscript); ok {
				t = sub.X
				x.shortened[infer.RefOf(f.Val(t))] = true
			}
			if h, ok := homeOf(f, t); ok && by == n {
				x.made[h] = append(x.made[h], query.Place{Frame: f, Node: n})
			}
		})
	}
}

// note adds an entry; one without an end says that the list is changed in another way.
func (x *replayLists) note(h home, e entry) {
	if !slices.Contains(x.order, h) {
		x.order = append(x.order, h)
	}
	if e.in == 0 && e.out == 0 {
		x.opaque[h] = true
		return
	}
	x.entries[h] = append(x.entries[h], e)
}

// shuffling are methods after which nobody knows which row is the oldest.
var shuffling = query.Words("remove sort reverse rotate")

// call notes a method of a list, and functions that keep a list in an order of their own.
func (x *replayLists) call(at query.Place, n *ast.Call) {
	f := at.Frame
	if name := query.CalledSymbol(f, n); len(n.Args) > 0 && (strings.HasPrefix(name, "heapq.") || strings.HasPrefix(name, "bisect.") || strings.HasSuffix(name, ".shuffle")) {
		if h, ok := homeOf(f, n.Args[0]); ok {
			x.note(h, entry{})
		}
		return
	}
	method, ok := n.Fun.(*ast.Attribute)
	if !ok {
		return
	}
	h, ok := homeOf(f, method.X)
	if !ok {
		return
	}
	switch {
	case method.Attr == "append" && len(n.Args) == 1, method.Attr == "extend":
		x.note(h, entry{at: at, in: back})
	case method.Attr == "appendleft":
		x.note(h, entry{at: at, in: front})
	case method.Attr == "insert" && len(n.Args) == 2:
		i, known := whole(n.Args[0])
		if !known || i != 0 {
			x.note(h, entry{})
			return
		}
		x.note(h, entry{at: at, in: front})
	case method.Attr == "popleft":
		x.note(h, entry{at: at, out: front})
	case method.Attr == "pop" && len(n.Args) == 0:
		x.note(h, entry{at: at, out: back})
	case method.Attr == "pop":
		x.note(h, removed(at, n.Args[0]))
	case shuffling[method.Attr]:
		x.note(h, entry{})
	}
}

// whole reads an integer as it is written.
func whole(e ast.Expr) (n int64, ok bool) {
	sign := int64(1)
	if u, is := e.(*ast.UnaryOp); is && u.Op == ast.USub {
		sign, e = -1, u.X
	}
	n, ok = smallInt(e)
	return sign * n, ok
}

// removed reads what leaves by `del x[i]` and `x.pop(i)`.
func removed(at query.Place, index ast.Expr) entry {
	if s, ok := index.(*ast.Slice); ok {
		switch {
		case s.Step != nil:
			return entry{}
		case s.Low == nil && s.High != nil && !isNegative(s.High):
			return entry{at: at, out: front}
		case s.High == nil && s.Low != nil:
			return entry{at: at, out: back, cuts: !isNegative(s.Low)}
		}
		return entry{}
	}
	switch i, known := whole(index); {
	case known && i == 0:
		return entry{at: at, out: front}
	case known && i == -1:
		return entry{at: at, out: back}
	}
	return entry{}
}

func isNegative(e ast.Expr) bool {
	u, ok := e.(*ast.UnaryOp)
	return ok && u.Op == ast.USub
}

// assign notes `x[i] = y`, and `x = ...` of what x was.
func (x *replayLists) assign(at query.Place, target, value ast.Expr) {
	f := at.Frame
	if sub, ok := target.(*ast.Subscript); ok {
		h, ok := homeOf(f, sub.X)
		if !ok {
			return
		}
		first := sub.Index
		if several, ok := first.(*ast.Tuple); ok && len(several.Elts) > 0 {
			first = several.Elts[0]
		}
		switch i, known := whole(first); {
		case known && i == 0:
			x.note(h, entry{at: query.Place{Frame: f, Node: value}, in: front, out: front, overwrites: true})
		case known && i == -1:
			x.note(h, entry{at: query.Place{Frame: f, Node: value}, in: back, out: back, overwrites: true})
		default:
			x.note(h, entry{})
			x.stuck[h] = append(x.stuck[h], write{first, query.Place{Frame: f, Node: value}})
		}
		return
	}
	h, ok := homeOf(f, target)
	if !ok || !x.readsHome(f, value, h) {
		return
	}
	e, ok := rebuilt(f, value, h)
	if !ok {
		x.note(h, entry{})
		return
	}
	if e.at = (query.Place{Frame: f, Node: value}); e.in != 0 || e.out != 0 {
		x.note(h, e)
	}
}

func (x *replayLists) readsHome(f *infer.Frame, e ast.Expr, h home) bool {
	found := false
	ast.Walk(e, func(n ast.Node) bool {
		if sub, ok := n.(ast.Expr); ok && !found {
			of, is := homeOf(f, sub)
			found = is && of == h
		}
		return !found
	})
	return found
}

// rebuilt reads a list that is made of what it was: a part of it, with rows before or behind, or a part of both together.
func rebuilt(f *infer.Frame, e ast.Expr, h home) (out entry, ok bool) {
	sub, outer := e.(*ast.Subscript)
	if outer {
		if _, is := homeOf(f, sub.X); is {
			outer = false
		} else if e = sub.X; !out.keeps(sub.Index) {
			return entry{}, false
		}
	}
	kept := false
	for _, part := range partsOfSum(e) {
		if _, is := part.(*ast.List); is {
			if out.in != 0 {
				return entry{}, false
			}
			if out.in = front; kept {
				out.in = back
			}
			continue
		}
		of := part
		if sub, is := part.(*ast.Subscript); is {
			if of = sub.X; outer || !out.keeps(sub.Index) {
				return entry{}, false
			}
		}
		if is, ok := homeOf(f, of); !ok || is != h || kept {
			return entry{}, false
		}
		kept = true
	}
	return out, kept
}

// keeps notes what leaves where a slice of a list stays; ok is false where that is not at one end.
func (e *entry) keeps(index ast.Expr) (ok bool) {
	s, is := index.(*ast.Slice)
	if !is || s.Step != nil || (s.Low == nil) == (s.High == nil) {
		return false
	}
	if s.Low != nil { // what stands before a place is left out
		e.out = front
		return true
	}
	n, known := whole(s.High)
	e.out, e.cuts = back, !isNegative(s.High)
	return !known || n < 0 // else the first few are asked for
}

// partsOfSum takes a + b + c and [a, *b] apart.
func partsOfSum(e ast.Expr) (parts []ast.Expr) {
	for {
		sum, is := e.(*ast.BinOp)
		if !is || sum.Op != ast.Add {
			break
		}
		parts, e = append([]ast.Expr{sum.Y}, parts...), sum.X
	}
	parts = append([]ast.Expr{e}, parts...)
	list, is := e.(*ast.List)
	if !is || len(parts) > 1 {
		return parts
	}
	parts = nil
	for _, elt := range list.Elts {
		if star, is := elt.(*ast.Starred); is {
			parts = append(parts, star.X)
		} else {
			parts = append(parts, &ast.List{Elts: []ast.Expr{elt}})
		}
	}
	return parts
}

// draws notes from which lists a node takes rows at random: as an argument of what draws, or by positions that were drawn.
func (x *replayLists) draws(f *infer.Frame, n ast.Node) {
	switch n := n.(type) {
	case *ast.Call:
		if !drawsPositions(f, n) {
			return
		}
		for _, a := range n.Args {
			ast.Walk(a, func(e ast.Node) bool {
				if sub, ok := e.(ast.Expr); ok {
					if h, ok := homeOf(f, sub); ok {
						x.drawn[h] = true
					}
				}
				return true
			})
		}
	case *ast.Subscript:
		h, ok := homeOf(f, n.X)
		if !ok || x.drawn[h] {
			return
		}
		infer.Walk(f.Val(n.Index), 40, func(v *infer.Val) bool {
			call, is := v.Node.(*ast.Call)
			if is && v.Frame != nil && drawsPositions(v.Frame, call) {
				x.drawn[h] = true
			}
			return !x.drawn[h]
		})
	}
}

// drawsPositions reports whether a call draws elements or positions at random: of a generator of Python, numpy or torch that all share, or of
// one of its own.
func drawsPositions(f *infer.Frame, call *ast.Call) bool {
	if query.DrawsGlobal(f, call) {
		return true
	}
	v := f.Val(call)
	return v != nil && v.IsOp("randint", "randperm", "choice", "choices", "integers", "permutation", "sample", "randrange") && len(call.Args) > 0
}

// displaces reports whether what leaves a list by an entry is not its oldest row.
func (x *replayLists) displaces(h home, e entry) (Displaced, bool) {
	switch {
	case e.out == 0:
		return Displaced{}, false
	case e.in != 0: // one statement writes over an end
		if e.in != e.out || !e.cuts && !x.entersBeside(h, e) && (e.overwrites || !x.whenFull(h, e.at)) {
			return Displaced{}, false
		}
		return Displaced{At: e.at, Newest: e.in == back, Entered: x.entered(h, e)}, true
	case !e.cuts && (!x.whenFull(h, e.at) || !isStatement(e.at)):
		return Displaced{}, false
	}
	entered := slices.DeleteFunc(slices.Clone(x.entries[h]), func(o entry) bool { return o.in == 0 })
	if own := slices.DeleteFunc(slices.Clone(entered), func(o entry) bool { return o.at.Frame.Func != e.at.Frame.Func }); len(own) > 0 {
		entered = own
	} else if e.cuts {
		return Displaced{}, false // what a method leaves of a list is perhaps meant so
	}
	other := slices.ContainsFunc(entered, func(o entry) bool { return o.in != e.out || o.out != 0 })
	leaves := slices.ContainsFunc(x.entries[h], func(o entry) bool { return o.out != 0 && o.out != e.out })
	if len(entered) == 0 || other || leaves {
		return Displaced{}, false
	}
	return Displaced{At: e.at, Newest: true, Entered: entered[0].at}, true
}

// entered is where rows enter a list but by an entry.
func (x *replayLists) entered(h home, e entry) query.Place {
	for _, o := range x.entries[h] {
		if o.in != 0 && o.at != e.at {
			return o.at
		}
	}
	return query.Place{}
}

// isStatement reports whether nothing reads what a call yields: a row that is taken out and put back is no row that leaves.
func isStatement(at query.Place) bool {
	call, ok := at.Node.(*ast.Call)
	if !ok {
		return true
	}
	return slices.ContainsFunc(at.Frame.Nodes(), func(n ast.Node) bool {
		st, is := n.(*ast.ExprStmt)
		return is && st.X == ast.Expr(call)
	})
}

// covers reports whether a place stands in some statements.
func covers(body []ast.Stmt, n ast.Node) bool {
	return slices.ContainsFunc(body, func(st ast.Stmt) bool { return st.Span().Covers(n.Span()) })
}

// entersBeside reports whether rows enter at the back of a list in the other branch of a condition around an entry: while there is room.
func (x *replayLists) entersBeside(h home, e entry) bool {
	for _, n := range e.at.Frame.Nodes() {
		st, ok := n.(*ast.If)
		if !ok {
			continue
		}
		then, otherwise := covers(st.Then, e.at.Node), covers(st.Else, e.at.Node)
		beside := st.Else
		switch {
		case otherwise, !then && !otherwise && st.Span().End <= e.at.Node.Span().Start && returns(st.Then):
			beside = st.Then
		case !then:
			continue
		}
		if slices.ContainsFunc(x.entries[h], func(o entry) bool {
			return o.in == back && o.out == 0 && o.at.Frame.Func == e.at.Frame.Func && covers(beside, o.at.Node)
		}) {
			return true
		}
	}
	return false
}

// returns reports whether a body ends by leaving the function.
func returns(body []ast.Stmt) bool {
	if len(body) == 0 {
		return false
	}
	_, ok := body[len(body)-1].(*ast.Return)
	return ok
}

// whenFull reports whether a place is come to only where a list has as many rows as it may: its length was compared with what is no number
// as small as 1.
func (x *replayLists) whenFull(h home, at query.Place) bool {
	for _, n := range at.Frame.Nodes() {
		var cond ast.Expr
		var then, otherwise []ast.Stmt
		switch st := n.(type) {
		case *ast.If:
			cond, then, otherwise = st.Cond, st.Then, st.Else
		case *ast.While:
			cond, then = st.Cond, st.Body
		default:
			continue
		}
		c, ok := cond.(*ast.Compare)
		if !ok || len(c.Ops) != 1 {
			continue
		}
		length, limit, op := c.X, c.Ys[0], c.Ops[0]
		if !x.isLength(at.Frame, length, h) {
			length, limit = limit, length
			op = mirrored(op)
		}
		if !x.isLength(at.Frame, length, h) {
			continue
		}
		if n, known := smallInt(limit); known && n <= 1 {
			continue
		}
		switch op {
		case ast.Gt, ast.GtE, ast.Eq:
			if covers(then, at.Node) {
				return true
			}
		case ast.Lt, ast.LtE, ast.NotEq:
			if covers(otherwise, at.Node) {
				return true
			}
		}
	}
	return false
}

func mirrored(op ast.CompareOperator) ast.CompareOperator {
	switch op {
	case ast.Lt:
		return ast.Gt
	case ast.LtE:
		return ast.GtE
	case ast.Gt:
		return ast.Lt
	case ast.GtE:
		return ast.LtE
	}
	return op
}

// isLength reports whether an expression is the length of a list, or of the object that holds it.
func (x *replayLists) isLength(f *infer.Frame, e ast.Expr, h home) bool {
	call, ok := e.(*ast.Call)
	if !ok || query.CalledSymbol(f, call) != "builtins.len" || len(call.Args) != 1 {
		return false
	}
	if of, ok := homeOf(f, call.Args[0]); ok && of == h {
		return true
	}
	o, ok := infer.RefOf(f.Val(call.Args[0])).(*infer.Instance)
	return ok && h.scope == any(o.Class)
}

// write is what a program writes at an index.
type write struct {
	index ast.Expr
	value query.Place
}

// neverMoves reports whether all rows are written at one index, a field that takes nothing but one number.
func (m *Model) neverMoves(writes []write) (Displaced, bool) {
	if len(writes) != 1 {
		return Displaced{}, false
	}
	at, ok := writes[0].index.(*ast.Attribute)
	return Displaced{At: writes[0].value}, ok && !m.moves(at.Attr)
}

// moves reports whether a field of this name takes anything but one number, in any object of the program.
func (m *Model) moves(attr string) bool {
	numbers, moves := 0, false
	bound := func(t ast.Expr, by ast.Stmt) {
		if a, ok := t.(*ast.Attribute); !ok || a.Attr != attr {
			return
		}
		if value := query.AssignedTo(t, by); value != nil {
			if _, ok := whole(value); ok {
				numbers++
				return
			}
		}
		moves = true
	}
	for mod := range m.g.Modules() {
		query.Targets(mod.AST.Body, bound)
		ast.WalkStmts(mod.AST.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FunctionDef:
				query.Targets(n.Body, bound)
			case *ast.ClassDef:
				query.Targets(n.Body, bound)
			case *ast.Call:
				moves = moves || query.CalleeName(n) == "setattr"
			}
			return true
		})
	}
	return moves || numbers != 1
}
