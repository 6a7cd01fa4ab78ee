// Package stepreturnsfour is rule ENV017, step-returns-four; rule.md says what it finds.
package stepreturnsfour

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

// Analyzer reports environments of gymnasium whose methods do not return what gymnasium and its libraries unpack.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Source.IsTest() {
		return // it may be there to be refused
	}
	var handed map[*infer.ClassRef]bool
	for f := range p.EachFrame {
		if f.Func == nil || f.Func.Name() != "step" || f.Func.Class == nil || p.In(f) == nil || !ofGymnasium(f.Func.Class) {
			continue
		}
		if handed == nil {
			handed = p.Roles.EnvsGiven(steps)
		}
		if handed[f.Func.Class] {
			check(p, f)
		}
	}
}

// ofGymnasium reports whether a class is an environment by its bases. A wrapper may be there to turn one interface into
// another.
func ofGymnasium(c *infer.ClassRef) bool {
	return (c.Derives("gymnasium.Env") || c.Derives("gymnasium.core.Env")) && !c.Derives("gymnasium.Wrapper")
}

// check reports the returns whose tuples have another number of elements than five.
func check(p *pass.Pass, f *infer.Frame) {
	query.OwnStmts(f, func(st ast.Stmt) {
		ret, ok := st.(*ast.Return)
		if !ok || p.Roles.BySetting(query.Place{Frame: f, Node: st}) {
			return
		}
		tuple, ok := ret.X.(*ast.Tuple)
		if !ok || len(tuple.Elts) == 5 {
			return
		}
		for _, e := range tuple.Elts {
			if _, star := e.(*ast.Starred); star {
				return
			}
		}
		p.Report(pass.Finding{At: tuple, Frame: f, Evidence: domain.Derived, Message: fmt.Sprintf("`step()` of a gymnasium environment returns %d values", len(tuple.Elts))})
	})
}

// steps reports whether a symbol is of a library that steps what it is given. What only the program itself steps may return what it likes.
func steps(symbol string) bool {
	for _, lib := range []string{"stable_baselines3.", "sb3_contrib.", "gymnasium.wrappers.", "gymnasium.vector.", "gymnasium.utils.env_checker.", "ray.rllib.", "torchrl."} {
		if strings.HasPrefix(symbol, lib) && !strings.HasSuffix(symbol, "__init__") {
			return true
		}
	}
	return false
}
