// Package maskedmeannoguard is rule TOK008, masked-mean-no-guard; rule.md says what it finds.
package maskedmeannoguard

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

// Analyzer reports sums that are divided by the number of ones of a mask that may have none.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Ops("torch.div") {
		if len(v.In) < 2 || v.In[1] == nil || p.Protected(v) || p.Replaced(v) {
			continue
		}
		s := p.See(v)
		if isChosen(s.Input(1)) {
			continue
		}
		size := s.Input(1).Strip()
		if !size.Known() || !size.IsOp("sum", "count_nonzero") || len(size.In) == 0 || query.IsNumber(size.Val) || size.Arg("dim") == nil {
			continue // in a whole batch something is left
		}
		dim, known := size.Arg("dim").Int()
		ones := size.Input(0)
		r, ok := query.UnsignedReductionOf(s)
		if !ok || r.By != query.ByMask || known && query.HasOne(ones, int(dim)) || isWeight(ones) || p.ChecksContent(v, ones.Val) || p.ChecksContent(v, size.Val) {
			continue
		}
		f := pass.At(v, ones.Val)
		if !query.MayBeEmpty(ones) && !(known && query.EndsEarly(ones, int(dim))) {
			f.Severity = finding.Note // nothing says that such a row is ever met
		}
		f.Evidence = domain.Derived
		p.Report(f)
	}
}

// isChosen reports whether of sizes those are taken that a comparison left, as the rows are that hold anything.
func isChosen(size query.Seen) bool {
	return size.Op == infer.OpItem && len(size.In) > 1 && size.In[1] != nil && infer.Strip(size.In[1]).IsOp("ne", "gt", "ge")
}

// isWeight reports whether what is summed is positive everywhere, as exponentials are, and so no mask.
func isWeight(ones query.Seen) bool {
	x := ones.Strip()
	return x.Known() && x.IsOp("exp", "softmax", "sigmoid", "softplus")
}
