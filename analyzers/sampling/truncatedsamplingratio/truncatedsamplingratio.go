// Package truncatedsamplingratio is rule DIST016, truncated-sampling-ratio; rule.md
// says what it finds.
package truncatedsamplingratio

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
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
		if !r.Ratio {
			continue
		}
		check(p, r.Call, func(name string) *infer.Val { return p.Roles.Setting(r.Call, name) })
	}
	for _, v := range p.Roles.OnlineTrainers() {
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

// truncates reports whether a setting cuts tokens off: a share below 1, a number
// above 0, a threshold above 0.
func truncates(name string, v *infer.Val) bool {
	c, ok := v.Float()
	if name == "top_p" {
		return ok && 0 < c && c < 1
	}
	return ok && c > 0
}

func finding(p *pass.Pass, call, setting *infer.Val) pass.Finding {
	f := pass.At(call)
	f.Evidence = domain.Derived
	f.Related = p.Here(setting, "truncation is set here")
	return f
}
