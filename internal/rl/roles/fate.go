package roles

import (
	"maps"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # What becomes of a value
//
// "Nothing of this reaches the loss" is a claim about all that is ever made of a
// value, so the trace goes forwards and accounts for every use. Where it cannot,
// it says so, and the rule is silent. Five things make a naive walk along the
// graph's edges wrong:
//
//   - A join keeps one of two values that are of the same quantity. The other is
//     not lost: infer tells what stands for it (Absorbed).
//   - One evaluation of a function answers all calls of equal contexts, so its
//     parameters are the arguments of the first. The trace enters a callee for the
//     arguments that are traced, and comes back only with what these calls yield.
//   - Tensors are changed in place, and a change shows under every name: what
//     a traced value is added to is traced as well.
//   - A condition makes things depend on a value without an edge.
//   - An object that is not understood may hand on what was put into it. Names of
//     attributes and keys under which a traced value was stored are looked for among
//     the reads that inference could not resolve.
//
// A number (item(), float()) carries no gradient. It may be returned or logged
// by a training step, as metrics are; a tensor that leaves the program's sight
// may become anything.

// Fate is what became of some values.
type Fate struct {
	// Differentiated says that backward() is called on something made of them.
	Differentiated bool
	// Lost says that not every use is understood, or that one of them decides
	// something: nothing may be claimed. Why says which, for debugging.
	Lost bool
	Why  string
	// Returned are the functions that nobody calls and that return the values.
	Returned []*infer.Frame
	// Shown says that people read them: they are logged, kept or returned as metrics.
	Shown bool
	// Vals is all that was made of them, themselves included.
	Vals map[*infer.Val]bool
}

// Matters reports whether the values do something, or may do.
func (f *Fate) Matters() bool { return f.Differentiated || f.Lost || len(f.Returned) > 0 }

// FateOf traces values forwards to their ends.
func (m *Model) FateOf(seeds ...*infer.Val) *Fate {
	t := &trace{
		m: m, calls: m.calledWith(), budget: traceBudget, done: map[visit]map[*infer.Val]bool{}, kept: map[string]bool{},
		Fate: Fate{Vals: map[*infer.Val]bool{}},
	}
	for _, v := range seeds {
		if query.IsContainer(v) { // what a call returned, and its elements
			seeds = append(seeds, nested(v)...)
		}
	}
	t.run(seeds, nil)
	t.checkFrames()
	t.checkReads()
	return &t.Fate
}

// traceBudget bounds the values of one trace; beyond it nothing is claimed.
const traceBudget = 200000

// trace is one walk forwards.
type trace struct {
	Fate
	m      *Model
	calls  *callIndex
	budget int
	done   map[visit]map[*infer.Val]bool
	kept   map[string]bool // names by which containers were read that values were put into
}

// visit is an evaluation entered with one of its arguments traced.
type visit struct {
	frame *infer.Frame
	param *infer.Val
}

func (t *trace) lose(why string) {
	if !t.Lost {
		t.Lost, t.Why = true, why
	}
}

// walker is the part of a trace inside one scope: an evaluation entered by its
// parameters, or everything.
type walker struct {
	*trace
	scope *infer.Frame
	// seen holds, for each traced value, how it came to be so.
	seen map[*infer.Val]origin
	work []*infer.Val
}

type origin uint8

const (
	viaCall   origin = iota + 1 // what one call yields: other calls of the same evaluation do not
	argument                    // a parameter of the scope: it counts inside only
	intrinsic                   // whoever asks
)

// run traces seeds. With a scope they are parameters of that evaluation.
func (t *trace) run(seeds []*infer.Val, scope *infer.Frame) map[*infer.Val]bool {
	w := &walker{trace: t, scope: scope, seen: map[*infer.Val]origin{}}
	from := intrinsic
	if scope != nil {
		from = argument
	}
	for _, v := range seeds {
		w.add(v, from)
	}
	for len(w.work) > 0 && !t.Lost {
		v := w.work[len(w.work)-1]
		w.work = w.work[:len(w.work)-1]
		if t.budget--; t.budget < 0 {
			t.lose("too many values")
		}
		w.step(v, w.seen[v])
	}
	out := make(map[*infer.Val]bool, len(w.seen))
	for v := range w.seen {
		out[v] = true
	}
	return out
}

func (w *walker) add(v *infer.Val, from origin) {
	if v == nil || v.IsNone() || w.seen[v] >= from {
		return
	}
	w.seen[v] = from
	w.Vals[v] = true
	w.work = append(w.work, v)
}

// step follows v to all that is made of it.
func (w *walker) step(v *infer.Val, from origin) {
	for _, u := range w.m.g.UsesOf(v) {
		if w.follows(v, u, from) {
			w.edge(v, u, from)
		}
	}
	if from != argument {
		for _, a := range w.calls.absorbed[v] {
			if !w.leaves(v, a) {
				w.add(a, from)
			}
		}
	}
	for _, c := range w.calls.args[v] {
		if from != argument || w.calls.within(c.site.Caller, w.scope) {
			w.enter(c)
		}
	}
}

// follows reports whether the use u of v is one of this scope, and not one that
// the summary of a call tells.
func (w *walker) follows(v, u *infer.Val, from origin) bool {
	switch {
	case from == argument:
		return u.Frame == w.scope || u.Op == infer.OpPhi && w.calls.usedIn(w.m.g, u, w.scope) || w.calls.closesOver(u.Frame, w.scope)
	case u.Frame != nil && u.Frame != v.Frame && w.calls.paramsOf(u.Frame)[v]:
		return false
	case len(u.In) > 0 && u.In[0] == v && w.m.g.Values.SiteOf(u) != nil:
		return from == intrinsic && w.scope == nil
	}
	return !w.leaves(v, u)
}

// leaves reports whether u is what a caller makes of v, which the scope returns: the
// call that is traced comes back for that by itself.
func (w *walker) leaves(v, u *infer.Val) bool {
	return w.scope != nil && w.calls.resultsOf(w.scope)[v] && !w.calls.within(u.Frame, w.scope) && w.calls.pure(w.scope)
}

// enter traces what a callee makes of an argument, and comes back with what the
// call yields of it.
func (w *walker) enter(c argUse) {
	key := visit{c.site.Callee, c.param}
	inside, ok := w.done[key]
	if !ok {
		w.done[key] = nil // a recursive call adds nothing
		inside = w.run([]*infer.Val{c.param}, c.site.Callee)
		w.done[key] = inside
	}
	wrapped := map[*infer.Val]bool{}
	for _, u := range w.calls.wrappers[c.site] {
		wrapped[u.In[0]] = true
		if inside[u.In[0]] {
			w.add(u, intrinsic)
		}
	}
	for _, r := range nested(c.site.Callee.Result) {
		if inside[r] && !wrapped[r] {
			w.add(r, viaCall)
		}
	}
}

// edge traces the use u of v as far as it is known to matter.
func (w *walker) edge(v, u *infer.Val, from origin) {
	next := intrinsic
	if from == argument && u.Op == infer.OpPhi {
		next = argument
	}
	switch {
	case u.Op == infer.OpDelegate:
		w.Differentiated = true
	case u.IsOp(shapeOps...) && len(u.In) > 0 && u.In[0] == v, u.Op == "is", u.Op == "isnot", asksForForm(u, v):
		return // nothing of the values
	case u.Op == infer.OpStore && len(u.In) > 1 && u.In[1] == v:
		w.add(u, next)
		w.changed(u.In[0])
	case w.m.g.IsOpaque(u):
		w.opaque(v, u)
	case u.Op == infer.OpCall && w.m.g.Values.SiteOf(u) != nil && u.In[0] != v:
		return // an argument: the summary of the call tells
	default:
		w.add(u, next)
		if query.InPlace(u) && u.In[0] != v {
			w.changed(u.In[0])
		}
	}
}

// asksForForm reports whether u asks of v which keys it has, whether it is empty, or whether it is
// a certain text: nothing of the numbers that it holds.
func asksForForm(u, v *infer.Val) bool {
	switch _, dict := v.Ref.(*infer.DictRef); {
	case u.Op == infer.OpIterate:
		return dict
	case u.IsOp("in", "notin"):
		return dict && len(u.In) > 1 && u.In[1] == v
	case u.IsOp("not"):
		return query.IsContainer(v)
	case u.IsOp("eq", "ne"):
		return slices.ContainsFunc(u.In, func(x *infer.Val) bool {
			_, text := x.Str()
			return text
		})
	}
	return false
}

// changed traces what was changed in place; a number is not: it is replaced.
func (w *walker) changed(base *infer.Val) {
	if base != nil && base.Const == nil && !base.Is(domain.Number|domain.Count|domain.Text) && !query.IsNumber(base) {
		w.add(base, intrinsic)
	}
}

// shapeOps yield what an array's form is, and nothing of its elements.
var shapeOps = append([]string{
	"device", "dtype", "is_cuda", "type", "isinstance", "hasattr", "id", "zeros_like", "ones_like", "empty_like", "rand_like", "randn_like",
	"full_like", "new_zeros", "new_ones", "new_full", "new_empty", "new_tensor", "range",
}, query.SizeOps...)

// grows are methods that put something into a container, of whatever class.
var grows = query.Words(`append appendleft extend insert add update`)

// opaque decides what an unknown call does with v by what it is called: logging
// keeps values where people read them, some functions only compute.
func (w *walker) opaque(v, u *infer.Val) {
	name := query.CalleeName(u.Node)
	switch {
	case query.Loggers[name] || query.LoggerObject(u.Node):
		w.Shown = true
	case query.Computes[name], refused(u):
		w.add(u, intrinsic)
	case name == "backward":
		w.Differentiated = true
	case grows[name] && query.Receiver(u.Frame, u.Node) != nil: // and yields nothing of what was in it
		if into := query.Receiver(u.Frame, u.Node); into != v {
			w.changed(into)
			w.kept[readName(into)] = true
		}
	default:
		w.lose("unknown call of " + name)
	}
}

// checkFrames looks at what has no edge: conditions, and what functions return
// to callers that nobody sees.
func (t *trace) checkFrames() {
	for _, of := range t.m.tested() {
		if t.Lost {
			return
		}
		if slices.ContainsFunc(of.conditions, func(v *infer.Val) bool { return t.Vals[v] && !query.IsContainer(v) }) {
			t.lose("a condition")
		}
		if of.frame.Entry && of.frame.Result != nil {
			t.checkReturn(of.frame)
		}
	}
}

// tested is a frame with the values of its conditions.
type tested struct {
	frame      *infer.Frame
	conditions []*infer.Val
}

// tested are all frames in their order.
func (m *Model) tested() []tested {
	return m.tests.get(func() (out []tested) {
		for f := range m.g.EachFrame {
			of := tested{frame: f}
			for _, n := range f.Nodes() {
				if c := testOf(n); c != nil {
					if v := f.Val(c); v != nil {
						of.conditions = append(of.conditions, v)
					}
				}
			}
			out = append(out, of)
		}
		return out
	})
}

// testOf is what a node asks, an assertion too.
func testOf(n ast.Node) ast.Expr {
	if a, ok := n.(*ast.Assert); ok {
		return a.Cond
	}
	return query.BranchesOn(n)
}

// checkReturn is about a function that nobody calls: it may return metrics where
// it has trained, or beside the loss, but nothing else.
func (t *trace) checkReturn(f *infer.Frame) {
	trains := isTrainingStep(f) || t.m.returnsLoss(f).Known()
	for _, l := range t.m.Backwards {
		trains = trains || t.calls.within(l.Call.Frame, f)
	}
	for _, r := range nested(f.Result) {
		switch {
		case !t.Vals[r] || query.IsContainer(r) || isEither(r):
		case isTrainingStep(f) && r.Q.Grad != domain.Detached:
			t.Differentiated = true
		case trains && (query.IsNumber(r) || r.Q.Grad == domain.Detached):
			t.Shown = true
		case !slices.Contains(t.Returned, f):
			t.Returned = append(t.Returned, f)
		}
	}
}

// checkReads looks for reads that inference could not resolve, of names under
// which a traced value was stored.
func (t *trace) checkReads() {
	names, keys := maps.Clone(t.kept), map[string]bool{}
	delete(names, "")
	index := t.m.stored()
	for _, s := range index.named {
		switch {
		case !t.Vals[s.val] || s.call != nil && t.binds(s.frame, s.call, s.val):
		case s.key:
			keys[s.name] = true
		default:
			names[s.name] = true
		}
	}
	for _, o := range index.records {
		for name, x := range o.Attrs {
			if t.Vals[x] {
				names[name] = true
			}
		}
	}
	for v := range t.Vals {
		if s, ok := v.Ref.(*infer.SeqRef); ok {
			for _, name := range s.Names {
				names[name] = true
			}
		}
	}
	t.Shown = t.Shown || len(names)+len(keys) > 0
	if len(names)+len(keys) == 0 || t.Lost {
		return
	}
	for v := range t.m.g.Each {
		if (v.Op == infer.OpItem || v.Op == infer.OpUnknown || strings.HasPrefix(v.Op, infer.OpAttr)) && !t.Vals[v] {
			if name := readName(v); names[name] || keys[name] && !IsSettingOf(v) {
				t.lose("an unresolved read of " + name)
			}
		}
	}
}

// IsSettingOf reports whether v is read from an object of settings, by its name: nobody puts a value
// there under a key.
func IsSettingOf(v *infer.Val) bool {
	for v != nil && strings.HasPrefix(v.Op, infer.OpAttr+".") && len(v.In) > 0 {
		written := writtenOf(v)
		v = v.In[0]
		name := readName(v)
		if p, ok := v.Node.(*ast.Param); ok {
			name = p.Name
		}
		if query.HoldsSettings(name) || query.HoldsSettings(written) {
			return true
		}
	}
	return false
}

// writtenOf is the name of the variable of which v is written as an attribute, or "".
func writtenOf(v *infer.Val) string {
	if at, ok := v.Node.(*ast.Attribute); ok {
		if x, ok := at.X.(*ast.Name); ok {
			return x.Ident
		}
	}
	return ""
}

// storeIndex holds what is stored under names, of all frames.
type storeIndex struct {
	named   []namedStore
	records []*infer.Instance // objects that calls make
}

// namedStore is a value that is stored under an attribute or a key, or passed to a call
// by a keyword.
type namedStore struct {
	val   *infer.Val
	name  string
	frame *infer.Frame
	call  *ast.Call // nil for no keyword
	key   bool      // of a dict
}

// stored walks the bodies of all frames once for all traces.
func (m *Model) stored() *storeIndex {
	return m.stores.get(func() *storeIndex {
		index := &storeIndex{}
		for f := range m.g.EachFrame {
			for _, st := range f.Body() {
				ast.Walk(st, func(n ast.Node) bool { index.add(f, n); return true })
			}
		}
		return index
	})
}

// add notes what a node stores.
func (s *storeIndex) add(f *infer.Frame, n ast.Node) {
	store := func(v *infer.Val, name string, call *ast.Call, key bool) {
		if v != nil {
			s.named = append(s.named, namedStore{v, name, f, call, key})
		}
	}
	key := func(e ast.Expr, stored ast.Expr) {
		if k, ok := e.(*ast.String); ok {
			store(f.Val(stored), k.Value, nil, true)
		}
	}
	switch n := n.(type) {
	case *ast.Assign:
		for _, target := range n.Targets {
			switch x := target.(type) {
			case *ast.Attribute:
				store(f.Val(x), x.Attr, nil, false)
			case *ast.Subscript:
				key(x.Index, x)
			}
		}
	case *ast.Dict:
		for i, k := range n.Keys {
			if k != nil {
				key(k, n.Values[i])
			}
		}
	case *ast.Call:
		for _, k := range n.Keywords {
			if k.Name != "" {
				store(f.Val(k.Value), k.Name, n, false)
			}
		}
		if v := f.Val(n); v != nil && v.Op == infer.OpNew {
			if o, ok := v.Ref.(*infer.Instance); ok {
				s.records = append(s.records, o)
			}
		}
	}
}

// binds reports whether a call is known to bind an argument to a parameter, so that
// it is no name of a field: the body of the function tells.
func (t *trace) binds(f *infer.Frame, call *ast.Call, arg *infer.Val) bool {
	if v := f.Val(call); v != nil && v.Fn != nil {
		return true
	}
	return slices.ContainsFunc(t.calls.args[arg], func(u argUse) bool {
		return u.site.Node == call && u.site.Caller == f && slices.Contains(u.site.Callee.Params, u.param)
	})
}

// readName is the attribute or key that v was read by.
func readName(v *infer.Val) string {
	switch n := v.Node.(type) {
	case *ast.Attribute:
		return n.Attr
	case *ast.Subscript:
		if s, ok := n.Index.(*ast.String); ok {
			return s.Value
		}
	case *ast.Call: // d.get("name"), getattr(x, "name")
		for _, a := range n.Args {
			if s, ok := a.(*ast.String); ok {
				return s.Value
			}
		}
	}
	return ""
}
