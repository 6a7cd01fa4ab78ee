// Package logitlabelshift is rule TOK005, logit-label-shift; rule.md says what it finds.
package logitlabelshift

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports tokens whose score is read at another position than the one that predicts them.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, pick := range p.Picks() {
		if !pick.ByPosition() {
			continue
		}
		for _, pair := range wrong(pick) {
			p.Report(finding(pick, pair))
		}
	}
}

// pair is scores and tokens that meet by one way to where they do.
type pair struct {
	scores, tokens query.Positions
	by             int
}

// wrong returns the pairs that are not one position apart. Scores or tokens that have a right
// counterpart on another branch are left out: the branches may belong together.
func wrong(pick query.Pick) []pair {
	var out []pair
	right := map[*infer.Val]bool{}
	tokens := pick.Tokens.Positions()
	for _, s := range pick.Scores.Positions() {
		for _, t := range tokens {
			by, ok := distance(pick, s, t)
			switch {
			case !ok || !s.Together(t):
			case by == 1:
				right[s.End()], right[t.End()] = true, true
			default:
				out = append(out, pair{s, t, by})
			}
		}
	}
	return slices.DeleteFunc(out, func(x pair) bool { return right[x.scores.End()] || right[x.tokens.End()] })
}

// distance is by how many positions tokens lie behind the scores that are read for them; ok is false where that
// is not known. It is known where a model was called with these tokens; and where the last position was cut off both,
// or the first: rows that were aligned before would not be cut any more. Whole distributions may well be compared
// at all positions of the text.
func distance(pick query.Pick, s, t query.Positions) (by int, ok bool) {
	predicted, is := s.Of.PredictedBy()
	if is && !pick.Whole {
		if by, same, ok := predicted.Distance(s, t); same {
			return by, ok
		}
	}
	by, ok = t.Shift(s)
	text := is && predicted.Text || pick.Text || t.Labels || t.Of.Is(domain.TokenIDs)
	return by, ok && by == 0 && text && s.LessOne() && t.LessOne()
}

func finding(pick query.Pick, x pair) pass.Finding {
	at := x.tokens.At
	if !at.Known() {
		at = x.scores.At
	}
	if !at.Known() || at.Node == nil || at.Frame == nil {
		at.Val = pick.At
	}
	f := pass.At(at.Val)
	if call := pick.CallIn(x.scores.Of.Frame); call != nil && at.Val == pick.At { // a helper is right for who cuts
		f.At, f.Frame = call, x.scores.Of.Frame
	}
	switch {
	case pick.Whole:
		f.Message = "distributions are masked by labels of the wrong position"
		f.Why = "position t of the logits says what comes at t + 1, so each token is learned or left out by the label of the one before"
		f.Help = "mask what comes of `logits[:, :-1]` by `labels[:, 1:]`"
	case x.by == 0:
	case x.by > 0:
		f.Message = "tokens and logits are shifted twice"
		f.Why = fmt.Sprintf("the score of each token is read %d positions before it, where the model said something of another token", x.by)
	default:
		f.Message = "logits are read behind the tokens that they predict"
		f.Why = fmt.Sprintf("the score of each token is read %d positions behind it, where the model has already seen it", -x.by)
	}
	f.Evidence = domain.Derived
	return f
}
