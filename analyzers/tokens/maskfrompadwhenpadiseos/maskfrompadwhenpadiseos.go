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
		if marks := p.BeforeEnd(v); marks != nil && leavesOut(p, v) != nil {
			f := pass.At(v)
			f.Message = "the mask of the reply stops before its end-of-text token"
			f.Why = "the choice to stop is left out of the loss, and the policy does not learn to stop"
			f.Help = "count the ends before each position, `(ends.cumsum(1) - ends) == 0`"
			f.Related = append(p.Here(marks, "these are the ends"), p.Here(p.LeavesOut(v), "and here these tokens are left out")...)
			f.Evidence = domain.Derived
			p.Report(f)
			continue
		}
		if asksForEnd(p, v) && leavesOut(p, v) != nil {
			f := pass.At(v)
			f.Why = "this id ends texts, too, so the end that belongs to the answer is never trained on, and the model does not learn to stop"
			f.Help = "make the mask of lengths, or keep the first of these ids behind the prompt"
			f.Related = p.Here(p.LeavesOut(v), "and here these tokens are left out")
			f.Evidence = domain.Derived
			p.Report(f)
			continue
		}
		for _, s := range p.Paths(v) {
			if end, ok := told(query.PadOf(s), ends); ok && leavesOut(p, v) != nil {
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

// endsOtherwise reports whether the program has its texts end in another token than the tokenizer's end, as in that of a turn, or at one
// length, so that each token of a text is a word.
func endsOtherwise(p *pass.Pass) bool {
	for f, call := range p.Calls() {
		if end := query.Keyword(call, "eos_token_id"); end != nil && !isOwnEnd(f, end) {
			return true
		}
		least, most := query.Keyword(call, "min_new_tokens"), query.Keyword(call, "max_new_tokens")
		if least != nil && most != nil && isSameLength(f.Val(least), f.Val(most)) {
			return true
		}
	}
	for f, as := range query.Everywhere[*ast.Assign](p.Graph) {
		for _, t := range as.Targets {
			if at, ok := t.(*ast.Attribute); ok && at.Attr == "eos_token_id" && !isOwnEnd(f, as.Value) {
				return true
			}
		}
	}
	return false
}

func isSameLength(a, b *infer.Val) bool {
	m, ok := infer.Strip(a).Int()
	n, also := infer.Strip(b).Int()
	return ok && also && m == n || infer.SameSource(a, b)
}

// isOwnEnd reports whether an expression reads the end of a tokenizer or of a model.
func isOwnEnd(f *infer.Frame, end ast.Expr) bool {
	own := false
	ast.Walk(query.Made(f, end), func(n ast.Node) bool {
		at, ok := n.(*ast.Attribute)
		own = own || ok && strings.HasPrefix(at.Attr, "eos")
		return !own
	})
	return own
}

// leavesOut is LeavesOut, but for labels into which the program writes once more: it may put the end back.
func leavesOut(p *pass.Pass, mask *infer.Val) *infer.Val {
	at := p.LeavesOut(mask)
	if at == nil || at.Op != infer.OpStore {
		return at
	}
	for _, u := range p.UsesOf(at) {
		if u.Op == infer.OpStore && len(u.In) > 1 && u.In[0] == at && !isIgnored(u.In[1]) {
			return nil
		}
	}
	return at
}

func isIgnored(v *infer.Val) bool {
	n, ok := infer.Strip(v).Int()
	return ok && n < 0
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
