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
	"github.com/rlvet/rlvet/internal/rl/roles"
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
		if data == nil || !infer.SameSource(data, sub.In[0]) || p.IsFrame(data) || p.ChecksSize(sub, data) || isRunning(p, sub.In[1]) || !weighs(p, sub, mean, data) {
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

// weighs reports whether a difference may be an advantage: something says that it is of rewards, a batch was cut into groups, or a loss is
// computed from it. What is anything else, as points around their centre, may well be one.
func weighs(p *pass.Pass, sub, mean, data *infer.Val) bool {
	if sub.Is(query.Scored) || data.Is(query.Scored) || query.Names(sub.Node, query.Scored) || cutUp(mean) {
		return true
	}
	return slices.ContainsFunc(p.Roles.Losses(), func(l roles.Loss) bool { return infer.Reaches(sub, l.Value.Val, far) })
}

// cutUp reports whether a mean is that of each row of a table that a flat batch was cut into, or over a dimension made for it.
func cutUp(mean *infer.Val) bool {
	if groups, ok := query.GroupedBy(mean); ok {
		return groups.Rows
	}
	dim, ok := mean.Arg("dim").Int()
	switch {
	case !ok || dim != 1 && dim != -1 || len(mean.In) == 0:
		return false
	case mean.In[0].IsOp("unflatten", "unsqueeze"):
		return true
	case !mean.In[0].IsOp("view", "reshape"):
		return false
	}
	sizes := query.Sizes(mean.In[0])
	return len(sizes) == 2 && (sizes[0] == nil || sizes[0].Const != int64(1))
}

// far bounds the way from a difference to a loss.
const far = 32

// isRunning reports whether a mean goes into a moving average as well, as in the normalisation of a layer: what is not trained on one row
// uses the average instead.
func isRunning(p *pass.Pass, mean *infer.Val) bool {
	return slices.ContainsFunc(p.UsesOf(mean), func(u *infer.Val) bool {
		return u.IsOp("mul") && slices.ContainsFunc(p.UsesOf(u), func(sum *infer.Val) bool { return sum.IsOp("add") })
	})
}
