package pass

import (
	"fmt"
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/library"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Syntax is the parsed module, a *Source. A driver that has parsed it already
// puts it into ResultOf instead of running the step.
var Syntax = &analysis.Analyzer{
	Name:       "syntax",
	Doc:        "reads the module into a syntax tree",
	Run:        parseAlone,
	ResultType: reflect.TypeFor[*Source](),
}

// Values is the value graph, an *infer.Result. Its fact carries the evaluated
// module to those that import it.
var Values = &analysis.Analyzer{
	Name:       "values",
	Doc:        "infers what quantity each expression is",
	Requires:   []*analysis.Analyzer{Syntax},
	ResultType: reflect.TypeFor[*infer.Result](),
	FactTypes:  []analysis.Fact{new(Evaluated)},
	Run:        evaluate,
}

// Evaluated is the fact that a module was evaluated.
type Evaluated struct{ Module *infer.Module }

// AFact marks Evaluated as a fact.
func (*Evaluated) AFact() {}

func evaluate(p *analysis.Pass) (any, error) {
	src := p.ResultOf[Syntax].(*Source)
	m := &infer.Module{Name: src.Name, Path: src.File.Path, AST: src.AST, Handle: src, Record: src.Record}
	imports := &importer{p}
	res := infer.Evaluate(src.Context, infer.Config{Module: m, Importer: imports, Test: src.IsTest()})
	src.stars = imports.stars(m)
	imports.pass = nil // values outlive the pass
	if err := src.Context.Err(); err != nil {
		return nil, fmt.Errorf("inference was stopped: %w", err)
	}
	res.Ops("") // builds the index that all rules share
	p.ExportPackageFact(&Evaluated{m})
	return res, nil
}

// importer finds evaluated modules by their facts. The import may stand in
// another module than the pass's: in a function of it that the pass's calls.
type importer struct{ pass *analysis.Pass }

// Import implements infer.Importer.
func (i *importer) Import(from *infer.Module, level int, dotted string) *infer.Module {
	src := sourceOf(from)
	if src == nil || src.Import == nil {
		return nil
	}
	pkg := src.Import(level, dotted)
	var fact Evaluated
	if pkg == nil || !i.pass.ImportPackageFact(pkg, &fact) {
		return nil
	}
	return fact.Module
}

// stars are the modules that the body of a module imports by a star, nil for one that is not seen.
func (i *importer) stars(m *infer.Module) []*infer.Module {
	var out []*infer.Module
	for _, st := range m.AST.Body {
		if from, ok := st.(*ast.ImportFrom); ok && importsAll(from) {
			out = append(out, i.Import(m, from.Level, from.Module))
		}
	}
	return out
}

// Graph is the value graph as rules ask it, a *query.Graph.
var Graph = &analysis.Analyzer{
	Name:       "graph",
	Doc:        "reads the value graph backwards and forwards",
	Requires:   []*analysis.Analyzer{Values},
	ResultType: reflect.TypeFor[*query.Graph](),
	Run: func(p *analysis.Pass) (any, error) {
		return query.New(p.ResultOf[Values].(*infer.Result)), nil
	},
}

// Roles is the model of the training program, a *roles.Model.
var Roles = &analysis.Analyzer{
	Name:       "roles",
	Doc:        "derives networks, optimizers, losses and loops",
	Requires:   []*analysis.Analyzer{Graph},
	ResultType: reflect.TypeFor[*roles.Model](),
	Run: func(p *analysis.Pass) (any, error) {
		return roles.Derive(p.ResultOf[Graph].(*query.Graph)), nil
	},
}

// Contracts is what breaks the library's contracts, a []Violation.
var Contracts = &analysis.Analyzer{
	Name:       "contracts",
	Doc:        "finds arguments that are of a kind which the library's function does not take",
	Requires:   []*analysis.Analyzer{Values},
	ResultType: reflect.TypeFor[[]Violation](),
	Run: func(p *analysis.Pass) (any, error) {
		return violations(p.ResultOf[Values].(*infer.Result)), nil
	},
}

// Violation is one argument of a kind that its contract rejects.
type Violation struct {
	Call     *infer.Val
	Arg      *infer.Val
	Contract library.Contract
	// ByName says that the argument is a variable of whose value nothing is known but that it is called logits.
	ByName bool
}

// violations checks every call that has contracts, once: its value also stands at
// the variables that were assigned it, and the elements of a tuple that it returns
// are values of the same call.
func violations(res *infer.Result) []Violation {
	out := []Violation{}
	for _, v := range res.OfRow(func(row *library.Func) bool { return len(row.Contracts) > 0 }) {
		if v.Node == nil || v.Frame.Val(v.Node) != v {
			continue
		}
		for _, c := range v.Fn.Contracts {
			arg := v.Arg(c.Arg)
			if _, broken := c.Violated(boundArgs(v)); broken {
				out = append(out, Violation{Call: v, Arg: arg, Contract: c})
			} else if c.Rejects&domain.Logits != 0 && calledLogits(v, arg) {
				out = append(out, Violation{Call: v, Arg: arg, Contract: c, ByName: true})
			}
		}
	}
	return out
}

// calledLogits reports whether a variable that is passed to a call is called logits, where nothing else is known
// of it: hardly anything else ever is.
func calledLogits(call, arg *infer.Val) bool {
	syntax, isCall := call.Node.(*ast.Call)
	if !isCall || arg == nil || arg.Q.Kind != domain.UnknownKind || arg.Ref != nil || arg.Const != nil {
		return false
	}
	for _, e := range ast.Given(syntax) {
		if name, isName := e.(*ast.Name); isName && call.Frame.Val(e) == arg {
			q, says := library.Load().Name(name.Ident)
			return says && q.Is(domain.Logits)
		}
	}
	return false
}

// boundArgs returns the arguments of a library call as its row sees them.
func boundArgs(v *infer.Val) library.Args {
	kw := map[string]library.Operand{}
	for i, name := range v.Fn.Params {
		if i < len(v.In) && v.In[i] != nil {
			kw[name] = library.Operand{V: v.In[i].Q, Const: v.In[i].Const, Handle: v.In[i]}
		}
	}
	return v.Fn.Bind(nil, kw)
}
