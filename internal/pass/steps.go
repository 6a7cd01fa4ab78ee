package pass

import (
	"fmt"
	"reflect"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/cfg"
	"github.com/rlvet/rlvet/internal/py/scope"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/library"
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

// Names is the module's scopes, a *Scopes.
var Names = &analysis.Analyzer{
	Name:       "names",
	Doc:        "resolves names, qualified names and class members",
	Requires:   []*analysis.Analyzer{Syntax},
	ResultType: reflect.TypeFor[*Scopes](),
	Run: func(p *analysis.Pass) (any, error) {
		return &Scopes{src: p.ResultOf[Syntax].(*Source)}, nil
	},
}

// Scopes resolves names when first asked: values answer most questions. It may be
// used by several goroutines.
type Scopes struct {
	src  *Source
	once sync.Once
	info *scope.Info
}

// Info returns the module's scopes and qualified names.
func (s *Scopes) Info() *scope.Info {
	s.once.Do(func() { s.info = scope.Analyze(s.src.AST, s.src.Name, s.src.IsPackage) })
	return s.info
}

// FlowStep is the module's control flow, a *Flow.
var FlowStep = &analysis.Analyzer{
	Name:       "flow",
	Doc:        "gives the control-flow graph of each body",
	Requires:   []*analysis.Analyzer{Syntax},
	ResultType: reflect.TypeFor[*Flow](),
	Run: func(p *analysis.Pass) (any, error) {
		return &Flow{module: p.ResultOf[Syntax].(*Source).AST}, nil
	},
}

// Flow builds control-flow graphs when first asked: most bodies are never asked
// about. It may be used by several goroutines.
type Flow struct {
	module *ast.Module
	mu     sync.Mutex
	graphs map[*ast.FunctionDef]*cfg.Graph
}

// Of returns the graph of a function's body, of the module's for nil.
func (f *Flow) Of(fn *ast.FunctionDef) *cfg.Graph {
	f.mu.Lock()
	defer f.mu.Unlock()
	if g := f.graphs[fn]; g != nil {
		return g
	}
	if f.graphs == nil {
		f.graphs = map[*ast.FunctionDef]*cfg.Graph{}
	}
	body := f.module.Body
	if fn != nil {
		body = fn.Body
	}
	g := cfg.New(body)
	f.graphs[fn] = g
	return g
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
	m := &infer.Module{Name: src.Name, Path: src.File.Path, AST: src.AST, Handle: src}
	imports := &importer{p}
	res := infer.Evaluate(src.Context, infer.Config{Module: m, Importer: imports})
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

// Roles is the model of the training program, a *roles.Model.
var Roles = &analysis.Analyzer{
	Name:       "roles",
	Doc:        "derives networks, optimizers, losses and loops",
	Requires:   []*analysis.Analyzer{Values},
	ResultType: reflect.TypeFor[*roles.Model](),
	Run: func(p *analysis.Pass) (any, error) {
		return roles.Derive(p.ResultOf[Values].(*infer.Result)), nil
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
			if _, broken := c.Violated(boundArgs(v)); broken {
				out = append(out, Violation{v, v.Arg(c.Arg), c})
			}
		}
	}
	return out
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
