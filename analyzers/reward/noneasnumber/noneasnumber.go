// Package noneasnumber is rule RWD011, none-as-number; rule.md says what it finds.
package noneasnumber

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

// Analyzer reports arithmetic with what a parser returns, which is None where it finds nothing.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for f, sc := range p.ScoringFrames {
		if p.In(f) == nil || sc.By.Name == "openrlhf" {
			continue
		}
		for _, n := range f.Nodes() {
			for _, e := range operands(n) {
				if or, ok := query.Made(f, e).(*ast.BoolOp); ok && or.Or {
					e = or.Values[len(or.Values)-1] // what stands before it is no None where it is taken
				}
				if mayBeNone(f.Val(e), 6) && !query.Tested(f, e) && !query.AskedOfAnswer(f.Val(n)) && !query.TriedAbove(f, n) {
					p.Report(pass.Finding{At: e, Frame: f, Evidence: domain.Derived})
				}
			}
		}
	}
}

// operands are what a node needs numbers of.
func operands(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.BinOp:
		switch n.Op {
		case ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow:
			return []ast.Expr{n.X, n.Y}
		}
	case *ast.Compare:
		if len(n.Ops) == 1 && (n.Ops[0] == ast.Lt || n.Ops[0] == ast.LtE || n.Ops[0] == ast.Gt || n.Ops[0] == ast.GtE) {
			return []ast.Expr{n.X, n.Ys[0]}
		}
	case *ast.Call:
		name, ok := n.Fun.(*ast.Name)
		if ok && (name.Ident == "float" || name.Ident == "int" || name.Ident == "abs" || name.Ident == "round") && len(n.Args) == 1 {
			return n.Args
		}
	}
	return nil
}

// mayBeNone reports whether a value is what a function of the program returns, which returns None on some path.
func mayBeNone(v *infer.Val, room int) bool {
	if v == nil || room == 0 {
		return false
	}
	switch {
	case v.Op == infer.OpPhi:
		for _, x := range v.In {
			if x.IsNone() || mayBeNone(x, room-1) {
				return query.OfAnswer(v)
			}
		}
	case v.Op == infer.OpCall && !v.Unfollowed() && len(v.In) > 0:
		return mayBeNone(v.In[0], room-1)
	}
	return false
}
