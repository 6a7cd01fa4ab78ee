// Package maskfrompadwhenpadiseos is rule TOK002, mask-from-pad-when-pad-is-eos; rule.md says what it finds.
package maskfrompadwhenpadiseos

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
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
	if len(ends) == 0 {
		return
	}
	for _, v := range p.Made("eq", "ne") {
		for _, s := range p.Paths(v) {
			if end, ok := told(query.PadOf(s), ends); ok && p.LeavesOut(v) != nil {
				p.Report(report(p, s, end))
				break
			}
		}
	}
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
