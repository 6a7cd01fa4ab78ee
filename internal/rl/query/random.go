package query

import (
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// The names are those of the functions of Python, numpy and torch that share one generator a process.
var (
	seedings = Words(`random.seed numpy.random.seed torch.manual_seed torch.random.manual_seed`)
	drawing  = Words(`rand randn random randint uniform normal choice choices shuffle permutation sample gauss randrange random_sample standard_normal
		beta binomial poisson exponential gamma multinomial random_integers betavariate triangular`)
	makers = Words(`numpy.random.default_rng numpy.random.RandomState random.Random`)
)

// SeedsGlobal returns the seed that a call gives to a generator which the whole process
// shares; nil for other calls.
func SeedsGlobal(f *infer.Frame, call *ast.Call) ast.Expr {
	if !seedings[CalledSymbol(f, call)] {
		return nil
	}
	return firstArg(call, "seed", "a")
}

// DrawsGlobal reports whether a call draws numbers from a generator of Python or numpy that the whole
// process shares.
func DrawsGlobal(f *infer.Frame, call *ast.Call) bool {
	name := CalledSymbol(f, call)
	module, base := name[:max(strings.LastIndex(name, "."), 0)], infer.BaseOp(name)
	return (module == "numpy.random" || module == "random") && drawing[base]
}

// SharedDraw is DrawsGlobal for a call anywhere in a module, also where inference does not come: by what
// the module's own names stand for.
func SharedDraw(m *infer.Module, call *ast.Call) bool {
	at, ok := call.Fun.(*ast.Attribute)
	if !ok || !drawing[at.Attr] {
		return false
	}
	path := Path(at.X)
	name, rest, _ := strings.Cut(path, ".")
	r, ok := infer.RefOf(m.Global(name)).(*infer.LibRef)
	if !ok {
		return false
	}
	whole := r.Name
	if rest != "" {
		whole += "." + rest
	}
	return whole == "random" || whole == "numpy.random"
}

// MakesGenerator returns the seed with which a call makes a generator of its own.
func MakesGenerator(f *infer.Frame, call *ast.Call) ast.Expr {
	if !makers[CalledSymbol(f, call)] {
		return nil
	}
	return firstArg(call, "seed", "x")
}

func firstArg(call *ast.Call, names ...string) ast.Expr {
	if len(call.Args) > 0 {
		return call.Args[0]
	}
	for _, k := range call.Keywords {
		for _, name := range names {
			if k.Name == name {
				return k.Value
			}
		}
	}
	return nil
}

// DrawIn returns a draw from a shared generator that an expression computes at once; nil where it has none.
func DrawIn(m *infer.Module, e ast.Expr) ast.Node {
	var out ast.Node
	if e == nil {
		return nil
	}
	ast.Walk(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Lambda:
			return false
		case *ast.Call:
			if out == nil && SharedDraw(m, n) {
				out = n
			}
		}
		return out == nil
	})
	return out
}
