// Package rewardafterbreak is rule ENV014, reward-after-break; rule.md says what it finds.
package rewardafterbreak

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports rewards that are added up behind the break that ends the episode.
var Analyzer = pass.Rule(Doc, run)

// What a loop assigns and reads is a question of Python's variables, so their names are compared.
func run(p *pass.Pass) {
	steps, _ := p.Roles.EnvCalls()
	for _, c := range steps {
		loops := query.Around(c.Place())
		if !c.Unpacked || len(c.Into) < 3 || len(loops) == 0 || p.In(c.Frame) == nil {
			continue
		}
		reward, ok := c.Into[1].(*ast.Name)
		if !ok {
			continue
		}
		if sum, leaves := lost(loops[len(loops)-1].Body(), c, reward.Ident); sum != nil {
			p.Report(pass.Finding{
				At: sum, Frame: c.Frame, Evidence: domain.Derived,
				Related: []pass.Related{{Source: p.In(c.Frame), Node: leaves, Message: "the last step of an episode ends here"}},
			})
		}
	}
}

// lost returns what adds the reward to a sum, and the condition before it that ends the loop when the episode does,
// where nothing reads the reward in between.
func lost(body []ast.Stmt, c roles.EnvCall, reward string) (sum, leaves ast.Expr) {
	at := slices.IndexFunc(body, func(st ast.Stmt) bool { return st == c.Stmt })
	if at < 0 {
		return nil, nil
	}
	for _, st := range body[at+1:] {
		if leaves == nil {
			cond, ok := st.(*ast.If)
			if ok && len(cond.Else) == 0 && ends(cond, c) && !query.Reads(st, reward) {
				leaves = cond.Cond
				continue
			}
		} else if add, ok := st.(*ast.AugAssign); ok && add.Op == ast.Add {
			if name, ok := add.Value.(*ast.Name); ok && name.Ident == reward {
				return add.Value, leaves
			}
		}
		if query.Reads(st, reward) {
			return nil, nil
		}
	}
	return nil, nil
}

// ends reports whether a condition is on the end of the episode alone, and leaves the loop.
func ends(cond *ast.If, c roles.EnvCall) bool {
	if _, ok := cond.Then[len(cond.Then)-1].(*ast.Break); !ok {
		return false
	}
	for _, flag := range c.Into[2:min(len(c.Into), 4)] {
		if name, ok := flag.(*ast.Name); ok && query.Reads(cond.Cond, name.Ident) {
			return true
		}
	}
	return false
}
