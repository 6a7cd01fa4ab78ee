// Package klofchosentokens is rule KL019, kl-of-chosen-tokens; rule.md says what it finds.
package klofchosentokens

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

// Analyzer reports sums over a distribution that are taken of the one token that was drawn.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Made("kl_div") {
		s := p.See(v)
		if v.Fn == nil || len(v.In) < 2 || !logs(v) {
			continue
		}
		if log, other := s.Input(0), s.Input(1); isChosen(log) && isChosen(other) {
			report(p, v, log)
		}
	}
	for _, v := range p.Made("mul") {
		s := p.See(v)
		for i := range 2 {
			if len(v.In) > 1 && weighs(s.Input(i), s.Input(1-i)) {
				report(p, v, s.Input(i))
				break
			}
		}
	}
}

func logs(v *infer.Val) bool {
	is := v.Arg("log_target")
	return is != nil && is.Const == true
}

// weighs reports whether w is the probability of a token that was drawn, and d a difference of the logarithm of that
// and another.
func weighs(w, d query.Seen) bool {
	log := w.Exponent()
	if !log.Known() || !isChosen(log) || w.Cut().Known() && !d.Known() {
		return false
	}
	d = d.Difference()
	if !d.Known() {
		return false
	}
	terms := query.TermsOf(d, 1)
	if len(terms) != 2 || terms[0].Sign == terms[1].Sign {
		return false
	}
	for i := range 2 {
		if terms[i].Same(log) && isChosen(terms[1-i].Seen) {
			return true
		}
	}
	return false
}

// isChosen reports whether s are the log-probabilities of tokens or actions that were drawn, one each.
func isChosen(s query.Seen) bool {
	x := s.Strip()
	if !x.Known() || !x.Is(domain.LogProb) || x.Q.Evidence == domain.NameOnly {
		return false
	}
	if x.IsOp("log_prob") {
		return !listed(x.Arg("value"))
	}
	return x.IsOp("gather", "take_along_dim") && query.Pick{At: x.Val, Tokens: x.Of(x.Arg("index"))}.ByPosition()
}

// listed reports whether actions are written out or counted up: then they are all there are.
func listed(actions *infer.Val) bool {
	actions = infer.Strip(actions)
	return actions == nil || actions.Op == infer.OpDisplay || actions.IsOp("arange", "enumerate_support")
}

func report(p *pass.Pass, v *infer.Val, log query.Seen) {
	f := pass.At(v, log.Val)
	f.Evidence = domain.Derived
	p.Report(f)
}
