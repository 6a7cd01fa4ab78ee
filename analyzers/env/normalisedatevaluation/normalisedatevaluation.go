// Package normalisedatevaluation is rule ENV060, normalised-at-evaluation; rule.md says what it finds.
package normalisedatevaluation

import (
	_ "embed"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
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

// Analyzer reports evaluations in environments that still normalise rewards and update their statistics.
var Analyzer = pass.Rule(Doc, run)

var (
	switches  = query.Words(`training norm_reward`)
	measuring = query.Words(`evaluate_policy step`)
)

func run(p *pass.Pass) {
	for f, call := range p.Calls() {
		// What is switched off somewhere is taken for this one. To ask walks the module, so candidates come first.
		if found, ok := normalised(p, f, call); ok && !query.AssignsAttr(p.In(f).AST, switches) {
			p.Report(found)
		}
	}
}

// normalised reports whether a call evaluates in an environment that normalises rewards and goes on to learn, or loads one for it.
func normalised(p *pass.Pass, f *infer.Frame, call *ast.Call) (pass.Finding, bool) {
	if env := query.EvaluatedEnv(f, call); env != nil {
		made := normaliser(p, f.Val(env))
		if made == nil {
			return pass.Finding{}, false
		}
		return pass.Finding{
			At: env, Frame: f, Evidence: domain.Derived, Severity: finding.Warning, // the rewards of a Monitor are taken, where there is one
			Related: p.Here(made, "made here, with statistics that are updated"),
		}, true
	}
	src := p.In(f)
	// The statistics of a run that goes on are to be updated.
	if query.CalleeName(call) != "load" || !isLoad(f, call) || len(query.Calls(src.AST, "learn")) > 0 {
		return pass.Finding{}, false
	}
	use := measured(p, f, call)
	if use == nil {
		return pass.Finding{}, false
	}
	out := pass.Finding{At: call, Frame: f, Evidence: domain.Derived, Related: []pass.Related{{Source: src, Node: use, Message: "here it is evaluated"}}}
	if query.CalleeName(use) == "evaluate_policy" {
		out.Severity = finding.Warning
	}
	return out, true
}

// normaliser is the VecNormalize of which an environment is made, as it is or in a wrapper, where that was built to normalise rewards and
// to update its statistics; nil for others.
func normaliser(p *pass.Pass, env *infer.Val) *infer.Val {
	const wrappers = 4
	for range wrappers {
		env = infer.Strip(env)
		o, ok := infer.RefOf(env).(*infer.LibObject)
		if !ok || env.Frame == nil {
			return nil
		}
		call, isCall := env.Node.(*ast.Call)
		if !isCall || query.HasOpenArgs(call) {
			return nil
		}
		if infer.BaseOp(o.Name) == "VecNormalize" {
			if len(call.Args) > 1 || query.Keyword(call, "training") != nil || query.Keyword(call, "norm_reward") != nil {
				return nil
			}
			return env
		}
		if !strings.HasPrefix(infer.BaseOp(o.Name), "Vec") || len(o.Pos) == 0 {
			return nil
		}
		env = o.Pos[0]
	}
	return nil
}

// isLoad reports whether a call is VecNormalize.load.
func isLoad(f *infer.Frame, call *ast.Call) bool {
	at, ok := call.Fun.(*ast.Attribute)
	if !ok {
		return false
	}
	r, ok := infer.RefOf(f.Val(at.X)).(*infer.LibRef)
	return ok && infer.BaseOp(r.Name) == "VecNormalize"
}

// measured is where what a call loaded is stepped or handed to what does.
func measured(p *pass.Pass, f *infer.Frame, load *ast.Call) *ast.Call {
	made := f.Val(load)
	for call := range query.In[*ast.Call](f) {
		if !measuring[query.CalleeName(call)] {
			continue
		}
		var env ast.Expr
		if at, ok := call.Fun.(*ast.Attribute); ok && at.Attr == "step" {
			env = at.X
		} else if len(call.Args) > 1 {
			env = call.Args[1]
		} else {
			env = query.Keyword(call, "env")
		}
		if env != nil && made != nil && infer.SameSource(f.Val(env), made) {
			return call
		}
	}
	return nil
}
