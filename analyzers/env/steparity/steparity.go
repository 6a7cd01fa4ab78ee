// Package steparity is rule ENV001, step-arity; rule.md says what it finds.
package steparity

import (
	_ "embed"
	"fmt"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports results of step that are unpacked into another number of variables than they have.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	steps, _ := p.Roles.EnvCalls()
	for _, c := range steps {
		r, ok := infer.RefOf(c.Val).(*infer.SeqRef)
		if !ok || r.List || r.Elems == nil || !c.Unpacked || len(r.Elems) == len(c.Into) || len(r.Elems) < 4 || p.In(c.Frame) == nil {
			continue
		}
		if c.Val.IsOp("gymnasium.Env.step", "gym.Env.step") && !isMade(c) || tried(c) {
			continue
		}
		f := pass.Finding{At: c.Node, Frame: c.Frame, Evidence: domain.Derived}
		f.Message = fmt.Sprintf("`step()` returns %d values, %d variables take them", len(r.Elems), len(c.Into))
		if len(r.Elems) == 4 {
			f.Help = "write `obs, reward, done, info = env.step(action)`"
		}
		p.Report(f)
	}
}

// isMade reports whether an environment of gymnasium was made in the program. What a wrapper is given may be of any
// version, whatever its class.
func isMade(c roles.EnvCall) bool {
	if len(c.Val.In) == 0 || c.Val.In[0] == nil {
		return false
	}
	env := c.Val.In[0]
	o, ok := env.Ref.(*infer.LibObject)
	return ok && (env.IsOp("make", "make_vec") || env.Op == infer.OpNew || o.Class != nil && env.Op == o.Class.Name || env.Op == o.Name)
}

// tried reports whether the call stands in a try that another version of the interface may be the handler of.
func tried(c roles.EnvCall) bool {
	found := false
	ast.InspectStmts(c.Frame.Body(), func(st ast.Stmt) bool {
		if try, ok := st.(*ast.Try); ok && len(try.Handlers) > 0 && try.Span().Covers(c.Node.Span()) {
			found = true
		}
		return !found && st.Span().Covers(c.Node.Span())
	})
	return found
}
