package pass

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/source"
)

// # Names that nothing binds
//
// A program that reads a name which stands nowhere else stops there with a NameError, before any mistake behind it changes a weight.
// For a function it is enough here that something anywhere in the file binds the name. Names come into a file unseen by the star import
// of a module that is not seen, by exec and by globals(), and into a notebook by magics: nothing is said of such files.

// predefined are the names that Python binds in every module: those of its builtins, 3.9 to 3.14, and of a module itself.
var predefined = func() map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields(`ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError
		BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError
		ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception ExceptionGroup
		FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning
		IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError
		ModuleNotFoundError NameError NotADirectoryError NotImplemented NotImplementedError OSError OverflowError
		PendingDeprecationWarning PermissionError ProcessLookupError PythonFinalizationError RecursionError ReferenceError
		ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError SystemExit
		TabError TimeoutError TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError
		UnicodeWarning UserWarning ValueError Warning WindowsError ZeroDivisionError abs aiter all anext any ascii bin bool breakpoint
		bytearray bytes callable chr classmethod compile complex copyright credits delattr dict dir divmod enumerate eval exec exit
		filter float format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len license list
		locals map max memoryview min next object oct open ord pow print property quit range repr reversed round set setattr slice
		sorted staticmethod str sum super tuple type vars zip`) {
		m[n] = true
	}
	return m
}()

// readsUnbound reports whether a frame reads a name that nothing binds: its function, the constructor of the object whose method it is, or
// the body of its module, which runs when it is imported.
func readsUnbound(f *infer.Frame) bool {
	s := sourceOf(f.Module)
	if s == nil {
		return false
	}
	b := s.namesOf()
	return !b.open && slices.ContainsFunc(b.free, func(x freeName) bool {
		return (x.within == nil || f.Func != nil && (x.within == f.Func.Def || isConstructor(x.within, f.Func.Class))) && !starBinds(f.Module, x.name, maxStars)
	})
}

func isConstructor(def *ast.FunctionDef, of *infer.ClassRef) bool {
	return def.Name == "__init__" && of != nil && of.Def != nil && of.Def.Span().Covers(def.Span())
}

// maxStars bounds the modules that hand names on by star imports.
const maxStars = 8

// importsAll reports whether an import has a star for names.
func importsAll(st *ast.ImportFrom) bool {
	return slices.ContainsFunc(st.Names, func(a *ast.Alias) bool { return a.Name == "*" })
}

// starBinds reports whether a star import in a module may bind a name. A module that is not seen may bind any.
func starBinds(m *infer.Module, name string, depth int) bool {
	s := sourceOf(m)
	if s == nil || depth == 0 || len(s.stars) != s.namesOf().stars {
		return true
	}
	return slices.ContainsFunc(s.stars, func(from *infer.Module) bool {
		if from == nil || sourceOf(from) == nil {
			return true
		}
		b := sourceOf(from).namesOf()
		return b.open || b.bound[name] || starBinds(from, name, depth-1)
	})
}

// freeName is a name that is read and that nothing in its file binds.
type freeName struct {
	name string
	// within is the function that reads it, nil for the body of the module and what is evaluated with it.
	within *ast.FunctionDef
}

// namesOf is what a file binds and reads.
func (s *Source) namesOf() *bindings {
	s.namesOnce.Do(func() {
		b := &bindings{bound: map[string]bool{}, within: map[string]bool{}, open: source.IsNotebook(s.File.Path)}
		s.names = b
		if b.open {
			return
		}
		b.stmts(s.AST.Body, nil, false)
		for _, x := range b.read {
			if !b.bound[x.name] && !(x.within != nil && b.within[x.name]) && !predefined[x.name] {
				b.free = append(b.free, x)
			}
		}
		b.read = nil
	})
	return s.names
}

// bindings is what a file binds and reads.
type bindings struct {
	// bound are the names that the body of the module binds, within those that functions bind.
	bound, within map[string]bool
	read          []freeName
	// free are the names that are read and not bound here; those of modules that are imported by a star are not looked for.
	free  []freeName
	stars int // how many of these imports there are
	// lazy says that annotations are kept as text.
	lazy bool
	// open says that names may come into the file unseen.
	open bool
}

func (b *bindings) stmts(body []ast.Stmt, in *ast.FunctionDef, tried bool) {
	for _, st := range body {
		b.visit(st, in, tried)
	}
}

// visit goes through what a node binds and reads. What stands in a try statement may be meant to fail; its names are not read.
func (b *bindings) visit(n ast.Node, in *ast.FunctionDef, tried bool) {
	ast.Walk(n, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FunctionDef:
			b.bind(x.Name, in)
			b.params(x.Params, in, x, tried)
			for _, d := range x.Decorators {
				b.visit(d, in, tried)
			}
			if x.Returns != nil && !b.lazy {
				b.visit(x.Returns, in, tried)
			}
			b.generics(x.TypeParams, in)
			b.stmts(x.Body, x, tried)
			return false
		case *ast.Lambda:
			b.params(x.Params, in, in, tried)
			b.visit(x.Body, in, true) // it runs later, or never
			return false
		case *ast.ClassDef:
			b.bind(x.Name, in)
			b.generics(x.TypeParams, in)
		case *ast.TypeAlias:
			b.target(x.Name, in)
			b.generics(x.TypeParams, in)
			return false
		case *ast.AnnAssign:
			b.target(x.Target, in)
			if x.Value != nil {
				b.visit(x.Value, in, tried)
			}
			if in == nil && !b.lazy {
				b.visit(x.Annotation, in, tried)
			}
			return false
		case *ast.Try:
			b.stmts(x.Body, in, true)
			for _, h := range x.Handlers {
				b.bind(h.Name, in)
				b.stmts(h.Body, in, true)
			}
			b.stmts(x.Else, in, true)
			b.stmts(x.Finally, in, true)
			return false
		case *ast.Global:
			for _, name := range x.Names {
				b.bound[name] = true
			}
		case *ast.AugAssign: // it reads what something else has bound
		case *ast.CompClause:
			b.target(x.Target, in)
		case *ast.MatchAs, *ast.MatchStar, *ast.MatchMapping, *ast.BadExpr, *ast.BadStmt, *ast.BadPattern:
			b.open = true // rare, or not understood
		case *ast.Subscript:
			b.open = b.open || isGlobals(x.X)
		case *ast.Attribute:
			b.open = b.open || isGlobals(x.X)
		case *ast.Name:
			b.open = b.open || x.Ident == "exec"
			if !tried && !strings.HasPrefix(x.Ident, "__") {
				b.read = append(b.read, freeName{x.Ident, in})
			}
		case *ast.ImportFrom:
			b.lazy = b.lazy || x.Module == "__future__" && len(x.Names) > 0 && x.Names[0].Name == "annotations"
			if importsAll(x) {
				b.stars++
			}
			b.binds(x, in)
		default:
			b.binds(x, in)
		}
		return true
	})
}

// isGlobals reports whether an expression is globals(): its items and methods may bind a name.
func isGlobals(e ast.Expr) bool {
	call, ok := e.(*ast.Call)
	if !ok {
		return false
	}
	name, ok := call.Fun.(*ast.Name)
	return ok && name.Ident == "globals"
}

func (b *bindings) binds(n ast.Node, in *ast.FunctionDef) {
	for _, name := range ast.Named(n) {
		b.bind(name, in)
	}
	for _, t := range ast.Assigned(n) {
		b.target(t, in)
	}
}

func (b *bindings) bind(name string, in *ast.FunctionDef) {
	if in == nil {
		b.bound[name] = true
		return
	}
	b.within[name] = true
}

func (b *bindings) params(list *ast.Params, in, of *ast.FunctionDef, tried bool) {
	if list == nil {
		return
	}
	for _, x := range list.List {
		b.bind(x.Name, of)
		if x.Default != nil {
			b.visit(x.Default, in, tried)
		}
		if x.Annotation != nil && !b.lazy {
			b.visit(x.Annotation, in, tried)
		}
	}
}

func (b *bindings) generics(list []*ast.TypeParam, in *ast.FunctionDef) {
	for _, t := range list {
		b.bind(t.Name, in)
	}
}

// target binds the names of x, (y, *z).
func (b *bindings) target(t ast.Expr, in *ast.FunctionDef) {
	ast.Walk(t, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.Name:
			b.bind(x.Ident, in)
		case *ast.Attribute, *ast.Subscript: // they bind no name
			return false
		}
		return true
	})
}
