// Package nonterminalononeterm is rule ADV001, nonterminal-on-one-term; rule.md
// says what it finds.
package nonterminalononeterm

import (
	_ "embed"
	"slices"
	"strings"

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

// Analyzer reports lambda-returns of which only one part is masked at the end of an episode.
var Analyzer = pass.Rule(Doc, run)

// A lambda-return mixes the next return with the value of the next state,
//
//	G(t) = r(t) + gamma * nonterminal * (lambda * G(t+1) + (1 - lambda) * V(t+1))
//
// Weights that sum to 1 distinguish it from other sums, whatever the names are.

func run(p *pass.Pass) {
	for _, v := range p.Ops("torch.add") {
		m, ok := mixOf(p.See(v))
		if ok && discounted(p, v) && !ends(m.bare, v, 3) {
			p.Report(finding(p, v, m))
		}
	}
}

// ends reports whether one of the factors was itself masked at the end of an episode, other
// than by this mix in an earlier step.
func ends(factors []query.Seen, mix *infer.Val, depth int) bool {
	return slices.ContainsFunc(factors, func(f query.Seen) bool {
		return slices.ContainsFunc(f.Roots(), func(r query.Seen) bool { return endsAt(r, mix, depth) })
	})
}

func endsAt(r query.Seen, mix *infer.Val, depth int) bool {
	switch {
	case depth == 0 || r.Node != nil && r.Node == mix.Node:
		return false
	case r.IsOp("where", "masked_fill"), resets(r, mix):
		return true
	case r.Op == infer.OpItem && len(r.In) > 0:
		return ends([]query.Seen{r.Input(0)}, mix, depth-1)
	}
	return slices.ContainsFunc(query.TermsOf(r, 1), func(t query.Term) bool {
		list := query.FactorsOf(t.Seen).List
		return slices.ContainsFunc(list, isNonterminal) || len(list) > 1 && ends(list, mix, depth-1)
	})
}

// resets reports whether r is what is carried on after it was replaced in the round of the mix: set to 0 in a branch, or stored into by a mask.
func resets(r query.Seen, mix *infer.Val) bool {
	if r.Op == infer.OpStore && len(r.In) > 2 {
		at := r.Input(2)
		return at.Known() && (at.IsFlag() || at.IsOp("bool"))
	}
	zero, ok := r.Float()
	loops := query.Around(query.PlaceOf(mix))
	return ok && zero == 0 && len(loops) > 0 && r.Node != nil && r.Frame == mix.Frame && loops[len(loops)-1].Stmt.Span().Covers(r.Node.Span())
}

// discounted reports whether v is scaled and added to something else, and nothing on
// the way ends it with the episode.
func discounted(p *pass.Pass, v *infer.Val) bool {
	added := false
	for _, u := range p.UsesOf(v) {
		switch {
		case u.IsOp("where", "masked_fill"):
			return false
		case u.IsOp("mul"):
			if cutBy(p, u, v) {
				return false
			}
			added = added || isAdded(p, u, 3)
		}
	}
	return added
}

// cutBy reports whether a product ends v with the episode.
func cutBy(p *pass.Pass, product, v *infer.Val) bool {
	others := slices.DeleteFunc(query.FactorsOf(p.See(product)).List, func(f query.Seen) bool { return infer.SameSource(f.Val, v) })
	return slices.ContainsFunc(others, isNonterminal) || ends(others, v, 3)
}

// isAdded reports whether v, or a multiple of it, is a summand, and no multiple of it
// ends with the episode.
func isAdded(p *pass.Pass, v *infer.Val, depth int) bool {
	for _, u := range p.UsesOf(v) {
		if u.IsOp("add") {
			return true
		}
		if u.IsOp("mul") && depth > 0 && !cutBy(p, u, v) && isAdded(p, u, depth-1) {
			return true
		}
	}
	return false
}

func finding(p *pass.Pass, v *infer.Val, m mix) pass.Finding {
	f := pass.At(v, m.mask.Val)
	f.Evidence = domain.Derived
	f.Fix = fix(p, v, m)
	return f
}

// fix takes the mask from the end of its part and multiplies the sum by it.
func fix(p *pass.Pass, v *infer.Val, m mix) *pass.Fix {
	part, ok := m.with.Node.(*ast.BinOp)
	sum, isSum := v.Node.(*ast.BinOp)
	if !ok || !isSum || part.Op != ast.Mult || m.with.Frame != v.Frame || v.Frame.Val(part.Y) == nil || sum.X != ast.Expr(part) && sum.Y != ast.Expr(part) {
		return nil
	}
	if !infer.SameSource(v.Frame.Val(part.Y), m.mask.Val) {
		return nil
	}
	src := p.In(v.Frame)
	cut := ast.Span{Start: part.X.Span().End, End: part.Y.Span().End}
	between := string(src.AST.Text[cut.Start:part.Y.Span().Start])
	if strings.TrimSpace(between) != "*" {
		return nil // parentheses stand in between
	}
	edits := append([]pass.Edit{{Span: cut}}, src.Operate(sum, ast.Mult, src.Operand(part.Y))...)
	return &pass.Fix{Message: "Multiply the whole sum by the mask", Edits: edits}
}
