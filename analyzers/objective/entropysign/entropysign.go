// Package entropysign is rule OBJ012, entropy-sign; rule.md says what it
// finds.
package entropysign

import (
	_ "embed"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports policy losses that grow with the entropy.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Roles.Maximises() {
		return
	}
	for _, l := range p.Roles.Losses() {
		if !hasPolicyTerm(p, l.Terms) {
			continue
		}
		for _, t := range l.Terms {
			if entropySign(t) > 0 {
				report(p, t)
			}
		}
	}
}

func hasPolicyTerm(p *pass.Pass, terms []query.Term) bool {
	for _, t := range terms {
		if p.Roles.IsPolicyTerm(t) {
			return true
		}
	}
	return false
}

// entropySign is the sign of an entropy in a loss: that of entropy(), and the opposite
// for p*log p, which is the negative entropy; 0 for anything else.
func entropySign(t query.Term) int {
	switch x := t.Strip(); {
	case !t.Is(domain.Entropy):
	case x.IsOp("entropy"):
		return t.Sign
	case x.IsOp("mul") && (isProbTimesLog(x.Input(0), x.Input(1)) || isProbTimesLog(x.Input(1), x.Input(0))):
		return -t.Sign
	}
	return 0
}

// isProbTimesLog reports whether b is the logarithm of the probabilities a. With the
// logarithm of other probabilities it is a cross entropy.
func isProbTimesLog(a, b query.Seen) bool {
	p, logp := a.Strip(), b.Strip()
	switch {
	case p.IsOp("softmax") && logp.IsOp("log_softmax"), p.IsOp("probs") && logp.IsOp("logits"):
		return p.Input(0).Same(logp.Input(0))
	case logp.IsOp("log"):
		x := logp.Input(0).Strip()
		return x.Same(p) || x.IsOp("add", "clamp") && x.Input(0).Same(p)
	case p.IsOp("exp"):
		return p.Input(0).Same(logp)
	}
	return false
}

func report(p *pass.Pass, t query.Term) {
	if p.In(t.Frame) == nil || t.Node == nil {
		return
	}
	f := pass.At(t.Val, t.Val)
	if part := p.Operand(t.Sum.Val, t.Part.Val); part != nil {
		f.At, f.Frame, f.Fix = part, t.Sum.Frame, fix(p, t, part)
	}
	p.Report(f)
}

// fix flips the sign of the entropy's part of the sum.
func fix(p *pass.Pass, t query.Term, part ast.Expr) *pass.Fix {
	sum, ok := t.Sum.Node.(*ast.BinOp)
	if !ok || sum.Y != part {
		return nil
	}
	src := p.In(t.Sum.Frame)
	between := ast.Span{Start: sum.X.Span().End, End: sum.Y.Span().Start}
	text, sign := string(src.AST.Text[between.Start:between.End]), "+"
	if sum.Op == ast.Add {
		sign = "-"
	}
	at := strings.IndexAny(text, "+-")
	if at < 0 || strings.Contains(text[:at], "#") {
		return nil
	}
	start := between.Start + uint32(at)
	return &pass.Fix{Message: "Flip the sign of the entropy term", Edits: []pass.Edit{{Span: ast.Span{Start: start, End: start + 1}, New: sign}}}
}
