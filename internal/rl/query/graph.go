package query

import (
	"iter"
	"slices"
	"sync"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// Graph is the value graph of a module and what rules ask of it: read backwards, as
// inference made it, and forwards, by what was made of each value. What takes time is
// worked out when it is first asked for. It may be used by several goroutines.
type Graph struct {
	// Values is the graph as inference made it.
	Values *infer.Result

	once   sync.Once
	all    []*infer.Val         // all values that are used or computed
	others map[*infer.Val]int32 // numbers of those that are not listed in Values
	uses   []*infer.Val         // of all values, by number
	first  []int32              // by number, where a value's uses begin
	byType byType

	recurrences struct {
		once sync.Once
		list []Recurrence
	}
	discounted, earned madeOfSums
	bellmans           struct {
		once sync.Once
		list []Bellman
	}

	pairings struct {
		once, meet sync.Once
		list       []Pairing
		vectors    map[ast.Node][]meeting
	}
	meant  answers[domain.Shape]
	counts struct {
		once sync.Once
		list []Seen
	}

	demanded    demanded
	misSplits   answers[[]MisSplit]
	mispairings answers[[]Mispaired]

	added struct { // names of what the program adds to
		once  sync.Once
		names map[string]bool
	}

	ends struct { // ids of tokens that end texts
		once    sync.Once
		ids     map[int64]bool
		unknown []*infer.Val // those whose number is not known, as values
	}

	unmasked struct {
		once sync.Once
		list []UnmaskedMean
	}

	modules struct {
		once sync.Once
		list []evaluated
	}

	networks struct {
		once  sync.Once
		paths map[string]bool // of objects that are asked for their parameters
	}

	evaluated struct {
		once sync.Once
		defs map[*ast.FunctionDef]bool
	}

	fields struct {
		once   sync.Once
		byName map[string][]setter
	}

	taken struct { // by each value, the joins of it that another one took in
		once sync.Once
		by   map[*infer.Val][]*infer.Val
	}

	elements struct { // what any element of a sequence is of which the positions are not told apart
		once sync.Once
		any  map[*infer.Val]bool
	}

	receivers struct { // objects whose methods are called
		once sync.Once
		of   map[*infer.Val]bool
	}

	decays struct {
		once sync.Once
		list []Decay
	}

	picks struct {
		once sync.Once
		list []Pick
	}

	continues struct { // functions of the program that predict the next token, and what is made of their last position
		once   sync.Once
		defs   map[*ast.FunctionDef]bool
		scores []*infer.Val
	}

	tookIn struct { // by each value, those for which it stands as well
		once sync.Once
		of   map[*infer.Val][]*infer.Val
	}

	asked struct { // calls of networks
		once sync.Once
		list []Evaluation
	}

	k3       answers[bool]
	dead     answers[bool]
	gaussian answers[int]
}

// answers keeps what was found of values.
type answers[T any] struct {
	mu    sync.Mutex
	known map[*infer.Val]T
}

// get returns the answer for v, and finds it where it is asked for the first time.
func (a *answers[T]) get(v *infer.Val, find func() T) T {
	a.mu.Lock()
	is, ok := a.known[v]
	a.mu.Unlock()
	if ok {
		return is
	}
	is = find()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.known == nil {
		a.known = map[*infer.Val]T{}
	}
	a.known[v] = is
	return is
}

// New returns the graph of a result.
func New(res *infer.Result) *Graph { return &Graph{Values: res} }

// UsesOf returns the values of which v is an input, in the order of frames and of
// the source.
func (g *Graph) UsesOf(v *infer.Val) []*infer.Val {
	g.once.Do(g.build)
	n, ok := g.number(v)
	if !ok {
		return nil
	}
	return g.uses[g.first[n]:g.first[n+1]]
}

// number returns the number of a value: its position among those of the module, or
// one behind them.
func (g *Graph) number(v *infer.Val) (n int32, ok bool) {
	if v == nil {
		return 0, false
	}
	if i, ok := g.Values.Position(v); ok {
		return int32(i), true
	}
	n, ok = g.others[v]
	return n, ok
}

// build visits all values and counts before it files, so that the lists of uses are
// cut out of one piece: most values have one use or two.
func (g *Graph) build() {
	b := &builder{Graph: g, listed: int32(len(g.Values.Values()))}
	g.others = map[*infer.Val]int32{}
	g.all = make([]*infer.Val, 0, b.listed)
	b.seen = make([]bool, b.listed, 2*b.listed)
	for _, frame := range g.Values.Frames {
		if frame.Stale() {
			continue
		}
		for v := range frame.Each {
			b.visit(v, b.numbered(v))
		}
		if frame.Result != nil {
			b.visit(frame.Result, b.numbered(frame.Result))
		}
	}
	g.first = make([]int32, len(b.seen)+1)
	for _, e := range b.edges {
		g.first[e.from+1]++
	}
	for n := range b.seen {
		g.first[n+1] += g.first[n]
	}
	g.uses = make([]*infer.Val, len(b.edges))
	next := slices.Clone(g.first)
	for _, e := range b.edges {
		g.uses[next[e.from]] = e.to
		next[e.from]++
	}
}

// builder collects the edges of the graph.
type builder struct {
	*Graph
	listed int32 // values with a position
	seen   []bool
	edges  []edge
	// pending are inputs that were not looked at yet.
	pending []input
}

// input is a value that another was made of.
type input struct{ in, of *infer.Val }

// edge says that to was made of the value numbered from.
type edge struct {
	from int32
	to   *infer.Val
}

func (b *builder) numbered(v *infer.Val) int32 {
	n, ok := b.number(v)
	if !ok {
		n = b.listed + int32(len(b.others))
		b.others[v] = n
		b.seen = append(b.seen, false)
	}
	return n
}

// visit notes the edges of v and of all that it was made of, since joins stand at no
// expression. It does not recurse: a function of a megabyte may be one chain.
func (b *builder) visit(v *infer.Val, n int32) {
	b.expand(v, n)
	for len(b.pending) > 0 {
		top := len(b.pending) - 1
		next := b.pending[top]
		b.pending = b.pending[:top]
		from := b.numbered(next.in)
		b.edges = append(b.edges, edge{from, next.of})
		b.expand(next.in, from)
	}
}

// expand leaves the inputs of a value that was not seen pending, the first on top.
func (b *builder) expand(v *infer.Val, n int32) {
	if b.seen[n] {
		return
	}
	b.seen[n] = true
	b.all = append(b.all, v)
	first := len(b.pending)
	for in := range v.Sources {
		b.pending = append(b.pending, input{in, v})
	}
	slices.Reverse(b.pending[first:])
}

// EachUsed calls yield for every value that something was made of, or that an
// expression computed: also for those that stand at no expression any more, since a
// later round of a loop computed it again.
func (g *Graph) EachUsed(yield func(*infer.Val) bool) {
	g.once.Do(g.build)
	for _, v := range g.all {
		if !yield(v) {
			return
		}
	}
}

// MadeOf returns the values for which is holds and all that was made of them, but not of those for
// which ends holds. It goes through the whole graph once, for whoever asks of many values.
func (g *Graph) MadeOf(is, ends func(*infer.Val) bool) map[*infer.Val]bool {
	out := map[*infer.Val]bool{}
	var work []*infer.Val
	for v := range g.EachUsed {
		if is(v) {
			out[v] = true
			work = append(work, v)
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, u := range g.UsesOf(v) {
			if !out[u] && !ends(u) {
				out[u] = true
				work = append(work, u)
			}
		}
	}
	return out
}

// Protected reports whether what v becomes is protected against zero, NaN or
// infinity: a clamp, nan_to_num or where takes it, or a view of it.
func (g *Graph) Protected(v *infer.Val) bool { return g.protected(v, 8) }

func (g *Graph) protected(v *infer.Val, depth int) bool {
	for _, u := range g.UsesOf(v) {
		switch {
		case u.Fn != nil && u.Fn.Guards:
			return true
		case depth > 0 && infer.Strip(u) == infer.Strip(v) && u != v && g.protected(u, depth-1):
			return true
		}
	}
	return false
}

// SizeOps yield what a tensor's size is, and nothing of its elements.
var SizeOps = []string{"numel", "len", "size", "shape", "dim", "ndim", "nelement"}

// ChecksSize reports whether v is computed under a condition on the size of x, or on a number
// that gave x its shape, or under one of numbers that does not hold.
func (g *Graph) ChecksSize(v, x *infer.Val) bool {
	var sizes map[*infer.Val]bool
	return v.Guarded(func(g *infer.Guard) bool {
		return neverHolds(g) || asksSize(g.Cond, func(c *infer.Val) bool {
			switch {
			case c.IsOp(SizeOps...) && len(c.In) > 0 && infer.SameSource(c.In[0], x):
				return true
			case !IsNumber(c) || c.Op == infer.OpConst:
				return false
			}
			if sizes == nil {
				sizes = sizesOf(x)
			}
			return sizes[infer.Strip(c)]
		})
	})
}

// neverHolds reports whether a condition compares two numbers that are known, and the code behind it asks for the contrary: k != 1 where
// k is 1.
func neverHolds(g *infer.Guard) bool {
	if g.Cond == nil || len(g.Cond.In) != 2 {
		return false
	}
	x, first := g.Cond.In[0].Int()
	y, second := g.Cond.In[1].Int()
	holds, known := map[string]bool{"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[infer.BaseOp(g.Cond.Op)]
	return first && second && known && holds != g.Sense
}

// restsOn reports whether a condition is computed with a value of a kind. That something is None, or is the same object,
// says nothing of what it was computed from.
func restsOn(cond *infer.Val, is func(*infer.Val) bool) bool {
	found := false
	infer.Walk(cond, 60, func(c *infer.Val) bool {
		found = found || is(c)
		return !found && !c.IsOp("is", "isnot")
	})
	return found
}

// asksSize reports whether a condition is computed with a size, by what is says of a value, and does not only say that
// sizes agree.
func asksSize(cond *infer.Val, is func(*infer.Val) bool) bool {
	return !comparesSizes(cond) && restsOn(cond, is)
}

// comparesSizes reports whether a condition only says that sizes agree: len(a) == len(b), and so on of a third.
func comparesSizes(cond *infer.Val) bool { return agree(cond, 4) }

func agree(cond *infer.Val, depth int) bool {
	if depth == 0 || !cond.IsOp("eq", "and") || len(cond.In) < 2 {
		return false
	}
	for _, x := range cond.In {
		if x = infer.Strip(x); x == nil || x.Const != nil || !x.IsOp(SizeOps...) && x.Op != infer.OpItem && !agree(x, depth-1) {
			return false
		}
	}
	return true
}

// sizesOf are the numbers that x was made with, or a view of it is: n of x.view(-1, n). What a loop counts, what a data
// loader was made with and the other options of the program are none.
func sizesOf(x *infer.Val) map[*infer.Val]bool {
	out := map[*infer.Val]bool{}
	infer.Walk(x, 60, func(v *infer.Val) bool {
		if IsNumber(v) && v.Op != infer.OpConst {
			out[infer.Strip(v)] = true
		}
		_, settings := v.Ref.(*infer.DictRef)
		return v.Op != infer.OpIterate && !settings && !infer.IsObject(v.Ref)
	})
	return out
}

// ChecksContent reports whether v is computed under a condition on the elements
// of x: on x, its spread, its sum; one on its size alone does not count, nor one
// that there is a number, or anything, at all.
func (g *Graph) ChecksContent(v, x *infer.Val) bool {
	return v.Guarded(func(g *infer.Guard) bool { return AsksContent(g.Cond, x) })
}

// AsksContent reports whether a condition is on the elements of x, and not on its size alone.
func AsksContent(cond, x *infer.Val) bool {
	found := false
	infer.Walk(cond, 60, func(c *infer.Val) bool {
		if infer.SameSource(c, x) {
			found = true
		}
		return !found && !asksElse(c)
	})
	return found
}

// Operand returns the syntax by which v's input in stands where v is computed:
// for x / s the name s, though the value of s was computed elsewhere. It returns
// nil where the input has no syntax of its own there.
func (g *Graph) Operand(v, in *infer.Val) ast.Expr {
	for _, e := range Operands(v.Node) {
		if v.Frame != nil && v.Frame.Val(e) == in {
			return e
		}
	}
	return nil
}

// HasKeyword reports whether the call that computed v passes a keyword, also one
// that the tables do not know.
func HasKeyword(v *infer.Val, name string) bool {
	call, ok := v.Node.(*ast.Call)
	return ok && slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool { return k.Name == name })
}

// Operands lists the expressions directly below an operation.
func Operands(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.BinOp:
		return []ast.Expr{n.X, n.Y}
	case *ast.AugAssign:
		return []ast.Expr{n.Target, n.Value}
	case *ast.UnaryOp:
		return []ast.Expr{n.X}
	case *ast.Attribute:
		return []ast.Expr{n.X}
	case *ast.Subscript:
		return []ast.Expr{n.X, n.Index}
	case *ast.Call:
		var out []ast.Expr
		if at, ok := n.Fun.(*ast.Attribute); ok {
			out = append(out, at.X)
		}
		return append(out, ast.Given(n)...)
	}
	return nil
}

// Ops returns the values that operations of these canonical names produced, in
// every spelling that the tables know: "torch.div" is also x / y, x.div(y) and
// numpy.divide.
func (g *Graph) Ops(names ...string) []*infer.Val {
	var out []*infer.Val
	for _, name := range names {
		out = append(out, g.Values.Ops(name)...)
		if short := infer.BaseOp(name); short != name {
			out = append(out, g.Values.Ops(short)...) // the operator
		}
	}
	return out
}

// EachFrame calls yield for every evaluation that was not superseded.
func (g *Graph) EachFrame(yield func(*infer.Frame) bool) {
	for _, f := range g.Values.Frames {
		if !f.Stale() && !yield(f) {
			return
		}
	}
}

// Modules yields the modules of which something was evaluated, those of objects included, with an evaluation of each.
func (g *Graph) Modules() iter.Seq2[*infer.Module, *infer.Frame] {
	g.modules.once.Do(func() {
		seen := map[*infer.Module]bool{}
		note := func(m *infer.Module, f *infer.Frame) {
			if m != nil && m.AST != nil && f != nil && !seen[m] {
				seen[m] = true
				g.modules.list = append(g.modules.list, evaluated{m, f})
			}
		}
		for f := range g.EachFrame {
			note(f.Module, f)
		}
		for _, o := range g.Values.Instances {
			if o.Class != nil && o.Class.Module != nil {
				note(o.Class.Module, o.Class.Module.Frame)
			}
		}
	})
	return func(yield func(*infer.Module, *infer.Frame) bool) {
		for _, x := range g.modules.list {
			if !yield(x.module, x.frame) {
				return
			}
		}
	}
}

// evaluated is a module with an evaluation of its own body or of another in it.
type evaluated struct {
	module *infer.Module
	frame  *infer.Frame
}

// Evaluated reports whether a function was evaluated, in an evaluation that was not superseded.
func (g *Graph) Evaluated(def *ast.FunctionDef) bool {
	g.evaluated.once.Do(func() {
		g.evaluated.defs = map[*ast.FunctionDef]bool{}
		for f := range g.EachFrame {
			if f.Func != nil && f.Func.Def != nil {
				g.evaluated.defs[f.Func.Def] = true
			}
		}
	})
	return g.evaluated.defs[def]
}

// OwnStmts calls visit for the statements of a frame's own body, as Own does for all nodes.
func OwnStmts(f *infer.Frame, visit func(ast.Stmt)) {
	ast.InspectStmts(f.Body(), func(st ast.Stmt) bool {
		visit(st)
		return !infer.IsBody(st)
	})
}

// Each calls yield for every value of every frame, once each: an assigned value
// stands at its expression and at the variable.
func (g *Graph) Each(yield func(*infer.Val) bool) {
	for _, v := range g.Values.Values() {
		if !yield(v) {
			return
		}
	}
}

// Made returns the values that operations of these base names produced, whichever
// library and spelling: what Each yields and IsOp(names...) is true of, for rules
// that are about few operations.
func (g *Graph) Made(names ...string) []*infer.Val { return g.Values.Made(names...) }

// OfKind returns the values that must be one of the kinds: what Each yields and
// Is(k) is true of.
func (g *Graph) OfKind(k domain.Kind) []*infer.Val { return g.Values.OfKind(k) }

// Taking returns the values of the library's functions that have a parameter of one
// of these names.
func (g *Graph) Taking(params ...string) []*infer.Val {
	return g.Values.OfRow(func(row *library.Func) bool {
		return slices.ContainsFunc(params, func(name string) bool { return slices.Contains(row.Params, name) })
	})
}
