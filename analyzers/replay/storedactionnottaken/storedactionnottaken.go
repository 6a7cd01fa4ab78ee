// Package storedactionnottaken is rule OFF026, stored-action-not-taken; rule.md says what it finds.
package storedactionnottaken

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

// Analyzer reports actions that are stored with the reward of another one.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	changedByStep(p)
	for _, u := range p.Roles.Untaken() {
		if !p.Trains(u.Step.Frame) {
			continue
		}
		f := pass.Finding{At: u.Stored.Node, Frame: u.Stored.Frame, Evidence: domain.Derived}
		f.Related = append(p.There(u.Draw, "the environment gets what is drawn here"), p.There(u.Step, "this is what it answers")...)
		if u.Again {
			f.Message = "the action is drawn twice: one is taken, another is stored"
			f.Help = "draw once, keep the action in a variable, and step and store with it"
		}
		p.Report(f)
	}
}

// changedByStep reports actions that the environment's own step writes into, where the program stores them behind the step beside what it
// answered.
func changedByStep(p *pass.Pass) {
	steps, _ := p.Roles.EnvCalls()
	if len(steps) == 0 {
		return
	}
	changes := p.Writers()
	for _, step := range steps {
		if !p.Trains(step.Frame) || len(step.Node.Args) == 0 {
			continue
		}
		action := shared(step.Node.Args[0])
		change, _, ok := changes.Changes(step.Place(), step.Node.Args[0])
		if action == nil || !ok {
			continue
		}
		if stored := storedBehind(step, action.Ident); stored != nil {
			p.Report(pass.Finding{
				At: stored, Frame: step.Frame, Evidence: domain.Derived,
				Message: "the environment writes into the action that is stored here",
				Why:     "the array is one object: what is stored is what the environment made of the action, and not what the policy chose",
				Help:    "copy it in the environment before it is changed: `action = np.copy(action)`",
				Related: append(p.There(change, "it is changed in place here"), p.There(step.Place(), "the environment gets it here")...),
			})
		}
	}
}

// shared is the variable whose memory an argument has: of a.numpy(), a.
func shared(e ast.Expr) *ast.Name {
	for range maxViews {
		switch x := e.(type) {
		case *ast.Name:
			return x
		case *ast.Call:
			at, ok := x.Fun.(*ast.Attribute)
			if !ok || !views[at.Attr] {
				return nil
			}
			e = at.X
		default:
			return nil
		}
	}
	return nil
}

// maxViews bounds the methods between a variable and the argument.
const maxViews = 6

// views are methods that yield the memory that they were called on.
var views = query.Words(`numpy detach squeeze unsqueeze view`)

// storedBehind is where a variable is read behind a step, as it is, in a call or a row that has the answer of the step, too.
func storedBehind(step roles.EnvCall, name string) ast.Node {
	loops := query.Around(step.Place())
	for _, n := range step.Frame.Nodes() {
		if n.Span().Start < step.Node.Span().End || len(loops) > 0 && !loops[len(loops)-1].Stmt.Span().Covers(n.Span()) {
			continue
		}
		if st, ok := n.(ast.Stmt); ok && query.Binds(st, name) {
			return nil
		}
		var parts []ast.Expr
		switch n := n.(type) {
		case *ast.Call:
			parts = ast.Given(n)
		case *ast.Tuple:
			parts = n.Elts
		case *ast.List:
			parts = n.Elts
		case *ast.Dict:
			parts = n.Values
		}
		var found ast.Expr
		answered := false
		for _, e := range parts {
			x, ok := e.(*ast.Name)
			switch {
			case !ok:
			case x.Ident == name:
				found = x
			default:
				answered = answered || slices.ContainsFunc(step.Into, func(t ast.Expr) bool { return query.Path(t) == x.Ident })
			}
		}
		if found != nil && answered {
			return found
		}
	}
	return nil
}
