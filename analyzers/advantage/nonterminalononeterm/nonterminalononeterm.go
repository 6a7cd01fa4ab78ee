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

// mix is lambda * a + (1 - lambda) * b, one part of which has a factor that ends it.
type mix struct {
	mask query.Seen // the factor
	with query.Seen // the part that has it
	bare []query.Seen
}

// mixOf reads a sum as a mix.
func mixOf(s query.Seen) (mix, bool) {
	if len(s.In) < 2 {
		return mix{}, false
	}
	a, b := query.FactorsOf(s.Input(0)), query.FactorsOf(s.Input(1))
	if a.Negated || b.Negated {
		return mix{}, false
	}
	for i, x := range a.List {
		for j, y := range b.List {
			if !complements(x, y) && !complements(y, x) {
				continue
			}
			ra, rb := without(a.List, i), without(b.List, j)
			if k := slices.IndexFunc(rb, isNonterminal); k >= 0 && !slices.ContainsFunc(ra, isNonterminal) && len(ra) > 0 && len(rb) > 1 {
				return mix{rb[k], s.Input(1), ra}, true
			}
			if k := slices.IndexFunc(ra, isNonterminal); k >= 0 && !slices.ContainsFunc(rb, isNonterminal) && len(rb) > 0 && len(ra) > 1 {
				return mix{ra[k], s.Input(0), rb}, true
			}
		}
	}
	return mix{}, false
}

func without(list []query.Seen, i int) []query.Seen {
	return append(slices.Clone(list[:i]), list[i+1:]...)
}

// complements reports whether y is 1 - x.
func complements(x, y query.Seen) bool {
	y = y.Strip()
	if !x.Known() || !y.Known() || isNonterminal(x) { // x*mask + y*(1-mask) selects
		return false
	}
	if a, ok := x.Float(); ok {
		b, ok := y.Float()
		return ok && a+b == 1
	}
	return isOneMinus(y) && y.Input(1).Same(x)
}

func isOneMinus(s query.Seen) bool {
	if !s.Known() || !s.IsOp("sub") || len(s.In) < 2 {
		return false
	}
	c, ok := s.Input(0).Float()
	return ok && c == 1
}

const ending = domain.Done | domain.Terminated | domain.Truncated

// isNonterminal reports whether a factor is 0 where an episode ends: 1 - done, not
// done, or a mask.
func isNonterminal(s query.Seen) bool {
	s = s.Strip()
	switch {
	case !s.Known():
		return false
	case s.Is(domain.Mask | ending):
		return true
	case isOneMinus(s):
		d := s.Input(1).Strip()
		return d.Known() && d.Const == nil && !d.Is(domain.Coef|domain.Number|domain.Prob)
	}
	return s.IsOp("logical_not", "invert", "not")
}

// ends reports whether one of the factors was itself cut at the end of an episode,
// other than by the mix, of which a return of the step before is made.
func ends(factors []query.Seen, mix *infer.Val, depth int) bool {
	return slices.ContainsFunc(factors, func(f query.Seen) bool {
		return slices.ContainsFunc(f.Roots(), func(r query.Seen) bool { return endsAt(r, mix, depth) })
	})
}

func endsAt(r query.Seen, mix *infer.Val, depth int) bool {
	switch {
	case depth == 0 || r.Node != nil && r.Node == mix.Node:
		return false
	case r.IsOp("where", "masked_fill"):
		return true
	case r.Op == infer.OpItem && len(r.In) > 0:
		return ends([]query.Seen{r.Input(0)}, mix, depth-1)
	}
	return slices.ContainsFunc(query.TermsOf(r, 1), func(t query.Term) bool {
		list := query.FactorsOf(t.Seen).List
		return slices.ContainsFunc(list, isNonterminal) || len(list) > 1 && ends(list, mix, depth-1)
	})
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
