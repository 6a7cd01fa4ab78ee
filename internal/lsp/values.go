package lsp

import (
	"context"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/roles"
	"github.com/rlvet/rlvet/internal/source"
)

// What rlvet knows of values is asked for rarely, and thrown away by a check. So the
// file is evaluated once more when somebody asks, on what the cache knows of its
// imports, and what came out is kept with the result.

// knowledge is what is known of the values of one file.
type knowledge struct {
	once   sync.Once
	values []value
	parts  []part
	err    error
}

// value is an expression with what is known of it.
type value struct {
	start, end int    // bytes of the file
	long       string // for a hover; several contexts on a line each
	brief      string // for an inlay hint, "" where contexts differ
	assigned   bool   // a variable that is assigned here
}

// values returns what is known of the expressions of a result's file, inner expressions before outer ones.
func (r *result) values(ctx context.Context) ([]value, error) {
	k := r.known(ctx)
	return k.values, k.err
}

// parts returns the parts of the training program that a result's file holds.
func (r *result) parts(ctx context.Context) ([]part, error) {
	k := r.known(ctx)
	return k.parts, k.err
}

func (r *result) known(ctx context.Context) *knowledge {
	k := r.knowledge
	k.once.Do(func() { k.err = r.evaluate(context.WithoutCancel(ctx)) })
	return k
}

// evaluate evaluates the file for its values and roles alone.
func (r *result) evaluate(ctx context.Context) error {
	collect := &analysis.Analyzer{
		Name: "shown", Doc: "collects the values and roles of one module", Requires: []*analysis.Analyzer{pass.Syntax, pass.Values, pass.Roles},
		Run: func(p *analysis.Pass) (any, error) {
			if src := p.ResultOf[pass.Syntax].(*pass.Source); src.File.Path == r.path {
				r.knowledge.values = knownValues(p.ResultOf[pass.Values].(*infer.Result), src.AST)
				r.knowledge.parts = partsOf(p.ResultOf[pass.Roles].(*roles.Model), src.AST, string(src.File.Text))
			}
			return nil, nil
		},
	}
	_, err := engine.Check(ctx, []string{r.path}, engine.Options{
		Analyzers: []*analysis.Analyzer{collect}, Jobs: 1, Torch: r.torch, Cache: r.cache, Peek: true,
		Buffers: map[string]*source.File{filepath.FromSlash(r.path): r.file},
	})
	return err
}

// knownValues returns the values of a module that say something.
func knownValues(res *infer.Result, tree *ast.Module) []value {
	var frames []*infer.Frame
	for _, f := range res.Frames {
		if !f.Stale() && f.Module.AST == tree {
			frames = append(frames, f)
		}
	}
	targets := assigned(tree)
	var out []value
	ast.WalkModule(tree, func(n ast.Node) bool {
		v := value{start: int(n.Span().Start), end: int(n.Span().End), assigned: targets[n]}
		if v.describe(n, frames) {
			out = append(out, v)
		}
		return true
	})
	slices.SortStableFunc(out, func(a, b value) int { return (a.end - a.start) - (b.end - b.start) })
	return out
}

// describe collects what all evaluations say of a node.
func (v *value) describe(n ast.Node, frames []*infer.Frame) bool {
	var long, brief []string
	for _, f := range frames {
		val := valueIn(f, n)
		if val == nil || !pass.Tells(val) {
			continue
		}
		if text := pass.Describe(val, f); text != "" && !slices.Contains(long, text) {
			long = append(long, text)
		}
		if text := pass.Brief(val); text != "" && !slices.Contains(brief, text) {
			brief = append(brief, text)
		}
	}
	for i, text := range long {
		if i > 0 {
			v.long += "\n\n"
		}
		v.long += text
	}
	if len(brief) == 1 {
		v.brief = brief[0]
	}
	return v.long != ""
}

// valueIn returns the value of a node in a frame; of a parameter its argument.
func valueIn(f *infer.Frame, n ast.Node) *infer.Val {
	p, ok := n.(*ast.Param)
	if !ok {
		return f.Val(n)
	}
	for _, v := range f.Params {
		if v != nil && v.Node == p {
			return v
		}
	}
	return nil
}

// assigned returns the variables to which plain assignments assign.
func assigned(tree *ast.Module) map[ast.Node]bool {
	out := map[ast.Node]bool{}
	ast.InspectStmts(tree.Body, func(s ast.Stmt) bool {
		if a, ok := s.(*ast.Assign); ok {
			for _, t := range a.Targets {
				if name, ok := t.(*ast.Name); ok {
					out[name] = true
				}
			}
		}
		return true
	})
	return out
}
