// Package labelsminus100oneos is rule TOK003, labels-minus100-on-eos; rule.md says what it finds.
package labelsminus100oneos

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

// Analyzer reports collators that ignore all pads, of a tokenizer that pads with the end of the text.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	ends := p.EndsAsPads()
	if len(ends) == 0 {
		return
	}
	for v := range p.Each {
		o, ok := v.Ref.(*infer.LibObject)
		if !ok || v.Node == nil || v.Op != o.Name || infer.BaseOp(o.Name) != "DataCollatorForLanguageModeling" {
			continue
		}
		if mlm := o.Args["mlm"]; mlm != nil && mlm.Const == false {
			report(p, v, o.Args["tokenizer"], ends)
		}
	}
}

func report(p *pass.Pass, v, tokenizer *infer.Val, ends []query.EndAsPad) {
	for _, e := range ends {
		if tokenizer == nil || !query.SameObject(tokenizer, e.Tokenizer) {
			continue
		}
		f := pass.At(v)
		f.Related = p.There(e.Place, "here the end of the text becomes the pad")
		if !e.Always {
			f.Severity = finding.Note // for a vocabulary that has a pad it is right
		}
		f.Evidence = domain.Derived
		p.Report(f)
		return
	}
}
