// Package resumewithoutbuffer is rule OFF060, resume-without-buffer; rule.md says what it finds.
package resumewithoutbuffer

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

// Analyzer reports off-policy runs that go on with an empty replay buffer.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for f, load := range p.Calls() {
		src := p.In(f)
		if !isLoad(f, load) || len(query.Calls(src.AST, "load_replay_buffer")) > 0 {
			continue
		}
		if at := goesOn(p, f, load); at != nil {
			p.Report(pass.Finding{At: load, Frame: f, Evidence: domain.Derived, Related: []pass.Related{{Source: src, Node: at, Message: "here the run goes on"}}})
		}
	}
}

// isLoad reports whether a call loads a model that learns from a replay buffer.
func isLoad(f *infer.Frame, call *ast.Call) bool {
	at, ok := call.Fun.(*ast.Attribute)
	return ok && at.Attr == "load" && query.IsOffPolicy(query.AlgorithmClass(f.Val(at.X)))
}

// goesOn is where the loaded model learns on from where it was: its steps are counted on, or it is saved where it was loaded from. Else it may
// begin another task.
func goesOn(p *pass.Pass, f *infer.Frame, load *ast.Call) (learns *ast.Call) {
	made, back := f.Val(load), false
	for call := range query.In[*ast.Call](f) {
		at, ok := call.Fun.(*ast.Attribute)
		if !ok || !mayBe(f.Val(at.X), made) {
			continue
		}
		switch at.Attr {
		case "learn":
			learns = call
			if reset := query.Keyword(call, "reset_num_timesteps"); reset != nil {
				anew, known := infer.Truth(f.Val(reset))
				back = back || known && !anew
			}
		case "save":
			back = back || len(load.Args) > 0 && len(call.Args) > 0 && query.Path(load.Args[0]) != "" && query.Path(load.Args[0]) == query.Path(call.Args[0])
		}
	}
	if !back {
		return nil
	}
	return learns
}

// mayBe reports whether a value is another, or may be it.
func mayBe(v, made *infer.Val) bool {
	found := false
	infer.Walk(v, 8, func(x *infer.Val) bool {
		found = found || infer.SameSource(x, made)
		return !found && (x.Op == infer.OpPhi || x.Op == infer.OpNarrow)
	})
	return found
}
