// Package seedofhash is rule SEED010, seed-of-hash; rule.md says what it finds.
package seedofhash

import (
	_ "embed"
	"slices"

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

// Analyzer reports seeds that Python's hash() of a text decides.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	hashes := map[*infer.Val]bool{}
	for f, call := range p.Calls() {
		if query.CalledSymbol(f, call) == "builtins.hash" && len(call.Args) == 1 && isText(f, call.Args[0]) && f.Val(call) != nil && !p.In(f).IsTest() {
			hashes[f.Val(call)] = true
		}
	}
	if len(hashes) == 0 {
		return
	}
	made := p.MadeOf(func(v *infer.Val) bool { return hashes[v] }, func(v *infer.Val) bool { return !keeps(v) })
	for f, call := range p.Calls() {
		if seed := seedOf(f, call); seed != nil && made[f.Val(seed)] {
			p.Report(pass.Finding{At: seed, Frame: f, Evidence: domain.Derived})
		}
	}
}

// keeps reports whether a number that is computed from a hash depends on it: arithmetic, a conversion, a branch.
func keeps(v *infer.Val) bool {
	return v.IsOp("add", "sub", "mul", "remainder", "mod", "floor_divide", "bitwise_and", "bitwise_xor", "xor", "and", "abs", "int", infer.OpPhi, infer.OpNarrow, infer.OpCall) ||
		infer.Through(v) != nil
}

// isText reports whether an expression is a text, or a tuple with one: their hashes differ from process to process.
func isText(f *infer.Frame, e ast.Expr) bool {
	if t, ok := e.(*ast.Tuple); ok {
		return slices.ContainsFunc(t.Elts, func(x ast.Expr) bool { return isText(f, x) })
	}
	switch e := e.(type) {
	case *ast.FString:
		return true
	case *ast.Call:
		if query.CalledSymbol(f, e) == "builtins.str" {
			return true
		}
	}
	v := f.Val(e)
	_, ok := v.Str()
	return ok && v.Op != infer.OpConfig || v.Is(domain.Text)
}

// seedOf is the seed that a call gives to a generator or an environment.
func seedOf(f *infer.Frame, call *ast.Call) ast.Expr {
	if seed := query.SeedsGlobal(f, call); seed != nil {
		return seed
	}
	if seed := query.MakesGenerator(f, call); seed != nil {
		return seed
	}
	for _, k := range call.Keywords {
		if k.Name == "seed" {
			return k.Value
		}
	}
	if name := query.CalleeName(call); (name == "manual_seed" || name == "seed_everything" || name == "set_seed") && len(call.Args) == 1 {
		return call.Args[0]
	}
	return nil
}
