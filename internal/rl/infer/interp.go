package infer

import (
	"context"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// Importer finds the modules that a module imports.
type Importer interface {
	// Import returns the module that dotted names as seen from a module, with
	// level leading dots; nil where it is not part of the program, or not
	// evaluated yet because the imports are circular.
	Import(from *Module, level int, dotted string) *Module
}

// Config is the input of Evaluate.
type Config struct {
	Module   *Module
	Importer Importer       // nil: nothing can be imported
	Table    *library.Table // nil: library.Load()
}

// Bounds of the evaluation. Each one that is hit is counted in Stats.
const (
	maxDepth    = 10  // nested calls
	maxContexts = 24  // frames of one function
	maxRounds   = 4   // passes over one loop
	workFactor  = 8   // expressions evaluated, as a multiple of the module's nodes
	minWork     = 1e5 // ... but at least so many
	maxElems    = 16  // elements of a tuple that are followed one by one
)

// Stats counts the work done and the bounds that were hit.
type Stats struct {
	Evaluated   int // expressions evaluated
	Frames      int
	Memoised    int // calls answered by an earlier frame
	DepthHits   int // calls not followed: too deep or recursive
	ContextHits int // calls not followed: too many contexts
	RoundHits   int // loops not run to their end
	WorkHits    int // calls not followed: work used up
	CompareHits int // values compared superficially: comparisons used up
}

// Result is the value graph of one module and of the functions it calls.
type Result struct {
	Module *Module
	// Frames lists all evaluations in the order in which they began; the first
	// is the module's body. Frames of functions of other modules are among them.
	Frames []*Frame
	// Instances lists the objects of the program's classes in order of creation.
	Instances []*Instance
	// Stores are the assignments of layers and parameters to attributes and
	// items of objects, in order of evaluation.
	Stores []Store
	// Functions are the custom autograd Functions of the module.
	Functions []*Function
	Stats     Stats

	idx      *index
	sites    map[*Val]*Site
	absorbed map[*Val][]*Val
}

// Absorbed calls yield for pairs of values of which the second stands for the
// first as well: where control flow meets and both are of the same quantity, a
// join keeps one of them. Whoever asks what becomes of a value has to ask of what
// stands for it, too. The order is not determined.
func (r *Result) Absorbed(yield func(v, by *Val) bool) {
	for v, list := range r.absorbed {
		for _, by := range list {
			if !yield(v, by) {
				return
			}
		}
	}
}

// interp evaluates one module.
type interp struct {
	ctx        context.Context
	cfg        Config
	table      *library.Table
	res        *Result
	codes      map[ast.Node]*code
	classes    []*ClassRef
	lambdas    []*FuncRef
	defs       []*FuncRef
	stack      []*Frame
	effort     comparisons
	joining    int          // containers around the values that join is at
	inside     map[Ref]bool // objects that evaluation is going through
	passages   int          // how often it went through one
	siteAt     map[siteKey]*Site
	statements int  // begun, to look at ctx now and then
	stopped    bool // ctx is done
	work       int
	consts     map[any]*Val
	slab       []Val
	unknown    *Val
	libVals    map[string]*Val
	spaces     map[string]*Module // by dotted name, where the packages above have no module
	attrsVer   int
}

// Evaluate infers the values of a module. It returns early, with what it has,
// when ctx is done.
func Evaluate(ctx context.Context, cfg Config) *Result {
	if cfg.Table == nil {
		cfg.Table = library.Load()
	}
	in := &interp{
		ctx:     ctx,
		cfg:     cfg,
		table:   cfg.Table,
		res:     &Result{Module: cfg.Module, sites: map[*Val]*Site{}, absorbed: map[*Val][]*Val{}},
		codes:   map[ast.Node]*code{},
		libVals: map[string]*Val{},
		inside:  map[Ref]bool{},
		siteAt:  map[siteKey]*Site{},
		work:    max(minWork, workFactor*cfg.Module.AST.NumNodes),
		effort:  comparisons{limit: max(minCompares, compareFactor*cfg.Module.AST.NumNodes)},
	}
	in.unknown = &Val{Q: domain.Unknown, Op: OpUnknown}
	in.module()
	in.entries()
	in.settle()
	in.res.Stats.Frames = len(in.res.Frames)
	res := in.res
	*in = interp{} // objects remember who made them: keep the identity, drop the rest
	return res
}

// module evaluates the module's body.
func (in *interp) module() {
	m := in.cfg.Module
	f := in.newFrame(m, newCode(nil, nil, m.AST.Body))
	m.Frame = f
	s := &state{}
	in.push(f)
	in.block(f, s, m.AST.Body)
	in.pop()
	f.final = s.env
}

// entries evaluates what nobody called: functions, methods, lambdas. Classes
// come first, since their methods fill the attributes that later ones read, and
// twice where attributes changed after a method had read them.
func (in *interp) entries() {
	for i := 0; i < len(in.classes); i++ {
		if isFunction(in.classes[i]) {
			in.function(in.classes[i])
		}
		in.entryClass(in.classes[i])
	}
	for i := 0; i < len(in.defs); i++ {
		in.entry(in.defs[i])
	}
	for i := 0; i < len(in.lambdas); i++ {
		in.entry(in.lambdas[i])
	}
}

// entry evaluates a function with unknown arguments if it was never called.
func (in *interp) entry(fn *FuncRef) *Frame {
	if c := in.codeOf(fn); c.visited {
		return nil
	}
	return in.enter(fn, nil, in.entryArgs(fn), nil)
}

func (in *interp) entryClass(c *ClassRef) {
	var methods []*FuncRef
	for _, st := range c.Def.Body {
		d, ok := st.(*ast.FunctionDef)
		if !ok {
			continue
		}
		if v := c.Attrs[d.Name]; v != nil {
			if fn, ok := v.Ref.(*FuncRef); ok && fn.Def == d && !in.codeOf(fn).visited {
				methods = append(methods, fn)
			}
		}
	}
	if len(methods) == 0 {
		return
	}
	self := in.genericInstance(c)
	var earlier []*Frame
	for round := 0; round < 2; round++ {
		before := in.attrsVer
		frames := in.entryMethods(methods, self, c)
		for _, f := range earlier {
			f.stale = true
		}
		if in.attrsVer == before {
			return
		}
		earlier = frames
	}
}

// entryMethods evaluates methods on an object of unknown history. __init__ has
// been evaluated when the object was made.
func (in *interp) entryMethods(methods []*FuncRef, self *Val, c *ClassRef) []*Frame {
	var frames []*Frame
	for _, fn := range methods {
		if fn.Def.Name == "__init__" {
			continue
		}
		bound := in.bindMethod(fn, self, c).Ref.(*FuncRef)
		frames = append(frames, in.enter(bound, nil, in.entryArgs(bound), nil))
	}
	return frames
}

func (in *interp) push(f *Frame) { in.stack = append(in.stack, f) }
func (in *interp) pop()          { in.stack = in.stack[:len(in.stack)-1] }

func (in *interp) newFrame(m *Module, c *code) *Frame {
	f := &Frame{Module: m, code: c, vals: make([]*Val, c.size), depth: len(in.stack)}
	in.res.Frames = append(in.res.Frames, f)
	return f
}

// heapAt returns the object that node allocates in f, so that a loop that
// evaluates node again finds the same object and converges.
func heapAt[R Ref](f *Frame, n ast.Node, make func() R) R {
	if f.heap == nil {
		f.heap = map[ast.NodeID]Ref{}
	}
	if r, ok := f.heap[n.NodeID()].(R); ok {
		return r
	}
	r := make()
	f.heap[n.NodeID()] = r
	return r
}

// newVal takes a Val from a slab: the graph has one per evaluated expression. The
// slabs are small, since one value that outlives the module keeps its whole slab.
func (in *interp) newVal(v Val) *Val {
	if len(in.slab) == 0 {
		in.slab = make([]Val, 16)
	}
	p := &in.slab[0]
	in.slab = in.slab[1:]
	*p = v
	p.Seq = in.res.Stats.Evaluated
	return p
}

// val makes a value computed by node in f.
func (in *interp) val(f *Frame, s *state, n ast.Node, op string, q domain.Value, inputs ...*Val) *Val {
	return in.newVal(Val{Q: q, Op: op, In: inputs, Node: n, Frame: f, Guard: s.guard})
}

func (in *interp) opaque(f *Frame, s *state, n ast.Node, op string, inputs ...*Val) *Val {
	return in.val(f, s, n, op, domain.Unknown, inputs...)
}

// join returns the value where two control flows meet.
func (in *interp) join(a, b *Val) *Val {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	case in.same(a, b), a.Op == OpPhi && in.phiCovers(a, b):
		in.absorb(a, b)
		return a
	}
	q := a.Q.Join(b.Q)
	switch {
	case a.IsNone():
		q = b.Q
	case b.IsNone():
		q = a.Q
	case isNeutral(a):
		q.Kind, q.Evidence = b.Q.Kind, b.Q.Evidence
	case isNeutral(b):
		q.Kind, q.Evidence = a.Q.Kind, a.Q.Evidence
	}
	v := Val{Q: q, Op: OpPhi, Lib: a.Lib, In: []*Val{a, b}, Node: b.Node, Frame: b.Frame, Guard: b.Guard}
	if b.Lib != a.Lib && !a.IsNone() {
		v.Lib = LibUnknown
	}
	v.Ref = in.joinRef(a, b)
	if sameConst(a.Const, b.Const) {
		v.Const = a.Const
	}
	return in.newVal(v)
}

// absorb notes that a stands for b from here on.
func (in *interp) absorb(a, b *Val) {
	if a == b || a == nil || b == nil || len(b.In) == 0 && b.Ref == nil {
		return
	}
	list := in.res.absorbed[b]
	for _, x := range list[max(0, len(list)-maxElems):] { // a loop comes by again; that some stand twice does no harm
		if x == a {
			return
		}
	}
	in.res.absorbed[b] = append(list, a)
}

// isNeutral reports whether a value is a start that says nothing of what comes:
// the zero of a sum, a buffer that is filled later.
func isNeutral(v *Val) bool {
	if c, ok := v.Float(); ok {
		return c == 0 && v.Op != OpConfig
	}
	return isBlank(v)
}

// phiCovers reports whether joining b again would add nothing to the phi.
func (in *interp) phiCovers(phi, b *Val) bool {
	for _, x := range phi.In {
		if x == b || in.same(x, b) {
			return true
		}
	}
	return false
}

func (in *interp) joinRef(a, b *Val) Ref {
	x, y := a.Ref, b.Ref
	switch {
	case x == nil && (a.IsNone() || a.Q.IsBottom()):
		return y
	case y == nil && (b.IsNone() || b.Q.IsBottom()):
		return x
	case x == nil || y == nil:
		return nil
	}
	if in.joining == 0 {
		in.effort.room = in.parts()
	}
	if in.sameRef(x, y, maxSameDepth, in.effort.room) {
		return x
	}
	room := in.effort.room
	in.effort.room /= max(size(x)+size(y), 1)
	if in.joining == maxJoinDepth || in.effort.room == 0 {
		in.effort.room = room
		return nil
	}
	in.joining++
	defer func() { in.joining, in.effort.room = in.joining-1, room }()
	switch p := x.(type) {
	case *SeqRef:
		if q, ok := y.(*SeqRef); ok {
			return in.joinSeq(p, q)
		}
	case *DictRef:
		if q, ok := y.(*DictRef); ok {
			return in.joinDict(p, q)
		}
	}
	return nil
}

// maxJoinDepth bounds how deep containers are joined, since they can hold
// themselves: what is in deeper ones is unknown where two flows meet. So is what is
// in very large ones.
const maxJoinDepth = 5

// size is the number of parts of a container.
func size(r Ref) int {
	switch r := r.(type) {
	case *SeqRef:
		return len(r.Elems)
	case *DictRef:
		return len(r.Fields)
	}
	return 0
}

func (in *interp) joinSeq(p, q *SeqRef) Ref {
	r := &SeqRef{List: p.List || q.List, owner: in}
	if p.Elems != nil && len(p.Elems) == len(q.Elems) {
		for i := range p.Elems {
			r.Elems = append(r.Elems, in.join(p.Elems[i], q.Elems[i]))
		}
		return r
	}
	r.Elem = in.join(in.seqElem(p), in.seqElem(q))
	return r
}

func (in *interp) joinDict(p, q *DictRef) Ref {
	r := in.newDict()
	r.Elem, r.Open = in.join(p.Elem, q.Elem), p.Open || q.Open
	for _, k := range p.order {
		r.set(k, in.join(p.Fields[k], q.Fields[k]))
	}
	for _, k := range q.order {
		if r.Fields[k] == nil {
			r.set(k, q.Fields[k])
		}
	}
	return r
}

// seqElem is the join of the elements of a sequence.
func (in *interp) seqElem(r *SeqRef) *Val {
	e := r.Elem
	for _, x := range r.Elems {
		e = in.join(e, x)
	}
	return e
}

// joinState joins b into a at a meeting point of control flow.
func (in *interp) joinState(a, b *state) {
	switch {
	case b == nil || b.dead:
		return
	case a.dead:
		*a = *b.clone()
		return
	}
	a.differences(&b.env, func(i int, v *Val) { a.set(i, in.join(a.get(i), v)) })
	if a.guard != b.guard {
		a.guard = commonGuard(a.guard, b.guard)
	}
	a.noGrad = a.noGrad && b.noGrad
}

// commonGuard returns the longest shared tail of two guard chains.
func commonGuard(a, b *Guard) *Guard {
	for a != b {
		if a.level() >= b.level() {
			a = a.Parent
		} else {
			b = b.Parent
		}
	}
	return a
}

// level is the number of guards from g on.
func (g *Guard) level() int {
	if g == nil {
		return 0
	}
	return g.depth
}

// codeOf returns the shared part of all frames of fn.
func (in *interp) codeOf(fn *FuncRef) *code {
	var key ast.Node = fn.Lambda
	if fn.Def != nil {
		key = fn.Def
	}
	if c := in.codes[key]; c != nil {
		return c
	}
	var c *code
	if fn.Def != nil {
		c = newCode(fn.Def, fn.Def.Params, fn.Def.Body)
	} else {
		c = newCode(fn.Lambda, fn.Lambda.Params, nil)
	}
	in.codes[key] = c
	return c
}
