// Package resetreturnsonevalue is rule ENV064, reset-returns-one-value; rule.md says what it finds.
package resetreturnsonevalue

import (
	_ "embed"
	"fmt"
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

// Analyzer reports environments of gymnasium whose reset returns no pair.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Source.IsTest() {
		return // it may be there to be refused
	}
	given := p.Roles.EnvsGiven(resets)
	for f := range p.EachFrame {
		if f.Func == nil || f.Func.Name() != "reset" || f.Func.Class == nil || p.In(f) == nil || !given[f.Func.Class] || !ofGymnasium(f.Func.Class) {
			continue
		}
		query.OwnStmts(f, func(st ast.Stmt) {
			ret, ok := st.(*ast.Return)
			if !ok || p.Roles.BySetting(query.Place{Frame: f, Node: st}) || ret.X == nil {
				return
			}
			if tuple, ok := ret.X.(*ast.Tuple); ok {
				if len(tuple.Elts) != 2 && !starred(tuple) {
					p.Report(pass.Finding{At: tuple, Frame: f, Evidence: domain.Derived, Message: fmt.Sprintf("`reset()` of a gymnasium environment returns %d values", len(tuple.Elts))})
				}
			} else if isObservation(f.Val(ret.X)) {
				p.Report(pass.Finding{At: ret.X, Frame: f, Evidence: domain.Derived})
			}
		})
	}
}

func starred(t *ast.Tuple) bool {
	for _, e := range t.Elts {
		if _, ok := e.(*ast.Starred); ok {
			return true
		}
	}
	return false
}

// isObservation reports whether v is surely no pair.
func isObservation(v *infer.Val) bool {
	if v == nil {
		return false
	}
	_, record := v.Ref.(*infer.DictRef)
	return query.IsArray(v) || record
}

func ofGymnasium(c *infer.ClassRef) bool {
	return (c.Derives("gymnasium.Env") || c.Derives("gymnasium.core.Env")) && !c.Derives("gymnasium.Wrapper")
}

// resets reports whether a symbol is of a library that resets what it is given.
func resets(symbol string) bool {
	for _, lib := range []string{"stable_baselines3.", "sb3_contrib.", "gymnasium.wrappers.", "gymnasium.vector.", "gymnasium.utils.env_checker."} {
		if strings.HasPrefix(symbol, lib) {
			return true
		}
	}
	return false
}
