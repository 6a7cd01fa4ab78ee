package infer

import (
	"sync"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// Record is what a run of the program showed of one of its modules: a second source of what its
// values are, beside the evaluation. What the evaluation does not know is taken from here (observe.go).
type Record struct {
	// Sights are the expressions that were evaluated, by their places.
	Sights map[ast.Span]*Sight
	// Blocks are the lists of statements, by their places: how often each began.
	Blocks map[ast.Span]int
	// Uses are the absolute paths of the modules whose functions and classes the module was seen to hold: they
	// are as good as imported.
	Uses []string

	lock        sync.Mutex
	definitions map[uint32]*Val // functions and classes by where they begin
}

// Sight is what the values of one expression had in common in a run. Whatever they had not is unknown.
type Sight struct {
	Count int // evaluations
	// Made says that each evaluation makes a value: a call, an operator; the others hand one on.
	Made bool
	// Array is the library of the tensor or array that the value always was.
	Array Lib
	// Shape is that of a tensor or array, -1 for a size that changed; nil where the rank did.
	Shape []int
	Rank  bool // Shape is known
	// Attached and Detached say that gradients flowed into some of the tensors, and not into others.
	Attached, Detached bool
	// Constants are the numbers, texts, truth values or None that it was, where these were few.
	Constants []any
	// Origins are the sights of which one made the value, each time: the same object came from there.
	Origins []*Sight
	// Elements are the same for the elements of a tuple by their positions ("0"), of a dict by their keys, and of
	// a list or of other keys under "".
	Elements map[string][]*Sight
	Holds    string // "list", "tuple", "dict" where it always was one
	Length   int    // of a tuple, where it was always the same; else -1
	// Called are the functions and classes that it was, Classes those of the objects that it was.
	Called, Classes []Symbol
}

// Symbol is a function or class: of the program by the place of its definition, or of a library by its
// public name. Neither is known of the zero Symbol.
type Symbol struct {
	In    *Record
	Start uint32
	Name  string
}

// define notes what a definition of the module is.
func (r *Record) define(n ast.Node, v *Val) {
	if r == nil {
		return
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.definitions == nil {
		r.definitions = map[uint32]*Val{}
	}
	r.definitions[n.Span().Start] = v
}

// definition is the function or class of the program, nil where its module was not evaluated yet.
func (s Symbol) definition() *Val {
	if s.In == nil {
		return nil
	}
	s.In.lock.Lock()
	defer s.In.lock.Unlock()
	return s.In.definitions[s.Start]
}

// Ran reports whether what stands at a place ran: some expression there was evaluated, or the innermost
// block around it began where none of its expressions is watched.
func (r *Record) Ran(at ast.Span) bool {
	watched := false
	for span, s := range r.Sights {
		if at.Covers(span) && s.Count > 0 {
			return true
		}
		watched = watched || at.Covers(span)
	}
	if watched {
		return false
	}
	count, size := 0, ^uint32(0)
	for b, n := range r.Blocks {
		if b.Covers(at) && b.End-b.Start < size {
			count, size = n, b.End-b.Start
		}
	}
	return count > 0
}
