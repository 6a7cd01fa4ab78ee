package archtest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// codeTree is the Go code of the module.
type codeTree struct {
	module string // the module's path
	files  []goFile
}

// goFile is what the laws look at in one file.
type goFile struct {
	name      string // slash separated, relative to the root
	pkg       string // its folder, which names the package within the module
	test      bool   // ends in _test.go
	generated bool
	comment   bool // carries the package comment
	main      bool // package main
	lines     int
	imports   []importLine
	functions []function
}

// importLine is one import. Path is relative to the module where local is set.
type importLine struct {
	path  string
	local bool
	line  int
}

// function is one declared function or method.
type function struct {
	name  string // Name, or Type.Name for a method
	line  int
	lines int
}

// readTree parses every Go file of the module. Folders that the go command
// ignores are left out: testdata, vendor, and those starting with a dot or an
// underscore.
func readTree(fsys fs.FS) (*codeTree, error) {
	module, err := readModulePath(fsys)
	if err != nil {
		return nil, err
	}
	t := &codeTree{module: module}
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if ignoredFolder(name) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		file, err := readGoFile(fsys, module, name)
		if err != nil {
			return err
		}
		t.files = append(t.files, file)
		return nil
	})
	return t, err
}

func ignoredFolder(name string) bool {
	base := path.Base(name)
	return name != "." && (base == "testdata" || base == "vendor" || base == "node_modules" || base[0] == '.' || base[0] == '_')
}

// readModulePath returns the path in go.mod's module line.
func readModulePath(fsys fs.FS) (string, error) {
	text, err := fs.ReadFile(fsys, "go.mod")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(name), nil
		}
	}
	return "", fmt.Errorf("go.mod has no module line")
}

func readGoFile(fsys fs.FS, module, name string) (goFile, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return goFile{}, err
	}
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return goFile{}, err
	}
	return goFile{
		name:      name,
		pkg:       path.Dir(name),
		test:      strings.HasSuffix(name, "_test.go"),
		generated: ast.IsGenerated(syntax),
		comment:   syntax.Doc != nil,
		main:      syntax.Name.Name == "main",
		lines:     bytes.Count(text, []byte("\n")),
		imports:   importsOf(fset, syntax, module),
		functions: functionsOf(fset, syntax),
	}, nil
}

func importsOf(fset *token.FileSet, syntax *ast.File, module string) []importLine {
	var imports []importLine
	for _, spec := range syntax.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser has already refused a malformed literal
		}
		line := importLine{path: name, line: fset.Position(spec.Pos()).Line}
		if rel, ok := strings.CutPrefix(name, module+"/"); ok {
			line.path, line.local = rel, true
		}
		imports = append(imports, line)
	}
	return imports
}

func functionsOf(fset *token.FileSet, syntax *ast.File) []function {
	var functions []function
	for _, decl := range syntax.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		first, last := fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line
		functions = append(functions, function{name: functionName(fn), line: first, lines: last - first + 1})
	}
	return functions
}

// functionName returns Name, or Type.Name for a method.
func functionName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	receiver := fn.Recv.List[0].Type
	for {
		switch r := receiver.(type) {
		case *ast.StarExpr:
			receiver = r.X
		case *ast.IndexExpr:
			receiver = r.X
		case *ast.IndexListExpr:
			receiver = r.X
		case *ast.Ident:
			return r.Name + "." + fn.Name.Name
		default:
			return fn.Name.Name
		}
	}
}

// packages returns the folders that hold Go files, sorted.
func (t *codeTree) packages() []string {
	var names []string
	for _, f := range t.files {
		names = append(names, f.pkg)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// command reports whether a folder holds package main.
func (t *codeTree) command(pkg string) bool {
	return slices.ContainsFunc(t.files, func(f goFile) bool { return f.pkg == pkg && f.main })
}
