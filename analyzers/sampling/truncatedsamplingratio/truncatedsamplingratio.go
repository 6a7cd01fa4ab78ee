// Package truncatedsamplingratio is rule DIST016, truncated-sampling-ratio; rule.md
// says what it finds.
package truncatedsamplingratio

import (
	_ "embed"
	"slices"

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

// Analyzer reports rollouts from a truncated distribution that are weighted with ratios
// of the full distribution.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, r := range p.Roles.Rollouts() {
		if !r.Ratio || r.Reported || reportsTruncated(r.Call) {
			continue
		}
		check(p, r.Call, func(name string) *infer.Val { return p.Roles.Setting(r.Call, name) })
	}
	for _, v := range p.Roles.OnlineTrainers() {
		if engine := roles.SettingOf(v, "use_vllm"); engine != nil && engine.Const == true {
			continue // trl has its vLLM report processed log-probabilities, and corrects by them
		}
		check(p, v, func(name string) *infer.Val { return roles.SettingOf(v, name) })
	}
}

// check reports a setting of one call that truncates the distribution.
func check(p *pass.Pass, call *infer.Val, setting func(string) *infer.Val) {
	for _, name := range []string{"top_p", "top_k", "min_p"} {
		if v := setting(name); v != nil && truncates(name, v) {
			p.Report(finding(p, call, v))
			return
		}
	}
}

// reportsTruncated reports whether the engine that samples was told to report the
// log-probabilities of the truncated distribution, which are then those of the ratio.
func reportsTruncated(call *infer.Val) bool {
	if len(call.In) == 0 || call.In[0] == nil {
		return false
	}
	engine := infer.Strip(call.In[0])
	made, ok := engine.Node.(*ast.Call)
	return ok && slices.ContainsFunc(made.Keywords, func(k *ast.Keyword) bool {
		v := engine.Frame.Val(k.Value)
		return k.Name == "logprobs_mode" && v != nil && (v.Const == "processed_logprobs" || v.Const == "processed_logits")
	})
}

// negligible is a share of the distribution that is cut off and changes no ratio that anybody
// would see.
const negligible = 1e-3

// truncates reports whether a setting cuts tokens off: a share below 1, a number
// above 0, a threshold above 0.
func truncates(name string, v *infer.Val) bool {
	c, ok := v.Float()
	if name == "top_p" {
		return ok && 0 < c && c < 1-negligible
	}
	return ok && c > 0
}

func finding(p *pass.Pass, call, setting *infer.Val) pass.Finding {
	f := pass.At(call)
	f.Evidence = domain.Derived
	f.Related = p.Here(setting, "truncation is set here")
	return f
}
