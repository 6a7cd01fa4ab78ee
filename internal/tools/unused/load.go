package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// program is the module's own packages with types, in the order of their imports.
type program struct {
	dir      string
	fset     *token.FileSet
	packages []*pkg
	all      map[string]*types.Package // with those of others
}

// pkg is one package; the files of a package for tests include no tests of its own.
type pkg struct {
	*types.Package
	files []*ast.File
	info  *types.Info
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles, CgoFiles       []string
	Module                  *struct{ Main bool }
}

// load reads and checks the packages of the module in dir. Those of others come from the
// build cache.
func load(dir string) (*program, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json", "./...")
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	p := &program{dir: dir, fset: token.NewFileSet(), all: map[string]*types.Package{}}
	exports := map[string]string{}
	foreign := importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var l listed
		if err := dec.Decode(&l); err != nil {
			return nil, err
		}
		exports[l.ImportPath] = l.Export
		if l.Module != nil && l.Module.Main {
			err = p.check(l, foreign)
		} else if l.ImportPath != "unsafe" {
			_, err = foreign.Import(l.ImportPath)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.ImportPath, err)
		}
	}
	return p, nil
}

// check parses and checks one package of the module.
func (p *program) check(l listed, foreign types.Importer) error {
	own := &pkg{info: &types.Info{
		Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}}
	for _, name := range append(l.GoFiles, l.CgoFiles...) {
		f, err := parser.ParseFile(p.fset, filepath.Join(l.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		own.files = append(own.files, f)
	}
	conf := types.Config{
		FakeImportC: len(l.CgoFiles) > 0,
		Importer: importerFunc(func(path string) (*types.Package, error) {
			if q := p.all[path]; q != nil {
				return q, nil
			}
			return foreign.Import(path)
		}),
	}
	var err error
	own.Package, err = conf.Check(l.ImportPath, p.fset, own.files, own.info)
	if err != nil && !conf.FakeImportC {
		return err
	}
	p.all[l.ImportPath] = own.Package
	p.packages = append(p.packages, own)
	return nil
}

type importerFunc func(path string) (*types.Package, error)

// Import implements types.Importer.
func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// place is where an object stands, relative to the module.
func (p *program) place(o types.Object) string {
	at := p.fset.Position(o.Pos())
	dir, err := filepath.Abs(p.dir)
	if err == nil {
		at.Filename = strings.TrimPrefix(at.Filename, dir+string(filepath.Separator))
	}
	return fmt.Sprintf("%s:%d", at.Filename, at.Line)
}
