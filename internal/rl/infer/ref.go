package infer

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/library"
)

// Ref is what a value refers to beyond its quantity: something that can be
// called, or that has parts.
type Ref interface{ ref() }

// FuncRef is a function or lambda of the program, possibly bound to self.
type FuncRef struct {
	Module  *Module
	Def     *ast.FunctionDef // nil for a lambda
	Lambda  *ast.Lambda
	Closure *Frame // frame in which it was defined
	Class   *ClassRef
	Self    *Val // receiver of a bound method
	kind    methodKind
	grad    gradMode
	options map[string]*Val // see click.go
	owner   *interp         // whose evaluation may change it; others share it
}

// Name returns the function's name, "<lambda>" for a lambda.
func (f *FuncRef) Name() string {
	if f.Def != nil {
		return f.Def.Name
	}
	return "<lambda>"
}

type methodKind uint8

const (
	plainMethod methodKind = iota
	staticMethod
	classMethod
	propertyMethod
)

// ClassRef is a class of the program.
type ClassRef struct {
	Module *Module
	Def    *ast.ClassDef
	Bases  []*ClassRef
	// LibBases are the library classes among the bases, by qualified name.
	LibBases []string
	// Attrs are methods and class attributes.
	Attrs map[string]*Val
	// Fields are the declared fields of a record (dataclass, NamedTuple) in order.
	Fields []Field
	Record bool

	declared   map[string]declaration // attributes that are annotated without a value
	covered    []*FuncRef             // methods that a decorator of the program stands for
	order      []*ClassRef            // see mro
	generic    *Instance              // evaluated with unknown constructor arguments
	genericVal *Val
	made       map[string]*Val // what the constructor stored in generic
	abstract   bool            // a method only says that subclasses have it
}

// Field is a declared field of a record.
type Field struct {
	Name    string
	Default *Val // or nil
	Node    ast.Node
}

// Instance is an object of a class of the program, one an allocation site.
type Instance struct {
	Class *ClassRef
	Attrs map[string]*Val
	owner *interp
	// layers are those that were added to an object of a class that derives from a container of
	// layers, or nil.
	layers *SeqRef
	last   map[string]lastStore
	// made is the object of a library's class that it is as well, where its class leaves the constructor to that, or nil.
	made *LibObject
	// behind is the object of another module that this one stands for: its fields hold what that
	// module stored where this module stores nothing.
	behind *Instance
}

// LibRef is a symbol of a library: a package, function or class.
type LibRef struct{ Name string }

// LibObject is an object of a library class.
type LibObject struct {
	Class *library.Class // nil where the tables do not know it
	Name  string         // qualified name of the class
	// Args are the arguments that it was built from, by parameter; Pos are the
	// positional ones in order, for a container of layers the layers.
	Args  map[string]*Val
	Pos   []*Val
	Attrs map[string]*Val // what was assigned to it
	owner *interp
}

// ModuleRef is a module of the program.
type ModuleRef struct{ Module *Module }

// BoundRef is a method of a value, by name, that is not a FuncRef.
type BoundRef struct {
	Recv *Val
	Name string
}

// SeqRef is a tuple or list. Elems is nil where the length is unknown; Elem is
// the join of what was put in.
type SeqRef struct {
	Elems []*Val
	Elem  *Val
	Names []string // fields of a named tuple
	List  bool
	Once  bool // what a generator of the program yields: the second time there is nothing
	owner *interp
	blind *Val         // join of what may have been put in, or into another list beside it
	tail  *tail        // of a list of layers
	apart apart[int64] // those that were read at known positions
	grown int          // how often it came to hold something else
}

// DictRef is a dict, a namespace or any record without a class.
type DictRef struct {
	Fields map[string]*Val
	Elem   *Val      // join of values under unknown keys
	Open   bool      // may have other fields
	class  *ClassRef // of the program, that derives from dict; or nil
	lists  bool      // makes a list of a key that it has not, as defaultdict(list) does
	owner  *interp
	order  []string      // keys of Fields, oldest first
	apart  apart[string] // those of Elem that were read under known keys
}

// SuperRef is super(): attributes are looked up after Class.
type SuperRef struct {
	Class *ClassRef
	Self  *Val
}

func (*FuncRef) ref()   {}
func (*ClassRef) ref()  {}
func (*Instance) ref()  {}
func (*LibRef) ref()    {}
func (*LibObject) ref() {}
func (*ModuleRef) ref() {}
func (*BoundRef) ref()  {}
func (*SeqRef) ref()    {}
func (*DictRef) ref()   {}
func (*SuperRef) ref()  {}
