package observe

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/program"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/words"
)

// idle says of a script that only defines functions and classes, and calls none of them, that its run
// shows nothing, and what to run; nil for one that does something.
func (r *Result) idle(ctx context.Context, p *program.Program, records *records) error {
	script := p.Path()
	if r.Run.Status != "done" || p.Notebook != nil || slices.ContainsFunc(records.files, func(path string) bool { return path != script && path != abs(p.Name) }) {
		return nil
	}
	names, ran := []string{}, false
	record := records.byPath[script]
	look := &analysis.Analyzer{
		Name: "definitions", Doc: "collects what one file defines, and whether it ran", Requires: []*analysis.Analyzer{pass.Syntax},
		Run: func(a *analysis.Pass) (any, error) {
			src := a.ResultOf[pass.Syntax].(*pass.Source)
			if src.File.Path != script {
				return nil, nil
			}
			for _, s := range src.AST.Body {
				switch s := s.(type) {
				case *ast.FunctionDef:
					names = append(names, s.Name)
				case *ast.ClassDef:
					names = append(names, s.Name)
				}
			}
			ast.InspectStmts(src.AST.Body, func(s ast.Stmt) bool {
				switch s := s.(type) {
				case *ast.FunctionDef:
					ran = ran || record != nil && record.Ran(spanOf(s.Body))
				case *ast.For, *ast.While, *ast.With: // the script itself does something
					ran = ran || record != nil && record.Ran(s.Span())
				}
				return !ran
			})
			return nil, nil
		},
	}
	if _, err := engine.Check(ctx, []string{script}, engine.Options{Analyzers: []*analysis.Analyzer{look}, Jobs: 1}); err != nil || ran || len(names) == 0 {
		return nil
	}
	them := words.Choose(len(names), "does not call it", "calls none of them")
	if len(names) > 4 {
		names = append(names[:3], fmt.Sprintf("%d more", len(names)-3))
	}
	return fmt.Errorf("%s: nothing ran that can be observed: it defines %s and %s; name the script that imports it and trains, with its arguments behind --: rlvet observe train.py -- ARGUMENTS", p.Name, words.And(names), them)
}

// spanOf is the place of a block.
func spanOf(body []ast.Stmt) ast.Span {
	return ast.Span{Start: body[0].Span().Start, End: body[len(body)-1].Span().End}
}
