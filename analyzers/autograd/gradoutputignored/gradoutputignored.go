// Package gradoutputignored is rule GRAD005, grad-output-ignored; rule.md says what it
// finds.
package gradoutputignored

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/numeric"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports backwards that read no incoming gradient. If both halves can be computed,
// GRAD019 says more.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, fn := range p.Values.Functions {
		if query.HasSetupContext(fn) || fn.Backward.Func == nil || reads(fn) {
			continue
		}
		if _, computed := numeric.CheckFunction(fn); computed {
			continue
		}
		for _, r := range query.GradReturns(fn) {
			for i, g := range r.Grads {
				if i < len(fn.Inputs) && saved(fn, g) && !query.IsGiven(fn, g) {
					report(p, fn, r, g, i)
					break
				}
			}
		}
	}
}

// metadata are the attributes and methods of a tensor that tell nothing of its elements.
var metadata = query.Words("dtype device shape size dim ndim ndimension numel nelement layout is_cuda requires_grad stride is_contiguous new_zeros new_ones new_full new_empty")

// reads reports whether backward mentions one of its incoming gradients, other than for its shape or
// type. It asks for the names of these parameters, since code that rlvet does not follow may read them too.
func reads(fn *infer.Function) bool {
	names := map[string]bool{}
	for _, param := range fn.Backward.Func.Def.Params.List[1:] {
		names[param.Name] = true
	}
	found := false
	for _, st := range fn.Backward.Body() {
		ast.Walk(st, func(n ast.Node) bool {
			if at, ok := n.(*ast.Attribute); ok && metadata[at.Attr] {
				if x, ok := at.X.(*ast.Name); ok && names[x.Ident] {
					return false
				}
			}
			name, ok := n.(*ast.Name)
			found = found || ok && (names[name.Ident] || name.Ident == "locals" || name.Ident == "vars")
			return !found
		})
	}
	return found
}

// saved reports whether a gradient is computed from what forward computed. A constant is not
// a gradient that should be scaled.
func saved(fn *infer.Function, g *infer.Val) bool {
	if g == nil || g.IsNone() {
		return false
	}
	found := false
	infer.Walk(g, 500, func(v *infer.Val) bool {
		found = found || v.Op == infer.OpSaved || v.Frame == fn.Forward && v.Op != infer.OpParam && v.Op != infer.OpConst
		return !found && !v.IsOp("zeros_like", "ones_like", "empty_like", "full_like", "new_zeros", "new_ones", "zeros", "ones", "empty", "shape", "size")
	})
	return found
}

func report(p *pass.Pass, fn *infer.Function, r query.GradReturn, g *infer.Val, i int) {
	src := p.In(fn.Backward)
	if src == nil {
		return
	}
	at := element(r, i)
	name := fn.Backward.Func.Def.Params.List[1].Name
	f := pass.Finding{
		At: at, Frame: fn.Backward, Values: []*infer.Val{g}, Evidence: domain.Derived,
	}
	if strings.Trim(name, "_") != "" {
		f.Help = fmt.Sprintf("multiply by `%s`", name)
	}
	if len(fn.GradOutputs) == 1 && strings.Trim(name, "_") != "" && (at != r.Stmt.X || len(r.Grads) == 1) {
		f.Fix = &pass.Fix{Message: "Multiply by the incoming gradient", Edits: src.Operate(at, ast.Mult, name)}
	}
	p.Report(f)
}

// element is the expression of the i-th gradient of a return.
func element(r query.GradReturn, i int) ast.Expr {
	if t, ok := r.Stmt.X.(*ast.Tuple); ok && i < len(t.Elts) {
		return t.Elts[i]
	}
	return r.Stmt.X
}
