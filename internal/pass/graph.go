package pass

import (
	"reflect"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Uses is the value graph read forwards, a *Forward.
var Uses = &analysis.Analyzer{
	Name:       "uses",
	Doc:        "finds what is made of each value",
	Requires:   []*analysis.Analyzer{Values},
	ResultType: reflect.TypeFor[*Forward](),
	Run: func(p *analysis.Pass) (any, error) {
		return &Forward{res: p.ResultOf[Values].(*infer.Result)}, nil
	},
}

// Forward maps values to those that were made of them, and keeps what rules have in
// common to ask of a module. It is built when first asked and may be used by several
// goroutines.
type Forward struct {
	res    *infer.Result
	once   sync.Once
	all    []*infer.Val         // all values that are used or computed
	others map[*infer.Val]int32 // numbers of those that are not listed in res
	uses   []*infer.Val         // of all values, by number
	first  []int32              // by number, where a value's uses begin

	calls      memo[*callIndex]
	losses     memo[[]MinimisedLoss]
	surrogates memo[[]*Surrogate]
	weighted   memo[[]Weighted]
	references memo[[]*Reference]
	rollouts   memo[[]Rollout]
	severed    memo[[]Severed]
}

// memo is the answer to a question that several rules ask: the first works it out.
type memo[T any] struct {
	once sync.Once
	is   T
}

func (m *memo[T]) get(find func() T) T {
	m.once.Do(func() { m.is = find() })
	return m.is
}

// common is what the rules have worked out of the module so far.
func (p *Pass) common() *Forward { return p.ResultOf[Uses].(*Forward) }

// Of returns the values of which v is an input, in the order of frames and of
// the source.
func (f *Forward) Of(v *infer.Val) []*infer.Val {
	f.once.Do(f.build)
	n, ok := f.number(v)
	if !ok {
		return nil
	}
	return f.uses[f.first[n]:f.first[n+1]]
}

// number returns the number of a value: its position among those of the module, or
// one behind them.
func (f *Forward) number(v *infer.Val) (n int32, ok bool) {
	if v == nil {
		return 0, false
	}
	if i, ok := f.res.Position(v); ok {
		return int32(i), true
	}
	n, ok = f.others[v]
	return n, ok
}

// build visits all values and counts before it files, so that the lists of uses are
// cut out of one piece: most values have one use or two.
func (f *Forward) build() {
	b := &builder{Forward: f, listed: int32(len(f.res.Values()))}
	f.others = map[*infer.Val]int32{}
	f.all = make([]*infer.Val, 0, b.listed)
	b.seen = make([]bool, b.listed, 2*b.listed)
	for _, frame := range f.res.Frames {
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
	f.first = make([]int32, len(b.seen)+1)
	for _, e := range b.edges {
		f.first[e.from+1]++
	}
	for n := range b.seen {
		f.first[n+1] += f.first[n]
	}
	f.uses = make([]*infer.Val, len(b.edges))
	next := slices.Clone(f.first)
	for _, e := range b.edges {
		f.uses[next[e.from]] = e.to
		next[e.from]++
	}
}

// builder collects the edges of the graph.
type builder struct {
	*Forward
	listed int32 // values with a position
	seen   []bool
	edges  []edge
}

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

func (b *builder) visit(v *infer.Val, n int32) {
	if b.seen[n] {
		return
	}
	b.seen[n] = true
	b.all = append(b.all, v)
	for in := range v.Sources {
		from := b.numbered(in)
		b.edges = append(b.edges, edge{from, v})
		b.visit(in, from) // joins stand at no expression
	}
}

// UsesOf returns the values that were made of v.
func (p *Pass) UsesOf(v *infer.Val) []*infer.Val { return p.common().Of(v) }

// EachUsed calls yield for every value that something was made of, or that an
// expression computed: also for those that stand at no expression any more, since a
// later round of a loop computed it again.
func (p *Pass) EachUsed(yield func(*infer.Val) bool) {
	f := p.common()
	f.Of(nil) // builds the uses
	for _, v := range f.all {
		if !yield(v) {
			return
		}
	}
}

// Protected reports whether what v becomes is protected against zero, NaN or
// infinity: a clamp, nan_to_num or where takes it, or a view of it.
func (p *Pass) Protected(v *infer.Val) bool { return p.protected(v, 8) }

func (p *Pass) protected(v *infer.Val, depth int) bool {
	for _, u := range p.UsesOf(v) {
		switch {
		case u.Fn != nil && u.Fn.Guards:
			return true
		case depth > 0 && infer.Strip(u) == infer.Strip(v) && u != v && p.protected(u, depth-1):
			return true
		}
	}
	return false
}

// sizeOps yield what a tensor's size is, and nothing of its elements.
var sizeOps = []string{"numel", "len", "size", "shape", "dim", "ndim", "nelement"}

// ChecksSize reports whether v is computed under a condition on the size of x.
func (p *Pass) ChecksSize(v, x *infer.Val) bool {
	return v.Guarded(func(g *infer.Guard) bool {
		found := false
		infer.Walk(g.Cond, 60, func(c *infer.Val) bool {
			if c.IsOp(sizeOps...) && len(c.In) > 0 && infer.SameSource(c.In[0], x) {
				found = true
			}
			return !found
		})
		return found
	})
}

// ChecksContent reports whether v is computed under a condition on the elements
// of x: on x, its spread, its sum; one on its size alone does not count, nor one
// that there is a number at all.
func (p *Pass) ChecksContent(v, x *infer.Val) bool {
	return v.Guarded(func(g *infer.Guard) bool {
		found := false
		infer.Walk(g.Cond, 60, func(c *infer.Val) bool {
			if infer.SameSource(c, x) {
				found = true
			}
			return !found && !c.IsOp(sizeOps...) && !c.IsOp("isnan", "isinf", "isfinite")
		})
		return found
	})
}

// Operand returns the syntax by which v's input in stands where v is computed:
// for x / s the name s, though the value of s was computed elsewhere. It returns
// nil where the input has no syntax of its own there.
func (p *Pass) Operand(v, in *infer.Val) ast.Expr {
	for _, e := range operands(v.Node) {
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

// operands lists the expressions directly below an operation.
func operands(n ast.Node) []ast.Expr {
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
		out = append(out, n.Args...)
		for _, k := range n.Keywords {
			out = append(out, k.Value)
		}
		return out
	}
	return nil
}
