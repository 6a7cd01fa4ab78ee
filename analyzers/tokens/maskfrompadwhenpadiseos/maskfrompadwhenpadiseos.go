// Package maskfrompadwhenpadiseos is rule TOK002, mask-from-pad-when-pad-is-eos; rule.md says what it finds.
package maskfrompadwhenpadiseos

import (
	_ "embed"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports losses from which tokens are left out that equal a pad that ends texts, too.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	ends := p.EndsAsPads()
	if len(ends) > 0 && endsOtherwise(p) {
		ends = nil
	}
	for _, v := range p.Made("eq", "ne", "lt") {
		if marks := p.BeforeEnd(v); marks != nil && p.LeavesOut(v) != nil {
			f := pass.At(v)
			f.Message = "the mask of the reply stops before its end-of-text token"
			f.Why = "the choice to stop is left out of the loss, and the policy does not learn to stop"
			f.Help = "count the ends before each position, `(ends.cumsum(1) - ends) == 0`"
			f.Related = append(p.Here(marks, "these are the ends"), p.Here(p.LeavesOut(v), "and here these tokens are left out")...)
			f.Evidence = domain.Derived
			p.Report(f)
			continue
		}
		if asksForEnd(p, v) && p.LeavesOut(v) != nil {
			f := pass.At(v)
			f.Why = "this id ends texts, too, so the end that belongs to the answer is never trained on, and the model does not learn to stop"
			f.Help = "make the mask of lengths, or keep the first of these ids behind the prompt"
			f.Related = p.Here(p.LeavesOut(v), "and here these tokens are left out")
			f.Evidence = domain.Derived
			p.Report(f)
			continue
		}
		for _, s := range p.Paths(v) {
			if end, ok := told(query.PadOf(s), ends); ok && p.LeavesOut(v) != nil {
				p.Report(report(p, s, end))
				break
			}
		}
	}
}

// asksForEnd reports whether v compares tokens with the id that ends texts, by its name: a mask may be compared with the same number.
func asksForEnd(p *pass.Pass, v *infer.Val) bool {
	n, ok := v.Node.(*ast.Compare)
	if !ok || !v.IsOp("eq", "ne") || len(v.In) < 2 || v.In[0].May(domain.Mask) {
		return false
	}
	_, literal := n.Ys[0].(*ast.Number)
	return !literal && p.IsEnd(v.In[1])
}

// endsOtherwise reports whether the program has its texts end in another token than the tokenizer's end, as in that of a turn.
func endsOtherwise(p *pass.Pass) bool {
	for f, call := range p.Calls() {
		end := query.Keyword(call, "eos_token_id")
		if end == nil {
			continue
		}
		own := false
		ast.Walk(query.Made(f, end), func(n ast.Node) bool {
			at, ok := n.(*ast.Attribute)
			own = own || ok && strings.HasPrefix(at.Attr, "eos")
			return !own
		})
		if !own {
			return true
		}
	}
	return false
}

// told returns where a tokenizer is told to pad with the end, for sure if there is such a place.
func told(tokenizer query.Seen, ends []query.EndAsPad) (out query.EndAsPad, ok bool) {
	for _, e := range ends {
		if tokenizer.Known() && query.SameObject(tokenizer.Val, e.Tokenizer) && (!ok || e.Always) {
			out, ok = e, true
		}
	}
	return out, ok
}

func report(p *pass.Pass, s query.Seen, end query.EndAsPad) pass.Finding {
	f := pass.At(s.Val)
	f.Related = append(p.There(end.Place, "here the end of the text becomes the pad"), p.Here(p.LeavesOut(s.Val), "and here these tokens are left out")...)
	if !end.Always {
		f.Severity = finding.Note // for a vocabulary that has a pad it is right
	}
	f.Evidence = domain.Derived
	return f
}
