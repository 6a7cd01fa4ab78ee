// Package returnsettoflag is rule ENV032, return-set-to-flag; rule.md says what it finds.
package returnsettoflag

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports running returns that are replaced by the flag of the episode's end, in each step.
var Analyzer = pass.Rule(Doc, run)

// maxSteps bounds the steps that one body takes: a wrapper takes one.
const maxSteps = 4

func run(p *pass.Pass) {
	steps, _ := p.Roles.EnvCalls()
	perBody := map[*infer.Frame]int{}
	for _, c := range steps {
		perBody[c.Frame]++
	}
	for _, c := range steps {
		if !c.Unpacked || len(c.Into) < 4 || perBody[c.Frame] > maxSteps || !sums(c) {
			continue
		}
		var sum *ast.Assign
		var flags []string
		for _, t := range c.Into[2 : len(c.Into)-1] {
			flags = append(flags, query.Path(t))
		}
		query.OwnStmts(c.Frame, func(st ast.Stmt) {
			as, ok := st.(*ast.Assign)
			switch {
			case !ok || len(as.Targets) != 1 || query.Path(as.Targets[0]) == "":
			case addsReward(c, as):
				sum = as
			case !isFlag(flags, as.Value):
			case sum == nil || query.Path(sum.Targets[0]) != query.Path(as.Targets[0]):
				flags = append(flags, query.Path(as.Targets[0]))
			case !underFlag(c, flags, as):
				p.Report(pass.Finding{
					At: as.Value, Frame: c.Frame, Evidence: domain.Derived,
					Related: p.There(query.Place{Frame: c.Frame, Node: sum}, "the rewards are added up here"),
				})
			}
		})
	}
}

// sums reports whether the body of a step adds its reward to a part of what a variable held.
func sums(c roles.EnvCall) bool {
	found := false
	query.OwnStmts(c.Frame, func(st ast.Stmt) {
		as, ok := st.(*ast.Assign)
		found = found || ok && len(as.Targets) == 1 && addsReward(c, as)
	})
	return found
}

// underFlag reports whether a statement stands in a branch that a flag decides about.
func underFlag(c roles.EnvCall, flags []string, as *ast.Assign) bool {
	found := false
	query.OwnStmts(c.Frame, func(st ast.Stmt) {
		if choice, ok := st.(*ast.If); ok && choice.Span().Covers(as.Span()) {
			found = found || slices.ContainsFunc(flags, func(flag string) bool { return query.Reads(choice.Cond, flag) })
		}
	})
	return found
}

// addsReward reports whether an assignment adds what a step pays to a part of what a variable held before.
func addsReward(c roles.EnvCall, as *ast.Assign) bool {
	paid := query.Path(c.Into[1])
	sum, ok := as.Value.(*ast.BinOp)
	if !ok || paid == "" || sum.Op != ast.Add {
		return false
	}
	for i, side := range []ast.Expr{sum.X, sum.Y} {
		other := []ast.Expr{sum.Y, sum.X}[i]
		product, ok := side.(*ast.BinOp)
		if ok && product.Op == ast.Mult && query.Path(as.Targets[0]) != "" && query.Reads(product, query.Path(as.Targets[0])) && query.Reads(other, paid) {
			return true
		}
	}
	return false
}

// isFlag reports whether an expression is made of the flags of a step alone.
func isFlag(flags []string, e ast.Expr) bool {
	called := map[ast.Node]bool{}
	reads, other := false, false
	ast.Walk(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Call:
			called[n.Fun] = true
		case *ast.BinOp:
			other = other || n.Op == ast.Mult
		case *ast.Attribute:
			return !called[n] || query.Path(n) == ""
		case *ast.Name:
			if !called[n] {
				reads = reads || slices.Contains(flags, n.Ident)
				other = other || !slices.Contains(flags, n.Ident)
			}
		}
		return true
	})
	return reads && !other
}
