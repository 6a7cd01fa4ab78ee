// Package epsoutsidedivision is rule ADV018, eps-outside-division; rule.md says
// what it finds.
package epsoutsidedivision

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports epsilons and parentheses that miss the denominator.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, sum := range p.Ops("torch.add") {
		if div, _, ok := query.Eps(sum); ok && isBare(p, infer.Strip(div)) && !p.Protected(sum) {
			f := pass.At(sum)
			f.Message, f.Fix = "epsilon added to the quotient, not to the standard deviation", moveFromQuotient(p, sum, infer.Strip(div))
			p.Report(f)
		}
	}
	for _, div := range p.Ops("torch.div") {
		if num, ok := input(div, 0); ok && isBare(p, div) && !p.Protected(div) {
			if _, _, ok := query.Eps(infer.Strip(num)); ok {
				f := pass.At(div)
				f.Message = "epsilon added to the numerator, not to the standard deviation"
				p.Report(f)
			}
		}
	}
	for _, sub := range p.Ops("torch.sub") {
		if dividesTheMean(p, sub) {
			f := pass.At(sub)
			f.Message, f.Why = "only the mean is divided by the standard deviation", "`/` binds more tightly than `-`: the advantages are neither centred nor scaled"
			f.Fix = parenthesise(p, sub)
			p.Report(f)
		}
	}
}

func input(v *infer.Val, i int) (*infer.Val, bool) {
	if v == nil || i >= len(v.In) || v.In[i] == nil {
		return nil, false
	}
	return v.In[i], true
}

// isBare reports whether v is x over the spread of x, with nothing added to it.
func isBare(p *pass.Pass, v *infer.Val) bool {
	num, ok := input(v, 0)
	den, ok2 := input(v, 1)
	if !ok || !ok2 || !v.IsOp("div", "divide", "true_divide") || den.Q.Range.NonZero {
		return false
	}
	x := p.SpreadOf(den)
	if x == nil {
		return false
	}
	if inner, _, ok := query.Eps(infer.Strip(num)); ok {
		num = inner
	}
	return query.Standardises(num, x)
}

// dividesTheMean recognises x - mean(x) / spread(x).
func dividesTheMean(p *pass.Pass, sub *infer.Val) bool {
	x, ok := input(sub, 0)
	div, ok2 := input(sub, 1)
	if !ok || !ok2 {
		return false
	}
	div = infer.Strip(div)
	if !div.IsOp("div", "divide", "true_divide") || len(div.In) < 2 {
		return false
	}
	mean, spread := query.MeanOf(div.In[0]), spreadIn(p, div.In[1])
	return mean != nil && spread != nil && sameData(mean, spread) && sameData(spread, x)
}

func sameData(a, b *infer.Val) bool { return infer.SameSource(a, b) || query.SharePieces(a, b) }

// spreadIn returns the data whose spread den is, with or without an epsilon added to it;
// the epsilon may be an argument.
func spreadIn(p *pass.Pass, den *infer.Val) *infer.Val {
	den = infer.Strip(den)
	if !den.IsOp("add") {
		return p.SpreadOf(den)
	}
	for _, in := range den.In {
		if x := p.SpreadOf(in); x != nil {
			return x
		}
	}
	return nil
}

// moveFromQuotient turns a / s + eps into a / (s + eps) if the sum is written that way.
func moveFromQuotient(p *pass.Pass, sum, div *infer.Val) *pass.Fix {
	add, ok := sum.Node.(*ast.BinOp)
	if !ok {
		return nil
	}
	quotient, ok := add.X.(*ast.BinOp)
	if !ok || quotient.Op != ast.Div || div.Node != ast.Node(quotient) {
		return nil
	}
	src := p.In(sum.Frame)
	edits := src.Operate(quotient.Y, ast.Add, src.Text(add.Y))
	end := quotient.Span().End
	edits = append(edits, pass.Edit{Span: ast.Span{Start: end, End: add.Span().End}})
	return &pass.Fix{Message: "Move the epsilon into the denominator", EveryContext: true, Edits: edits}
}

// parenthesise turns x - m / s into (x - m) / s if the difference is written that way.
func parenthesise(p *pass.Pass, sub *infer.Val) *pass.Fix {
	minus, ok := sub.Node.(*ast.BinOp)
	if !ok {
		return nil
	}
	quotient, ok := minus.Y.(*ast.BinOp)
	if !ok || quotient.Op != ast.Div {
		return nil
	}
	start, end := minus.Span().Start, quotient.X.Span().End
	return &pass.Fix{Message: "Put the difference in parentheses", EveryContext: true, Edits: []pass.Edit{
		{Span: ast.Span{Start: start, End: start}, New: "("}, {Span: ast.Span{Start: end, End: end}, New: ")"},
	}}
}
