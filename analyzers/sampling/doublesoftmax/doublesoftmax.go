// Package doublesoftmax is rule DIST002, double-softmax; rule.md says what it
// finds.
package doublesoftmax

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

// Analyzer reports probabilities that are passed as logits and normalised again.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Violations() {
		first := infer.Strip(v.Arg)
		if isDistribution(v) && p.Chosen(v, "probs") {
			continue
		}
		if first.IsOp("sigmoid") && !v.Call.IsOp("Bernoulli") {
			continue // a gate in 0..1 is a logit like any other
		}
		if v.Call.IsOp("softmax", "log_softmax", "Categorical") && isPicked(p.See(v.Arg), 12) {
			continue // a score of each row, such as the probability that it is good, and a choice among rows
		}
		f := pass.At(v.Call, v.Arg)
		if isDistribution(v) {
			f.Help = "write `probs=`, or pass the logits from before the softmax"
		}
		f.Severity, f.Fix = p.OfLoss(v.Call), fix(p, v, first)
		p.Report(f)
	}
}

// isDistribution reports whether the call also has a parameter for probabilities.
func isDistribution(v pass.Violation) bool { return v.Contract.Arg == "logits" }

// isPicked reports whether a value is one probability out of each distribution: that of one class, of what was done, or the highest.
func isPicked(s query.Seen, depth int) bool {
	switch {
	case !s.Known() || depth == 0:
		return false
	case s.Q.Reduced.Is(domain.Extremum), s.IsOp("gather", "take_along_dim"), picksClass(s.Val):
		return true
	case s.IsOp("div", "mul", "neg"):
		for i := range s.In {
			if x := s.Input(i); x.Is(domain.Prob) && isPicked(x, depth-1) {
				return true
			}
		}
		return false
	}
	next := infer.Through(s.Val)
	return next != nil && isPicked(s.Of(next), depth-1)
}

// picksClass reports whether v is x[:, 2], or one entry along the last of several axes in another way.
func picksClass(v *infer.Val) bool {
	if v.Op != infer.OpItem || len(v.In) < 2 || v.In[1] == nil {
		return false
	}
	index, ok := v.In[1].Ref.(*infer.SeqRef)
	if !ok || len(index.Elems) < 2 {
		return false
	}
	_, number := index.Elems[len(index.Elems)-1].Int()
	return number
}

// fix passes the probabilities as such, or removes the first softmax where it stands
// in the call.
func fix(p *pass.Pass, v pass.Violation, first *infer.Val) *pass.Fix {
	if isDistribution(v) {
		if edits := p.Rename(v.Call, v.Arg, "probs"); edits != nil {
			return &pass.Fix{Message: "Pass them as `probs`", Edits: edits}
		}
		return nil
	}
	e := p.Operand(v.Call, v.Arg)
	if e == nil || first != v.Arg || !first.IsOp("softmax") || first.Node != e || len(first.In) == 0 {
		return nil
	}
	logits := p.Operand(first, first.In[0])
	if logits == nil {
		return nil
	}
	src := p.In(v.Call.Frame)
	return &pass.Fix{Message: "Pass the logits", Edits: src.Replace(e, src.Operand(logits))}
}
