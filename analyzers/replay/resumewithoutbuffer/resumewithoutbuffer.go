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
		if !isLoad(f, load) || handedOn(p, f, f.Val(load)) {
			continue
		}
		if at := goesOn(p, f, load); at != nil && !fills(p) {
			p.Report(pass.Finding{At: load, Frame: f, Evidence: domain.Derived, Related: []pass.Related{{Source: src, Node: at, Message: "here the run goes on"}}})
		}
	}
}

// buffers is the attribute in which models keep their buffer.
var buffers = query.Words(`replay_buffer`)

// fills reports whether any module of the program loads a buffer, or gives a model another one.
func fills(p *pass.Pass) bool {
	for m := range p.Modules() {
		if len(query.Calls(m.AST, "load_replay_buffer")) > 0 || query.AssignsAttr(m.AST, buffers) {
			return true
		}
	}
	return false
}

// handedOn reports whether a model is handed to what is out of sight, or calls back what is: that may load the buffer.
func handedOn(p *pass.Pass, f *infer.Frame, made *infer.Val) bool {
	for call := range query.In[*ast.Call](f) {
		opaque := f.Val(call) != nil && p.IsOpaque(f.Val(call))
		for _, arg := range call.Args {
			if opaque && mayBe(f.Val(arg), made) {
				return true
			}
		}
		at, ok := call.Fun.(*ast.Attribute)
		back := query.Keyword(call, "callback")
		if ok && back != nil && mayBe(f.Val(at.X), made) && f.Val(back) != nil && (f.Val(back).Op == infer.OpParam || p.IsOpaque(f.Val(back))) {
			return true
		}
	}
	return false
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
