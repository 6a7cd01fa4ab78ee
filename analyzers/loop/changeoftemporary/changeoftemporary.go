// Package changeoftemporary is rule LOOP051, change-of-temporary; rule.md says what it
// finds.
package changeoftemporary

import (
	_ "embed"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports changes in place of values that nothing else holds.
var Analyzer = pass.Rule(Doc, run)

// Methods and functions of Python and its libraries: the copies that they make, and what changes a list in place.
var (
	copies   = query.Words(`builtins.list builtins.sorted builtins.dict builtins.set copy.copy copy.deepcopy numpy.array numpy.copy torch.tensor torch.clone`)
	copying  = query.Words(`clone copy tolist deepcopy masked_select index_select`)
	ofLists  = query.Words(`sort reverse append extend insert pop remove clear update`)
	shuffles = query.Words(`random.shuffle numpy.random.shuffle`)
)

func run(p *pass.Pass) {
	for f := range p.EachFrame {
		src := p.In(f)
		if src == nil || src.IsTest() {
			continue
		}
		reportRebound(p, f)
		query.Dropped(f, func(call *ast.Call) {
			if x := changed(f, call); x != nil && isFresh(f, x, call) {
				report(p, src, f, call, x)
			}
		})
	}
}

// changed is what a call changes in place; nil for other calls.
func changed(f *infer.Frame, call *ast.Call) ast.Expr {
	if shuffles[query.CalledSymbol(f, call)] && len(call.Args) > 0 {
		return call.Args[0]
	}
	if at, ok := call.Fun.(*ast.Attribute); ok && (ofLists[at.Attr] || isInPlace(at.Attr)) {
		return at.X
	}
	return nil
}

func isInPlace(method string) bool {
	return strings.HasSuffix(method, "_") && !strings.HasSuffix(method, "__") && method != "requires_grad_" && method != "share_memory_"
}

// isFresh reports whether an expression makes a copy of something that goes on: nobody but the call has it.
func isFresh(f *infer.Frame, x ast.Expr, call *ast.Call) bool {
	switch x := x.(type) {
	case *ast.Call:
		if at, ok := x.Fun.(*ast.Attribute); ok && copying[at.Attr] && query.CalledSymbol(f, x) == "" {
			return query.IsPlace(receiver(at.X)) && infer.RefOf(f.Val(at.X)) == nil
		}
		return copies[query.CalledSymbol(f, x)] && len(x.Args) > 0 && query.IsPlace(x.Args[0])
	case *ast.Subscript:
		at, ok := call.Fun.(*ast.Attribute)
		return ok && isInPlace(at.Attr) && takesCopy(f, x.Index)
	}
	return false
}

// receiver takes the calls off x.detach().clone().
func receiver(x ast.Expr) ast.Expr {
	for range 4 {
		call, ok := x.(*ast.Call)
		if !ok {
			break
		}
		at, ok := call.Fun.(*ast.Attribute)
		if !ok {
			break
		}
		x = at.X
	}
	return x
}

// takesCopy reports whether x[index] is a copy for sure: a mask or a list of indices, where a number or a slice is a view.
func takesCopy(f *infer.Frame, index ast.Expr) bool {
	switch n := index.(type) {
	case *ast.List, *ast.Compare:
		return true
	case *ast.UnaryOp:
		return n.Op == ast.Invert
	}
	v := f.Val(index)
	return v != nil && query.IsArray(v) && (v.Is(domain.Mask) && v.Q.Evidence != domain.NameOnly || v.IsOp("randperm", "nonzero", "argsort"))
}

func report(p *pass.Pass, src *pass.Source, f *infer.Frame, call *ast.Call, x ast.Expr) {
	out := pass.Finding{At: call, Frame: f, Evidence: domain.Derived}
	if _, ok := x.(*ast.Subscript); ok {
		out.Why = "indexing with a mask or a list copies, so the tensor keeps its values"
		out.Help = "assign to the index: `x[mask] = value`"
	} else {
		out.Why = "`" + src.Text(x) + "` is a copy that nothing else holds, so the original keeps its order and values"
	}
	p.Report(out)
}
