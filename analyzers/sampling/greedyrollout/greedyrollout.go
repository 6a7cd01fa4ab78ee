// Package greedyrollout is rule DIST017, greedy-rollout; rule.md says what it finds.
package greedyrollout

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports training rollouts that are decoded greedily.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	rollouts := p.Roles.Rollouts()
	for _, r := range rollouts {
		// Where the loss learns from samples as well, greedy answers are one of the choices of a setting, or an anchor beside the samples.
		sampled := slices.ContainsFunc(rollouts, func(o roles.Rollout) bool { return o.Loss.Call.Node == r.Loss.Call.Node && settingOf(p, o.Call) == nil })
		if setting := settingOf(p, r.Call); setting != nil && !sampled {
			p.Report(finding(p, r.Call, setting, r.Weights))
		}
	}
}

// settingOf is the setting that makes a rollout greedy, or nil: the answers of a beam differ.
func settingOf(p *pass.Pass, call *infer.Val) *infer.Val {
	if n := p.Roles.Setting(call, "num_beams"); n != nil && !isOne(n) {
		if k := p.Roles.Setting(call, "num_return_sequences"); k != nil && !isOne(k) {
			return nil
		}
	}
	return greedy(func(name string) *infer.Val { return p.Roles.Setting(call, name) })
}

func isOne(v *infer.Val) bool {
	n, ok := v.Int()
	return ok && n == 1
}

// greedy returns the setting that makes decoding greedy, or nil.
func greedy(setting func(string) *infer.Val) *infer.Val {
	if v := setting("do_sample"); v != nil && v.Const == false {
		return v
	}
	if v := setting("temperature"); v != nil {
		if c, ok := v.Float(); ok && c == 0 {
			return v
		}
	}
	return nil
}

// help names do_sample where it is a setting of the call: vLLM's and SGLang's parameters have none.
func help(p *pass.Pass, call *infer.Val) string {
	if p.Roles.Setting(call, "do_sample") != nil {
		return ""
	}
	return "sample at a temperature above 0; `generate` of transformers also needs `do_sample=True`"
}

func finding(p *pass.Pass, call, setting *infer.Val, weights []query.Seen) pass.Finding {
	f := pass.At(call)
	f.Help = help(p, call)
	f.Evidence = domain.Derived
	for _, w := range weights {
		if w.Is(query.Scored) && !w.IsCentred() {
			f.Evidence = w.Q.Evidence
		}
	}
	f.Related = p.Here(setting, "decoding is made greedy here")
	return f
}
