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
	// Test says that the module is there to test others: of those, it needs to know less.
	Test bool
}

// Bounds of the evaluation. Stats counts the calls and loops that were given up
// because of one.
const (
	maxDepth      = 10   // nested calls
	maxContexts   = 24   // frames of one function
	minContexts   = 3    // ... but of a large one of another module
	maxRounds     = 4    // passes over one loop
	minWork       = 1e5  // expressions evaluated, which trainers of thousands of lines do not use up
	workFactor    = 2    // ... and beyond that as a multiple of the module's nodes
	importedNodes = 1500 // nodes in all frames of a function of another module
	testedNodes   = 600  // ... where a test calls it
	testedDepth   = 2    // nested calls of functions of other modules where a test calls the first
	maxElems      = 24   // elements of a sequence or dict that are followed one by one
)

// Stats counts the work done and the bounds that were hit.
type Stats struct {
	Evaluated   int // expressions evaluated
	Frames      int // bodies evaluated: of modules, classes and functions
	Memoised    int // calls answered by an earlier frame
	DepthHits   int // calls and references not followed: too deep or recursive
	ContextHits int // calls not followed: too many contexts
	RoundHits   int // loops not run to their end
	WorkHits    int // calls not followed: work used up
	CompareHits int // values compared superficially: comparisons used up
	LossHits    int // losses of which nobody asked how much was understood: too much lies behind them all
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
	// Scored are the evaluations of functions that score what a policy wrote, in order.
	Scored []Scored
	Stats  Stats

	idx      *index
	sites    map[*Val]*Site
	absorbed map[*Val][]*Val
	// absorbedIn are the keys of absorbed in the order of their first join.
	absorbedIn []*Val
}

// interp evaluates one module.
type interp struct {
	ctx        context.Context
	cfg        Config
	table      *library.Table
	res        *Result
	codes      map[ast.Node]*code
	nth        int64 // the element of a sequence for which expressions are evaluated, 0 for the first or all
	classes    []*ClassRef
	lambdas    []*FuncRef
	defs       []*FuncRef
	stack      []*Frame
	effort     comparisons
	joining    int             // containers around the values that join is at
	inside     map[Ref]bool    // objects that evaluation is going through
	joins      map[joinIn]bool // joins that it is going through
	passages   int             // how often it went through one
	following  int             // references that are being followed, see follow
	level      int             // of the recursion, see deeper
	chosenBy   *Val            // the condition whose branches are joined, see by
	siteAt     map[siteKey]*Site
	statements int  // begun, to look at ctx now and then
	stopped    bool // ctx is done
	work       int
	consts     map[any]*Val
	made       map[*Sight]*Val // what the expressions are that a run showed
	unknown    *Val
	noneVal    *Val
	scratch    library.Scratch
	libVals    map[string]*Val
	builtins   map[string]*Val                   // by name
	names      map[string]*domain.Value          // what names say, nil for nothing
	spaces     map[string]*Module                // by dotted name, where the packages above have no module
	attrsVer   int                               // changes of attributes
	storing    int                               // stores in fields, counted
	forgotten  int                               // ... before which nobody knows what was the last
	foreigners map[*ClassRef]*Val                // objects of classes of other modules, see foreign
	unfilledIn map[fieldOfObject]*Val            // what fields hold that subclasses fill
	fillings   map[*ClassRef]map[string][]string // see fillingsOf
	held       map[[2]*Val]*Val                  // what a field holds, by its join and its last store
}

// Evaluate infers the values of a module. It returns early, with what it has,
// when ctx is done.
func Evaluate(ctx context.Context, cfg Config) *Result {
	if cfg.Table == nil {
		cfg.Table = library.Load()
	}
	in := &interp{
		ctx:      ctx,
		cfg:      cfg,
		table:    cfg.Table,
		res:      &Result{Module: cfg.Module, sites: map[*Val]*Site{}, absorbed: map[*Val][]*Val{}},
		codes:    map[ast.Node]*code{},
		libVals:  map[string]*Val{},
		builtins: map[string]*Val{},
		names:    map[string]*domain.Value{},
		inside:   map[Ref]bool{},
		joins:    map[joinIn]bool{},
		siteAt:   map[siteKey]*Site{},
		made:     map[*Sight]*Val{},
		work:     minWork + workFactor*cfg.Module.AST.NumNodes,
		effort:   comparisons{limit: max(minCompares, compareFactor*cfg.Module.AST.NumNodes)},
	}
	in.unknown = &Val{Q: domain.Unknown, Op: OpUnknown}
	in.module()
	in.entries()
	in.settle()
	if !cfg.Test { // a test trains nothing
		in.train()
	}
	in.res.Stats.Frames = len(in.res.Frames)
	res := in.res
	*in = interp{} // objects remember who made them: keep the identity, drop the rest
	return res
}

// module evaluates the module's body.
func (in *interp) module() {
	m := in.cfg.Module
	last := ast.NodeID(max(m.AST.NumNodes-1, 1))
	f := in.newFrame(m, &code{layout: newLayout(1, last, nil, m.AST.Body, nil)})
	m.Frame = f
	s := &state{}
	in.push(f)
	in.block(f, s, m.AST.Body)
	in.pop()
	f.final = s.env
}

func (in *interp) push(f *Frame) { in.stack = append(in.stack, f) }
func (in *interp) pop()          { in.stack = in.stack[:len(in.stack)-1] }

func (in *interp) newFrame(m *Module, c *code) *Frame {
	f := &Frame{Module: m, code: c, vals: make([]*Val, c.size), depth: len(in.stack), owner: in}
	in.res.Frames = append(in.res.Frames, f)
	return f
}

// allocation is where a frame makes an object: the syntax and, of a list that is made for each of known elements
// in turn, which of them.
type allocation struct {
	node ast.NodeID
	turn int64
}

// heapAt returns the object that node allocates in f, so that a loop that
// evaluates node again finds the same object and converges.
func heapAt[R Ref](f *Frame, n ast.Node, make func() R) R {
	return heapIn(f, allocation{node: n.NodeID()}, make)
}

func heapIn[R Ref](f *Frame, at allocation, make func() R) R {
	if f.heap == nil {
		f.heap = map[allocation]Ref{}
	}
	if r, ok := f.heap[at].(R); ok {
		return r
	}
	r := make()
	f.heap[at] = r
	return r
}

// listAt returns the empty list that node makes in f: one for each of known elements that are gone through one by one.
func (in *interp) listAt(f *Frame, n ast.Node) *SeqRef {
	return heapIn(f, allocation{n.NodeID(), f.turn}, func() *SeqRef { return &SeqRef{List: true, owner: in} })
}

// newVal makes a value. Each is an object of its own, although the graph has one per
// evaluated expression: in an array of them, one that outlives the module would keep
// its neighbours, and all that they were computed from.
func (in *interp) newVal(v Val) *Val {
	v.at = 0 // of another result, where v is a copy of a value of an imported module
	v.Seq = in.res.Stats.Evaluated
	v.nth = in.nth
	return &v
}

// val makes a value computed by node in f.
func (in *interp) val(f *Frame, s *state, n ast.Node, op string, q domain.Value, inputs ...*Val) *Val {
	return &Val{
		Q: q, Op: op, In: inputs, Node: n, Frame: f, Guard: s.guard, NoGrad: s.noGrad, Seq: in.res.Stats.Evaluated, nth: in.nth,
	}
}

func (in *interp) opaque(f *Frame, s *state, n ast.Node, op string, inputs ...*Val) *Val {
	return in.val(f, s, n, op, domain.Unknown, inputs...)
}

// unfollowed is what a call yields of which nothing is known.
func (in *interp) unfollowed(f *Frame, s *state, n ast.Node, inputs ...*Val) *Val {
	v := in.opaque(f, s, n, OpCall, inputs...)
	v.asked = true
	return v
}

// codeOf returns the shared part of all frames of fn.
func (in *interp) codeOf(fn *FuncRef) *code {
	if fn.Def != nil {
		return in.codeAt(fn.Module, fn.Def)
	}
	return in.codeAt(fn.Module, fn.Lambda)
}

// codeAt returns the shared part of all frames of a definition of m.
func (in *interp) codeAt(m *Module, def ast.Node) *code {
	c := in.codes[def]
	if c == nil {
		c = &code{layout: m.layouts.get(def)}
		in.codes[def] = c
	}
	return c
}
