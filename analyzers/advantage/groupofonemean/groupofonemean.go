// Package groupofonemean is rule ADV020, group-of-one-mean; rule.md says what it
// finds.
package groupofonemean

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports values minus the mean of a group of one.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, sub := range p.Ops("torch.sub") {
		if len(sub.In) < 2 || sub.In[0] == nil || sub.In[1] == nil {
			continue
		}
		mean := infer.Strip(sub.In[1])
		data := query.MeanOf(mean)
		if data == nil || !infer.SameSource(data, sub.In[0]) || p.IsFrame(data) || p.ChecksSize(sub, data) || isRunning(p, sub.In[1]) {
			continue
		}
		f := pass.At(sub)
		if !query.ReducesOne(mean) {
			if !p.MayReduceOne(mean) {
				continue
			}
			f.Severity = finding.Warning
			f.Message = "mean subtracted from groups that may have one element"
			f.Why = "the program lets a size of 1 pass, for which the advantage is always zero and nothing is learned"
		} else if p.ExcludesOne(mean) {
			continue
		}
		f.Evidence = domain.Derived
		p.Report(f)
	}
}

// isRunning reports whether a mean goes into a moving average as well, as in the normalisation of a layer: what is not trained on one row
// uses the average instead.
func isRunning(p *pass.Pass, mean *infer.Val) bool {
	return slices.ContainsFunc(p.UsesOf(mean), func(u *infer.Val) bool {
		return u.IsOp("mul") && slices.ContainsFunc(p.UsesOf(u), func(sum *infer.Val) bool { return sum.IsOp("add") })
	})
}
