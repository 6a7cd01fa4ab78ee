package infer

import (
	"github.com/rlvet/rlvet/internal/py/ast"
)

// Module is a module of the program as inference sees it.
type Module struct {
	Name string // dotted name
	Path string
	AST  *ast.Module
	// Frame is the evaluation of the module's body; nil until then.
	Frame *Frame
	// Handle is the caller's own.
	Handle any
	// Record is what a run showed of the module, nil where none was recorded.
	Record *Record

	layouts layouts
	writes  map[*DictRef]*DictRef // what the module put into dicts of others
	writers []*Module             // this and imported modules that did so

	derived  map[*ClassRef][]*ClassRef // the module's classes by each abstract one that they derive from
	derivers []*Module                 // this and imported modules that have such
}

// Frame is one evaluation of a body: a module's, or a function's in one calling
// context.
type Frame struct {
	Module *Module
	Func   *FuncRef // nil for a module
	// Caller and Call are the evaluation and the call expression that first
	// asked for this context; nil for a module and for an entry: a function
	// that nobody calls.
	Caller *Frame
	Call   *Val
	// Params are the arguments bound to the parameters, in order of the signature.
	Params []*Val
	// Result is the join of what the body returns.
	Result *Val
	// LastCall is the time of the last call that this evaluation answered.
	LastCall int
	// Entry says that the parameters are unknown: nobody was seen to call it.
	Entry bool

	code    *code
	parent  *Frame              // of a class body: the frame around it
	vals    []*Val              // by NodeID - code.base
	final   env                 // environment at the end, for closures and importers
	loops   map[ast.NodeID]env  // entry environments of loops
	brk     map[ast.NodeID]bool // loops that were left by break
	exits   []*loopExits
	returns []*Val
	yields  *Val
	cur     *state       // where evaluation stands, for closures
	handed  []int        // by parameter, how often a list that was handed over had come to hold something else
	missed  map[int]bool // slots that were read before they were bound
	noGrad  bool         // called where gradients are off
	heap    map[allocation]Ref
	turn    int64 // which element of those that are gone through one by one, counted from 1; 0 elsewhere
	sites   []*Site
	class   *ClassRef // of a class body
	reads   []read    // what the body read that is no argument
	stores  []stored  // what it, and what it called, stored in fields
	written []*written
	stale   bool // evaluated again later with better knowledge
	depth   int
	owner   *interp // who evaluated it
}

// Val returns the value that n had in this frame, or nil where n was not
// reached or is not an expression of this body.
func (f *Frame) Val(n ast.Node) *Val {
	i := int(n.NodeID()) - int(f.code.base)
	if i < 0 || i >= len(f.vals) {
		return nil
	}
	return f.vals[i]
}

// Each calls yield for every value computed in this frame, in source order.
func (f *Frame) Each(yield func(*Val) bool) {
	for _, v := range f.vals {
		if v != nil && v.Frame == f && !yield(v) {
			return
		}
	}
}

// Global returns the module-level binding of a name, or nil.
func (m *Module) Global(name string) *Val {
	if m.Frame == nil {
		return nil
	}
	return m.Frame.lookupFinal(name)
}

// lookupFinal returns the binding of a name where evaluation stands, or stood
// at the end.
func (f *Frame) lookupFinal(name string) *Val {
	i, ok := f.code.slots[name]
	if !ok {
		return nil
	}
	if f.running() {
		return f.cur.get(i)
	}
	return f.final.get(i)
}

// running reports whether the body is still being evaluated.
func (f *Frame) running() bool { return f.final.isEmpty() && f.cur != nil }

func (f *Frame) record(n ast.Node, v *Val) *Val {
	if i := int(n.NodeID()) - int(f.code.base); i >= 0 && i < len(f.vals) {
		f.vals[i] = v
	}
	return v
}

// state is the environment at a program point: one value a slot, nil unbound.
type state struct {
	env
	guard  *Guard
	noGrad bool
	dead   bool // control does not come here
}

func (s *state) clone() *state {
	c := *s
	c.env = s.env.clone()
	return &c
}

// assign binds a place and forgets what was known of its parts.
func (f *Frame) assign(s *state, slot int, v *Val) {
	s.set(slot, v)
	for _, j := range f.code.places[slot].parts {
		s.set(j, nil)
	}
}

// Body returns the statements that the frame evaluates; nil for a lambda.
func (f *Frame) Body() []ast.Stmt { return f.code.body }

// Generates reports whether the frame is that of a generator.
func (f *Frame) Generates() bool { return f.code.isGen }

// Stale reports whether a later frame evaluated the same body with better
// knowledge; rules pass over it.
func (f *Frame) Stale() bool { return f.stale }

// GradOff reports whether gradients were off where the body was called.
func (f *Frame) GradOff() bool { return f.noGrad }
