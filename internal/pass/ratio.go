package pass

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// What stands for the ratio in an objective: a difference of log-probabilities
// (which is its logarithm), the exponential of one, or a quotient.

// neverLogProb are the kinds that no term of a log-ratio has.
const neverLogProb = domain.Prob | domain.Ratio | domain.StateValue | domain.QValue | domain.Advantage | domain.Return |
	domain.Reward | domain.Number | domain.Coef | domain.Count | domain.Mask

// IsLogRatio reports whether s is a difference that was not exponentiated, of
// log-probabilities as far as kinds are known.
func (s Seen) IsLogRatio() bool {
	sub := s.Difference()
	if !sub.Known() {
		return false
	}
	known := s.Is(domain.LogRatio) || sub.Is(domain.LogRatio)
	for _, t := range TermsOf(s, 1) {
		if _, constant := t.Float(); constant { // 1 + x is the ratio to first order
			return false
		}
		if !known && (t.Is(neverLogProb) || t.Strip().IsOp("exp", "mul", "div")) {
			return false
		}
	}
	return true
}

// Difference returns the subtraction that s is, signs aside; no value where s is
// none. a + (-b) is one too.
func (s Seen) Difference() Seen {
	s = s.Strip()
	for s.Known() && s.IsOp("neg") && len(s.In) > 0 {
		s = s.Input(0).Strip()
	}
	if !s.Known() || s.Is(domain.LogProb) || !s.IsOp("sub", "rsub", "add") || len(TermsOf(s, 1)) < 2 {
		return Seen{}
	}
	if s.IsOp("add") && !mixedSigns(TermsOf(s, 1)) {
		return Seen{}
	}
	return s
}

func mixedSigns(terms []Term) bool {
	var plus, minus bool
	for _, t := range terms {
		sign := t.LogProbSign()
		if sign == 0 {
			sign = t.Sign
		}
		plus, minus = plus || sign > 0, minus || sign < 0
	}
	return plus && minus
}

// Exponent returns x where s is exp(x), in any spelling; else no value.
func (s Seen) Exponent() Seen {
	s = s.Strip()
	switch {
	case !s.Known() || len(s.In) == 0:
	case s.IsOp("exp"):
		return s.Input(0)
	case s.IsOp("pow") && len(s.In) > 1:
		if base, ok := s.Input(0).Float(); ok && 2.718 < base && base < 2.7183 {
			return s.Input(1)
		}
	}
	return Seen{}
}

// All reports whether there are values and all satisfy the predicate.
func All(list []Seen, hold func(Seen) bool) bool {
	for _, s := range list {
		if !hold(s) {
			return false
		}
	}
	return len(list) > 0
}

// Becomes reports whether an operation of one of these names takes v, or a view,
// a return or a join of it.
func (p *Pass) Becomes(v *infer.Val, ops ...string) bool {
	found := false
	p.forward(v, 6, func(u *infer.Val) { found = found || u.IsOp(ops...) })
	return found
}

// forward visits the operations that take v or something with its numbers.
func (p *Pass) forward(v *infer.Val, depth int, visit func(*infer.Val)) {
	for _, u := range p.UsesOf(v) {
		visit(u)
		same := infer.Through(u) == v || u.Op == infer.OpPhi
		if depth > 0 && same {
			p.forward(u, depth-1, visit)
		}
	}
}

// Exponentiate returns edits that make of an expression its exponential, as the
// module spells it for the array's library; none where the syntax is a statement.
func (p *Pass) Exponentiate(v *infer.Val) (edits []Edit, imports []string) {
	src, lib := p.In(v.Frame), p.libraryOf(v, 4)
	switch n := v.Node.(type) {
	case *ast.Call:
		if at, ok := n.Fun.(*ast.Attribute); ok && len(at.Attr) > 1 && at.Attr[len(at.Attr)-1] == '_' {
			return src.Method(n, ".exp_()"), nil
		}
		if lib != infer.LibNumpy {
			return src.Method(n, ".exp()"), nil
		}
	case ast.Expr:
	default:
		return nil, nil
	}
	name := "torch.exp"
	if lib == infer.LibNumpy {
		name = "numpy.exp"
	}
	text, imports := src.Spell(name)
	return src.Wrap(v.Node, text+"(", ")"), imports
}

// libraryOf returns the library of an array: its own where that is known, else that of
// what is made of it.
func (p *Pass) libraryOf(v *infer.Val, depth int) infer.Lib {
	if v.Lib != infer.LibUnknown || depth == 0 {
		return v.Lib
	}
	for _, u := range p.UsesOf(v) {
		if lib := p.libraryOf(u, depth-1); lib != infer.LibUnknown {
			return lib
		}
	}
	return infer.LibUnknown
}
