// Package oldvaluealiases is rule GRAD041, old-value-aliases; rule.md says what it finds.
package oldvaluealiases

import (
	_ "embed"

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

// Analyzer reports differences between a tensor and its older value, where the older value is a second name of the tensor.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Made("sub", "add") {
		if v.Node == nil || p.In(v.Frame) == nil || checkTerms(p, v) || len(v.In) < 2 || !v.IsOp("sub") {
			continue
		}
		if !check(p, v, v.In[0], v.In[1]) { // terms look into x.add_(y) too, which is the newer value here
			check(p, v, v.In[1], v.In[0])
		}
	}
}

// checkTerms checks a sum whose terms have the older and the newer value with opposite signs.
func checkTerms(p *pass.Pass, v *infer.Val) bool {
	terms := query.TermsOf(p.See(v), 1)
	if len(terms) > 8 {
		return false
	}
	for _, old := range terms {
		for _, now := range terms {
			if old.Sign == -now.Sign && check(p, v, old.Val, now.Val) {
				return true
			}
		}
	}
	return false
}

// check reports the name of an older value that is the memory of the newer one.
func check(p *pass.Pass, v, old, now *infer.Val) bool {
	written := writtenSince(old, now)
	if written == nil {
		return false
	}
	alias := aliasOf(v, old)
	if alias == nil {
		return false
	}
	p.Report(pass.Finding{
		At: alias, Frame: v.Frame, Evidence: domain.Derived,
		Related: append(p.Here(written, "this writes into it"), p.Here(v, "the two are subtracted here: they are one tensor")...),
	})
	return true
}

// writtenSince returns the last write by which now became what it is from old, in the same memory; nil where there is none.
func writtenSince(old, now *infer.Val) *infer.Val {
	if old == nil || now == nil || old.Const != nil {
		return nil
	}
	written := now
	for range 16 {
		if now == nil || now.Lib == infer.LibNumpy || !query.Writes(now) {
			return nil
		}
		if now = now.In[0]; now == old {
			return written
		}
	}
	return nil
}

// aliasOf is what a local name of the difference was assigned, if that is the older value itself.
func aliasOf(v, old *infer.Val) (alias ast.Expr) {
	names := map[string]bool{}
	ast.Walk(v.Node, func(n ast.Node) bool {
		if name, ok := n.(*ast.Name); ok && v.Frame.Val(name) == old {
			names[name.Ident] = true
		}
		return true
	})
	if len(names) == 0 {
		return nil
	}
	for _, st := range v.Frame.Body() {
		ast.Walk(st, func(n ast.Node) bool {
			if assign, ok := n.(*ast.Assign); ok && alias == nil {
				for _, t := range assign.Targets {
					alias = sideOf(t, assign.Value, func(target, value ast.Expr) bool {
						name, ok := target.(*ast.Name)
						return ok && names[name.Ident] && isSecondName(value) && v.Frame.Val(value) == old
					})
				}
			}
			return true
		})
	}
	return alias
}

// sideOf finds what is assigned to a target, alone or in a tuple.
func sideOf(target, value ast.Expr, wanted func(target, value ast.Expr) bool) ast.Expr {
	if wanted(target, value) {
		return value
	}
	ts, ok := target.(*ast.Tuple)
	vs, ok2 := value.(*ast.Tuple)
	if !ok || !ok2 || len(ts.Elts) != len(vs.Elts) {
		return nil
	}
	for i := range ts.Elts {
		if wanted(ts.Elts[i], vs.Elts[i]) {
			return vs.Elts[i]
		}
	}
	return nil
}

// isSecondName reports whether an expression names a tensor that has a name.
func isSecondName(e ast.Expr) bool {
	switch e.(type) {
	case *ast.Name, *ast.Attribute:
		return true
	}
	return false
}
