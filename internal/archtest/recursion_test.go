package archtest

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// walkers are the packages that walk syntax and values which a stranger wrote.
var walkers = []string{"./internal/py/ast", "./internal/rl/...", "./internal/pass", "./internal/engine", "./analyzers/..."}

// bounds are the names by which a function shows that it counts how deep it is, or
// knows what it has seen.
var bounds = []string{"depth", "deeper", "follow", "joining", "memo", "room", "seen"}

// TestRecursion finds every circle of calls in the packages that walk a stranger's
// program. Go cannot recover from a stack that overflows, so each has to be bounded: by
// a function in it that counts, by the syntax that it descends, which the parser bounds,
// or by what the table of ARCHITECTURE.md says. A function that hands another one
// around counts as calling it.
func TestRecursion(t *testing.T) {
	text, err := os.ReadFile("../../" + documentName)
	if err != nil {
		t.Fatal(err)
	}
	excused := map[string]bool{} // whether the row is needed
	for _, table := range markdownTables(string(text)) {
		if strings.Join(table.header, " | ") != "Recursion | Ends because" {
			continue
		}
		for _, row := range table.rows {
			for _, name := range codeSpans(row[0]) {
				excused[name] = false
			}
		}
	}
	if len(excused) == 0 {
		t.Fatal("ARCHITECTURE.md has no table of recursions")
	}
	for _, circle := range circles(unboundedCalls(t)) {
		for _, name := range circle {
			if _, ok := excused[name]; !ok {
				t.Errorf("%s is in a circle of calls that nothing bounds (%s): count its depth", name, strings.Join(circle, ", "))
			}
			excused[name] = true
		}
	}
	for name, needed := range excused {
		if !needed {
			t.Errorf("%s: the row of %s is not needed: it is in no circle of calls without a bound", documentName, name)
		}
	}
}

// unboundedCalls returns the calls between functions that do not count their depth.
func unboundedCalls(t *testing.T) map[string][]string {
	calls := map[string][]string{}
	for _, p := range typeCheck(t) {
		for _, f := range p.files {
			for _, decl := range f.Decls {
				name := p.declared(decl)
				if name == "" || p.counts(decl) || p.descendsSyntax(decl) {
					continue
				}
				calls[name] = p.called(decl, name)
			}
		}
	}
	return calls
}

// checked is a package with types.
type checked struct {
	path  string
	files []*ast.File
	info  *types.Info
}

// declared names a function, or a variable that may hold functions.
func (p *checked) declared(decl ast.Decl) string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		return shortName(p.info.Defs[d.Name])
	case *ast.GenDecl:
		if spec, ok := d.Specs[0].(*ast.ValueSpec); ok && d.Tok == token.VAR {
			return shortName(p.info.Defs[spec.Names[0]])
		}
	}
	return ""
}

// counts reports whether a function uses one of the names of bounds.
func (p *checked) counts(decl ast.Decl) bool {
	found := false
	ast.Inspect(decl, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && slices.Contains(bounds, id.Name) {
			_, isLabel := p.info.ObjectOf(id).(*types.Label)
			found = found || !isLabel
		}
		return !found
	})
	return found
}

// descendsSyntax reports whether a function takes a part of the syntax tree. Inference
// takes syntax along while it follows values, so there it says nothing.
func (p *checked) descendsSyntax(decl ast.Decl) bool {
	d, ok := decl.(*ast.FuncDecl)
	if !ok || strings.HasSuffix(p.path, "/rl/infer") {
		return false
	}
	for _, field := range d.Type.Params.List {
		if text := types.TypeString(p.info.TypeOf(field.Type), nil); strings.Contains(text, "/internal/py/ast.") {
			return true
		}
	}
	return false
}

// called returns what a function uses that may be called. Closures are part of the
// function that they stand in, so one that calls itself makes that call itself.
func (p *checked) called(decl ast.Decl, name string) []string {
	out := []string{}
	var literals []ast.Node // around the node at hand
	ast.Inspect(decl, func(n ast.Node) bool {
		for len(literals) > 0 && n != nil && n.Pos() >= literals[len(literals)-1].End() {
			literals = literals[:len(literals)-1]
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			literals = append(literals, n)
		case *ast.Ident:
			o := p.info.Uses[n]
			if used := shortName(o); used != "" {
				out = append(out, used)
			} else if v, ok := o.(*types.Var); ok && len(literals) > 0 && v.Pos() < literals[len(literals)-1].Pos() && p.assignedTo(decl, v, literals) {
				out = append(out, name)
			}
		}
		return true
	})
	return out
}

// assignedTo reports whether one of the literals is assigned to v.
func (p *checked) assignedTo(decl ast.Decl, v *types.Var, literals []ast.Node) bool {
	found := false
	ast.Inspect(decl, func(n ast.Node) bool {
		if as, ok := n.(*ast.AssignStmt); ok && len(as.Lhs) == 1 {
			id, ok := as.Lhs[0].(*ast.Ident)
			found = found || ok && p.info.ObjectOf(id) == v && slices.Contains(literals, ast.Node(as.Rhs[0]))
		}
		return !found
	})
	return found
}

// shortName is package.Type.method or package.function of the module's own functions
// and package variables, "" for anything else.
func shortName(o types.Object) string {
	if o == nil || o.Pkg() == nil || !strings.Contains(o.Pkg().Path(), "/rlvet/") {
		return ""
	}
	name := path.Base(o.Pkg().Path()) + "."
	switch o := o.(type) {
	case *types.Func:
		if recv := o.Signature().Recv(); recv != nil {
			typ := types.TypeString(recv.Type(), func(*types.Package) string { return "" })
			typ, _, _ = strings.Cut(strings.TrimPrefix(typ, "*"), "[")
			name += typ + "."
		}
		return name + o.Name()
	case *types.Var:
		if o.Parent() == o.Pkg().Scope() {
			return name + o.Name()
		}
	}
	return ""
}

// circles returns the strongly connected components that hold a circle, sorted.
func circles(calls map[string][]string) [][]string {
	var (
		found     [][]string
		stack     []string
		number    = map[string]int{}
		low       = map[string]int{}
		finished  = map[string]bool{}
		component func(name string)
	)
	component = func(name string) {
		number[name] = len(number) + 1
		low[name] = number[name]
		stack = append(stack, name)
		for _, to := range calls[name] {
			switch {
			case calls[to] == nil || finished[to]:
			case number[to] == 0:
				component(to)
				low[name] = min(low[name], low[to])
			default:
				low[name] = min(low[name], number[to])
			}
		}
		if low[name] != number[name] {
			return
		}
		at := slices.Index(stack, name)
		members := slices.Clone(stack[at:])
		stack = stack[:at]
		for _, m := range members {
			finished[m] = true
		}
		if len(members) > 1 || slices.Contains(calls[name], name) {
			slices.Sort(members)
			found = append(found, members)
		}
	}
	names := make([]string, 0, len(calls))
	for name := range calls {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if number[name] == 0 {
			component(name)
		}
	}
	return found
}

// typeCheck reads the walkers. What they import comes from the build cache.
func typeCheck(t *testing.T) []*checked {
	cmd := exec.Command("go", append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,DepOnly"}, walkers...)...)
	cmd.Dir = "../.."
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	type listed struct {
		ImportPath, Dir, Export string
		GoFiles                 []string
		DepOnly                 bool
	}
	exports := map[string]string{}
	var roots []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var l listed
		if err := dec.Decode(&l); err != nil {
			t.Fatal(err)
		}
		exports[l.ImportPath] = l.Export
		if !l.DepOnly {
			roots = append(roots, l)
		}
	}
	fset := token.NewFileSet()
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	var all []*checked
	for _, l := range roots {
		p := &checked{path: l.ImportPath, info: &types.Info{
			Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{},
		}}
		for _, name := range l.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			p.files = append(p.files, f)
		}
		if _, err := conf.Check(l.ImportPath, fset, p.files, p.info); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}
