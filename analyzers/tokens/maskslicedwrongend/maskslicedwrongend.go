// Package maskslicedwrongend is rule TOK006, mask-sliced-wrong-end; rule.md says what it finds.
package maskslicedwrongend

import (
	_ "embed"

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

// Analyzer reports masks that are cut one position before the tokens whose scores they mask.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	shifts := p.MaskShifts()
	right := map[*infer.Val]bool{}
	for _, s := range shifts {
		if s.By == 0 && !s.FarEnd {
			right[s.Mask.At.Val] = true
		}
	}
	for _, s := range shifts {
		if (s.By == -1 || s.FarEnd) && !right[s.Mask.At.Val] {
			p.Report(report(p, s))
		}
	}
}

func report(p *pass.Pass, s query.MaskShift) pass.Finding {
	at := s.Mask.At.Val
	if at.Node == nil || at.Frame == nil {
		at = s.At.Val
	}
	f := pass.At(at)
	f.Related = p.Here(s.Tokens.At.Val, "these tokens are scored")
	if s.FarEnd {
		f.Evidence = domain.Derived
		f.Message = "the mask of the prompt falls on the scores of the answer"
		f.Why = "the mask of prompt and answer is cut at its front, and the scores are those at the end, so padding of the answer counts and tokens do not"
		f.Help = "cut both at the same end, as in `mask[:, -n:]`, or use the mask of the answer"
		return f
	}
	if s.OfAnswer {
		f.Evidence = domain.Derived
		f.Why = "the mask of each token falls on the one after it, so the first token of each answer is never trained, and what follows its end is"
		return f
	}
	// Whoever made the mask may have moved it by one, or means the states from which tokens are predicted: only its name says that it is of tokens.
	f.Severity, f.Evidence = finding.Note, domain.NameOnly
	if !s.OfText {
		f.Message = "mask and scored tokens are cut at different ends"
		f.Why = "unless the mask was moved by one where it was made, the mask of each token falls on the one after it"
	}
	if s.Handed {
		f.Message = "mask and scored tokens are handed on cut at different ends"
		f.Why = "both are as long as each other, so where they meet, the mask of each token falls on the one after it, unless it is moved there"
	}
	return f
}
