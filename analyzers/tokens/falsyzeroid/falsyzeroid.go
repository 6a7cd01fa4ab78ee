// Package falsyzeroid is rule TOK019, falsy-zero-id; rule.md says what it finds.
package falsyzeroid

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports ids of tokens that are asked whether they are true.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for f := range p.EachFrame {
		for _, n := range f.Nodes() {
			for _, at := range asked(f, n) {
				p.Report(pass.Finding{At: at, Frame: f, Evidence: domain.Derived})
			}
		}
	}
}

// asked returns what n asks for its truth though it is the id of a token: all but the last of an `or`, and
// what decides a statement or a choice.
func asked(f *infer.Frame, n ast.Node) (out []ast.Node) {
	add := func(x ast.Expr) {
		if isID(f, x) {
			out = append(out, x)
		}
	}
	switch n := n.(type) {
	case *ast.BoolOp:
		last := len(n.Values) - 1
		for i, x := range n.Values {
			if i < last && !(n.Or && isZero(f, n.Values[last])) {
				add(x)
			}
		}
	case *ast.If:
		add(n.Cond)
	case *ast.IfExp:
		add(n.Cond)
	case *ast.UnaryOp:
		if n.Op == ast.Not {
			add(n.X)
		}
	}
	return out
}

// isID reports whether x is the id of a special token by the interface of tokenizers and their settings: an attribute,
// or a variable that was read from one.
func isID(f *infer.Frame, x ast.Expr) bool {
	v := infer.Strip(f.Val(x))
	if at, ok := x.(*ast.Attribute); ok && ids[at.Attr] {
		return true
	}
	if v == nil || len(v.In) == 0 {
		return false
	}
	return ids[infer.BaseOp(v.Op)] && v.Is(domain.TokenIDs)
}

// ids are attributes of tokenizers and models.
var ids = map[string]bool{"pad_token_id": true, "eos_token_id": true, "bos_token_id": true}

// isZero reports whether x is 0, or None: what stands for an id of 0 then is 0 again, or the asker's business.
func isZero(f *infer.Frame, x ast.Expr) bool {
	n, ok := f.Val(x).Float()
	return ok && n == 0
}
