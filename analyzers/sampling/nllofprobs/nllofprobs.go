// Package nllofprobs is rule DIST070, nll-of-probs; rule.md says what it finds.
package nllofprobs

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports likelihoods for which nll_loss is given probabilities, or scores that nobody normalised.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Ops("torch.nn.functional.nll_loss") {
		switch given := v.Arg("input"); {
		case given == nil:
		case given.Is(domain.Prob):
			f := pass.At(v, given)
			f.Severity = p.OfLoss(v)
			p.Report(f)
		case isScores(given) && !isNormalised(p, given):
			f := pass.At(v, given)
			f.Evidence, f.Severity = domain.Derived, p.OfLoss(v)
			f.Message = "nll_loss is given scores instead of log-probabilities"
			f.Why = "the loss is minus the score, which has no bound, and the scores of the other actions do not count: the network raises what it scores for ever"
			f.Help = "pass the scores to `cross_entropy`, or their `log_softmax` to `nll_loss`"
			p.Report(f)
		}
	}
}

// isScores reports whether v is what a linear layer or a language model yields, as it is.
func isScores(v *infer.Val) bool {
	for range maxSteps {
		switch {
		case v == nil, v.Is(domain.LogProb): // a distribution normalises its logits
			return false
		case v.IsOp("logits"), strings.HasSuffix(v.Op, "Linear.__call__"):
			return true
		case len(v.In) > 0 && v.IsOp("float", "relu"):
			v = v.In[0]
		default:
			if v = infer.Through(v); v == nil {
				return false
			}
		}
	}
	return false
}

// isNormalised reports whether the program takes the logsumexp of the same scores, which it may add to the loss.
func isNormalised(p *pass.Pass, given *infer.Val) bool {
	return slices.ContainsFunc(p.Made("logsumexp"), func(v *infer.Val) bool { return len(v.In) > 0 && infer.SameSource(v.In[0], given) })
}

// maxSteps bounds the way back to a layer.
const maxSteps = 16
