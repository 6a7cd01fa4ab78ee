// Package framesskippedtwice is rule ENV068, frames-skipped-twice; rule.md says what it finds.
package framesskippedtwice

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

// Analyzer reports wrappers that repeat each action, around a game that repeats it already.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for f, call := range p.Calls() {
		if f.Stale() || p.In(f) == nil {
			continue
		}
		n, env := repeats(f, call)
		if n < 2 {
			continue
		}
		game, ok := p.Game(f.Val(env))
		if !ok || game.Frames[0] < 2 {
			continue
		}
		p.Report(pass.Finding{
			At: call, Frame: f, Evidence: domain.Derived,
			Message: fmt.Sprintf("each action is repeated %d times, on top of the game's own frame skip", n),
			Related: p.There(game.Place, fmt.Sprintf("one step of %s lasts %s frames", game.ID, frames(game.Frames))),
		})
	}
}

// frames says how many frames a step lasts.
func frames(n [2]int64) string {
	if n[0] == n[1] {
		return fmt.Sprint(n[0])
	}
	return fmt.Sprintf("%d to %d", n[0], n[1])
}

// repeats is how often a wrapper that a call makes repeats each action, and the environment that it is given; 0 for other calls.
func repeats(f *infer.Frame, call *ast.Call) (n int64, env ast.Expr) {
	if len(call.Args) > 0 {
		env = call.Args[0]
	} else if env = query.Keyword(call, "env"); env == nil {
		return 0, nil
	}
	switch ref := infer.RefOf(f.Val(call.Fun)).(type) {
	case *infer.LibRef:
		return ofLibrary(f, call, ref.Name), env
	case *infer.ClassRef:
		made, ok := infer.RefOf(f.Val(call)).(*infer.Instance)
		if !ok || ref.Lookup("step") == nil {
			return 0, nil
		}
		step, ok := ref.Lookup("step").Ref.(*infer.FuncRef)
		if !ok {
			return 0, nil
		}
		return rounds(step, made), env
	}
	return 0, nil
}

// known are the wrappers of libraries that repeat an action, with the parameter that says how often, the place at which it stands, and its
// default. AtariPreprocessing of gymnasium raises where frames are skipped twice.
var known = map[string]struct {
	param string
	at    int
	times int64
}{
	"MaxAndSkipEnv":         {"skip", 1, 4}, // of Stable-Baselines3
	"AtariWrapper":          {"frame_skip", 2, 4},
	"MaxAndSkipObservation": {"skip", 1, 4}, // of gymnasium
}

// ofLibrary is how often a wrapper of a library repeats each action.
func ofLibrary(f *infer.Frame, call *ast.Call, symbol string) int64 {
	w, ok := known[symbol[strings.LastIndexByte(symbol, '.')+1:]]
	if !ok || query.HasOpenArgs(call) {
		return 0
	}
	set := query.Keyword(call, w.param)
	if set == nil && len(call.Args) > w.at {
		set = call.Args[w.at]
	}
	if set == nil {
		return w.times
	}
	n, _ := f.Val(set).Int()
	return n
}

// rounds is the number of rounds of the loop in which a wrapper's step hands the same action on.
func rounds(step *infer.FuncRef, made *infer.Instance) (n int64) {
	if step.Def == nil || step.Def.Params == nil || len(step.Def.Params.List) < 2 {
		return 0
	}
	action := step.Def.Params.List[1].Name
	ast.WalkStmts(step.Def.Body, func(x ast.Node) bool {
		loop, ok := x.(*ast.For)
		if !ok {
			return true
		}
		iter, ok := loop.Iter.(*ast.Call)
		if !ok || query.CalleeName(iter) != "range" || len(iter.Args) != 1 || !handsOn(loop.Body, action) {
			return true
		}
		switch times := iter.Args[0].(type) {
		case *ast.Number:
			fmt.Sscan(times.Text, &n)
		case *ast.Attribute:
			if query.Path(times.X) == "self" && made.Attrs[times.Attr] != nil {
				n, _ = made.Attrs[times.Attr].Int()
			}
		}
		return true
	})
	return n
}

// handsOn reports whether a body steps the environment within with the action that it was given.
func handsOn(body []ast.Stmt, action string) (found bool) {
	ast.WalkStmts(body, func(x ast.Node) bool {
		call, ok := x.(*ast.Call)
		if ok && len(call.Args) == 1 && query.Path(call.Args[0]) == action {
			path := query.Path(call.Fun)
			found = found || strings.HasSuffix(path, ".step") && strings.Contains(path, "env")
		}
		return !found
	})
	return found
}
