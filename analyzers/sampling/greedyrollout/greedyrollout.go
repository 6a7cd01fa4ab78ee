// Package greedyrollout is rule DIST017, greedy-rollout; rule.md says what it finds.
package greedyrollout

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports training rollouts that are decoded greedily.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, r := range p.Roles.Rollouts() {
		if setting := greedy(func(name string) *infer.Val { return p.Roles.Setting(r.Call, name) }); setting != nil {
			p.Report(finding(p, r.Call, setting, r.Weights))
		}
	}
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
