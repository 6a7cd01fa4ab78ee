// Package frequencyincalls is rule LOOP062, frequency-in-calls; rule.md says what it finds.
package frequencyincalls

import (
	_ "embed"
	"fmt"

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

// Analyzer reports callbacks whose frequency counts calls of a vector of environments.
var Analyzer = pass.Rule(Doc, run)

// frequencies are the parameters that count calls of the callback, with their positions.
var frequencies = map[string]struct {
	name string
	at   int
}{"CheckpointCallback": {"save_freq", 0}, "EvalCallback": {"eval_freq", 4}}

// least is a number of calls that is no small period chosen on purpose.
const least = 1000

func run(p *pass.Pass) {
	n := environments(p)
	if n < 2 {
		return
	}
	for f, call := range p.Calls() {
		if p.In(f) != p.Source {
			continue
		}
		freq, ok := frequencies[query.CalleeName(call)]
		if !ok {
			continue
		}
		arg := query.Keyword(call, freq.name)
		if arg == nil && freq.at < len(call.Args) {
			arg = call.Args[freq.at]
		}
		if arg == nil || divided(f, arg) {
			continue
		}
		if every, ok := f.Val(arg).Int(); ok && every >= least && every < 1<<31 {
			p.Report(pass.Finding{
				At: arg, Frame: f, Evidence: domain.Derived, Message: fmt.Sprintf("`%s` counts calls: with %d environments that is %d steps", freq.name, n, every*n),
				Help: fmt.Sprintf("write `max(%s // %d, 1)`", p.Source.Text(arg), n),
			})
		}
	}
}

// divided reports whether a frequency is computed: who divides has thought of it.
func divided(f *infer.Frame, e ast.Expr) bool {
	made := f.Val(e)
	for _, n := range []ast.Node{e, nodeOf(made)} {
		switch n.(type) {
		case *ast.BinOp, *ast.Call:
			return true
		}
	}
	return false
}

func nodeOf(v *infer.Val) ast.Node {
	if v == nil {
		return nil
	}
	return v.Node
}

// environments is how many environments the program steps at a time, where all vectors of more than one that it makes agree; 0 where that
// is not known.
func environments(p *pass.Pass) (n int64) {
	for f, call := range p.Calls() {
		if query.CalleeName(call) != "make_vec_env" || p.In(f) != p.Source {
			continue
		}
		arg := query.Keyword(call, "n_envs")
		if arg == nil && len(call.Args) > 1 {
			arg = call.Args[1]
		}
		if arg == nil {
			continue
		}
		v := f.Val(arg)
		k, known := v.Int()
		if !known || v.Op == infer.OpConfig || n != 0 && k > 1 && k != n {
			return 0
		}
		if k > 1 {
			n = k
		}
	}
	return n
}
