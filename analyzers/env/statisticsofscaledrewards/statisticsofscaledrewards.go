// Package statisticsofscaledrewards is rule ENV031, statistics-of-scaled-rewards; rule.md says what it finds.
package statisticsofscaledrewards

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

// Analyzer reports wrappers that record the returns of episodes outside of one that scales or clips rewards.
var Analyzer = pass.Rule(Doc, run)

// The names are those of the libraries' classes.
var (
	recorders = query.Words(`gymnasium.wrappers.RecordEpisodeStatistics gym.wrappers.RecordEpisodeStatistics gym.wrappers.Monitor
		stable_baselines3.common.monitor.Monitor stable_baselines3.common.vec_env.VecMonitor stable_baselines3.common.vec_env.vec_monitor.VecMonitor`)
	scalers = query.Words(`gymnasium.wrappers.NormalizeReward gym.wrappers.NormalizeReward gymnasium.wrappers.ClipReward
		stable_baselines3.common.atari_wrappers.ClipRewardEnv stable_baselines3.common.vec_env.VecNormalize
		stable_baselines3.common.vec_env.vec_normalize.VecNormalize`)
)

// most bounds the wrappers around one environment.
const most = 32

func run(p *pass.Pass) {
	for f, call := range p.Calls() {
		if !recorders[query.CalledSymbol(f, call)] {
			continue
		}
		if scaler := scalerWithin(query.Place{Frame: f, Node: call}); scaler.Node != nil && p.In(scaler.Frame) != nil {
			p.Report(pass.Finding{
				At: call, Frame: f, Evidence: domain.Derived,
				Related: []pass.Related{{Source: p.In(scaler.Frame), Node: scaler.Node, Message: "the rewards are changed here, further in"}},
			})
		}
	}
}

// scalerWithin is the wrapper that changes rewards inside of a wrapper, if there is one.
func scalerWithin(at query.Place) query.Place {
	for range most {
		call, ok := at.Node.(*ast.Call)
		if !ok || len(call.Args) == 0 {
			break
		}
		v := infer.Strip(at.Frame.Val(call.Args[0]))
		if v == nil || v.Frame == nil || v.Op == infer.OpPhi {
			break // on one of several ways
		}
		at = query.Place{Frame: v.Frame, Node: v.Node}
		if inner, ok := v.Node.(*ast.Call); ok && scalers[query.CalledSymbol(v.Frame, inner)] && scales(v.Frame, inner) {
			return at
		}
	}
	return query.Place{}
}

// scales reports whether a wrapper is not told to leave rewards alone.
func scales(f *infer.Frame, call *ast.Call) bool {
	for _, k := range call.Keywords {
		if k.Name == "norm_reward" || k.Name == "" {
			v := f.Val(k.Value)
			return k.Name != "" && v != nil && v.Const == true
		}
	}
	return true
}
