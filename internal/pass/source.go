package pass

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"iter"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/frameworks"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/py/pins"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/runconf"
	"github.com/rlvet/rlvet/internal/source"
)

// Source is one module of the program: its text, its tree, and its place among
// the other modules. It is the result of the Syntax step.
type Source struct {
	// Context ends the evaluation of the module when it is done.
	Context context.Context
	// File is the text and the maps back to the file on disk.
	File *source.File
	// AST is the tree; its spans are bytes of File.Text.
	AST *ast.Module
	// Token is the file in the pass's FileSet: positions are Token.Base() + byte.
	Token *token.File
	// Name is the dotted name of the module, Path its file as seen from the root of its project,
	// with slashes.
	Name, Path string
	// Import finds the package that an import in this module means: dotted with
	// level leading dots. It returns nil for what is no part of the program, and
	// for what is not evaluated yet because the imports are circular.
	Import func(level int, dotted string) *types.Package
	// Texts are the paths and texts of the files that have to do with a file of the
	// program, itself among them: of those that import it, directly or not, and of all
	// that they import. A file beside it has not. It is nil where the driver does not
	// know the program.
	Texts func(path string) iter.Seq2[string, []byte]
	// Torch is the oldest version of torch for which fixes must hold, or "".
	Torch string
	// Pin returns what the project says of the version of a package; own is the file that says it in the
	// sources of the package itself. It is nil where the driver does not know the project.
	Pin func(pkg, own string) pins.Pin
	// Beside returns the syntax of a file that a configuration names, nil where it is not at hand. It is nil where the
	// driver does not know the project.
	Beside func(path string) *Source
	// Runs are those that a file configures which is no Python. Its tree is empty.
	Runs []*frameworks.Run
	// Cut are the commands of a script that end before their options do.
	Cut []*runconf.Command
	// Record is what a run of the program showed of the module, nil where none was recorded.
	Record *infer.Record

	testOnce  sync.Once
	test      bool // see IsTest
	wordsOnce sync.Once
	words     map[string][]int32 // see statements
	held      sync.Map           // []Mention by *Matcher, see holding
	namesOnce sync.Once
	names     *bindings       // see namesOf
	stars     []*infer.Module // those that the body of the module imports by a star, nil for one that is not seen

	hidesOnce sync.Once
	hides     bool // see hidesCode

	terminalOnce sync.Once
	cutsOnce     sync.Once
	cutsAreEnds  bool       // what CutsAreEnds found
	ends         query.Ends // see Pass.NeverTerminal
}

// hidesCode reports whether the file holds source that the parser did not understand. Nothing can be said to be missing from it: a block
// may go on, or end, in what was not read. A statement print of Python 2 hides nothing, nor does a command of IPython (!pip install x).
func (s *Source) hidesCode() bool {
	s.hidesOnce.Do(func() {
		if len(s.AST.Errors) == 0 {
			return
		}
		ast.WalkStmts(s.AST.Body, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.BadStmt:
				text := s.AST.Source(n)
				s.hides = s.hides || !strings.HasPrefix(text, "print") && !strings.HasPrefix(text, "!") && !strings.HasPrefix(text, "%")
			case *ast.BadExpr, *ast.BadPattern:
				s.hides = true
			}
			return !s.hides
		})
	})
	return s.hides
}

// Parse reads a file's text into a Source, without imports and without a place in
// a FileSet. around, which may be nil, has the files that a configuration names. The error is that of the
// parser: a limit, or the context's.
func Parse(ctx context.Context, p *parse.Parser, file *source.File, around *runconf.Around) (*Source, error) {
	if source.LanguageOf(file.Path).Configures() {
		return parseRuns(ctx, file, around)
	}
	tree, err := p.Parse(ctx, file.Path, file.Text)
	if err != nil {
		return nil, err
	}
	stem := strings.TrimSuffix(filepath.Base(file.Path), filepath.Ext(file.Path))
	return &Source{Context: ctx, File: file, AST: tree, Name: stem}, nil
}

// parseRuns is Parse of a file that configures runs.
func parseRuns(ctx context.Context, file *source.File, around *runconf.Around) (*Source, error) {
	runs, cut, err := frameworks.Read(source.LanguageOf(file.Path), file.Text, around)
	if err != nil {
		e := &source.Error{Path: file.Path, Reason: source.Malformed, Message: err.Error()}
		if at := (*runconf.Error)(nil); errors.As(err, &at) {
			e.Line = at.Line
		}
		return nil, e
	}
	tree := &ast.Module{NumNodes: 1, Text: file.Text}
	return &Source{Context: ctx, File: file, AST: tree, Name: filepath.Base(file.Path), Runs: runs, Cut: cut}, nil
}

// IsTest reports whether a module is there to test others, by its place in the project: what
// it computes trains nothing.
func (s *Source) IsTest() bool {
	s.testOnce.Do(func() { s.test = isTest(s.Path) })
	return s.test
}

func isTest(file string) bool {
	folder, name := path.Split(file)
	stem, _, _ := strings.Cut(name, ".")
	if strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || stem == "conftest" {
		return true
	}
	return slices.ContainsFunc(strings.Split(folder, "/"), func(name string) bool { return name == "tests" || name == "test" })
}

// Text returns the source of a node.
func (s *Source) Text(n ast.Node) string { return s.AST.Source(n) }

// sourceOf returns the Source that the Values step evaluated as m.
func sourceOf(m *infer.Module) *Source {
	s, _ := m.Handle.(*Source)
	return s
}

// parseAlone is Syntax for a driver that does not parse: it reads and parses the
// pass's only file.
func parseAlone(p *analysis.Pass) (any, error) {
	if len(p.OtherFiles) != 1 {
		return nil, fmt.Errorf("a pass is one Python file, this one has %d", len(p.OtherFiles))
	}
	raw, err := p.ReadFile(p.OtherFiles[0])
	if err != nil {
		return nil, err
	}
	file, err := source.FromBytes(p.OtherFiles[0], raw)
	if err != nil {
		return nil, err
	}
	parser := parse.New()
	defer parser.Close()
	src, err := Parse(context.Background(), parser, file, nil)
	if err != nil {
		return nil, err
	}
	src.Token = p.Fset.AddFile(file.Path, -1, len(file.Text))
	src.Token.SetLinesForContent(file.Text)
	if p.Pkg != nil {
		src.Name = p.Pkg.Path()
	}
	return src, nil
}
