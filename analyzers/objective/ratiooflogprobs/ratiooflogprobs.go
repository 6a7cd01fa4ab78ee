// Package ratiooflogprobs is rule OBJ023, ratio-of-log-probs; rule.md says what it
// finds.
package ratiooflogprobs

import (
	_ "embed"
	"fmt"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports quotients that an objective uses as the importance ratio and of which
// one side at least is a log-probability, and exponentials of differences of probabilities.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, use := range p.Roles.RatioUses() {
		roots := use.Ratio.Roots()
		for _, root := range roots {
			if of := differenceOfProbs(root, use.Clipped); of.Known() {
				reportDifference(p, of)
			}
		}
		if !query.All(roots, func(s query.Seen) bool { return isQuotient(s, use.Clipped) }) {
			continue
		}
		for _, root := range roots {
			report(p, root, use)
		}
	}
}

// isQuotient reports whether s divides a log-probability by another. In a clipped
// objective one of them is proof enough: nothing else would be divided there.
func isQuotient(s query.Seen, clipped bool) bool {
	if !s.IsOp("div") {
		return false
	}
	x, y := s.Input(0), s.Input(1)
	if clipped && isLog(x) && isLog(y) {
		return true
	}
	return isLogProb(x) && isLogProb(y) || isMixed(x, y) || clipped && (isLogProb(x) && !y.Q.Kind.Known() || !x.Q.Kind.Known() && isLogProb(y))
}

// differenceOfProbs is the exponent of s where it subtracts a probability, or subtracts from one, what is another or nothing is
// derived of: in a clipped objective a difference that is exponentiated is one of two policies.
func differenceOfProbs(s query.Seen, clipped bool) query.Seen {
	of := s.Exponent().Strip()
	if !of.Known() || !of.IsOp("sub") || len(of.In) < 2 {
		return query.Seen{}
	}
	x, y := of.Input(0), of.Input(1)
	derived := func(s query.Seen) bool { return s.Is(domain.Prob) && s.Q.Evidence <= domain.Derived }
	if derived(x) && derived(y) || clipped && (derived(x) && !isLogProb(y) || !isLogProb(x) && derived(y)) {
		return of
	}
	return query.Seen{}
}

// reportDifference reports an exponential of the difference of two probabilities.
func reportDifference(p *pass.Pass, of query.Seen) {
	if p.In(of.Frame) == nil || of.Node == nil {
		return
	}
	f := pass.At(of.Val, of.Input(0).Val, of.Input(1).Val)
	f.Evidence = domain.Derived
	f.Message = "difference of probabilities exponentiated as the importance ratio"
	f.Why = "it lies between 0.37 and 2.7 whatever the policies do, so rare actions are hardly corrected and the clip means something else"
	f.Help = "take the logarithm of both: `exp(new_logp - old_logp)`"
	p.Report(f)
}

// isMixed reports whether one side is a log-probability, and the other a probability.
func isMixed(x, y query.Seen) bool {
	return isLogProb(x) && isProb(y) || isProb(x) && isLogProb(y)
}

func isProb(s query.Seen) bool { return unshifted(s).Is(domain.Prob) }

// unshifted is s without the small number that keeps a denominator from zero.
func unshifted(s query.Seen) query.Seen {
	x := s.Strip()
	if x.Known() && x.IsOp("add", "sub") && len(x.In) > 1 {
		for i := range 2 {
			if query.IsNumber(x.In[i]) {
				return x.Input(1 - i)
			}
		}
	}
	return s
}

// isLog reports whether s is the result of a logarithm, of any argument.
func isLog(s query.Seen) bool { return s.Strip().Known() && s.Strip().IsOp("log") }

func isLogProb(s query.Seen) bool {
	terms := query.TermsOf(unshifted(s), 1)
	return len(terms) == 1 && terms[0].LogProbSign() != 0
}

func report(p *pass.Pass, root query.Seen, use roles.RatioUse) {
	if p.In(root.Frame) == nil || root.Node == nil {
		return
	}
	f := pass.At(root.Val, unshifted(root.Input(0)).Val, unshifted(root.Input(1)).Val)
	f.Evidence = evidence(root, use)
	f.Fix = fix(p, root)
	if isMixed(root.Input(0), root.Input(1)) {
		f.Message = "log-probability over a probability used as the importance ratio"
		if isProb(root.Input(0)) {
			f.Message = "probability over a log-probability used as the importance ratio"
		}
		f.Why, f.Help, f.Fix = "it is negative, where a ratio starts at 1, so the clip takes its place", "take `exp` of the log-probability", nil
	}
	p.Report(f)
}

// evidence is the stronger of the two operands' in a clipped objective, else the weakest. That one side is a logarithm and the
// other is not takes both: a probability may be kept under the name of a log-probability.
func evidence(root query.Seen, use roles.RatioUse) domain.Evidence {
	x, y := unshifted(root.Input(0)), unshifted(root.Input(1))
	switch {
	case use.Clipped && isLog(x) && isLog(y):
		return domain.Derived // the structure proves it, whatever the names
	case use.Clipped && isMixed(x, y):
		return pass.WeakestOf(x.Val, y.Val)
	case use.Clipped:
		return pass.StrongestOf(x.Val, y.Val)
	}
	return pass.WeakestOf(x.Val, y.Val, use.Advantage.Val)
}

// fix writes the exponential of the difference in place of the quotient.
func fix(p *pass.Pass, root query.Seen) *pass.Fix {
	if _, ok := root.Node.(*ast.AugAssign); ok {
		return nil
	}
	x, y := p.Operand(root.Val, root.In[0]), p.Operand(root.Val, root.In[1])
	e, ok := root.Node.(ast.Expr)
	if !ok || x == nil || y == nil || isStatement(e) {
		return nil
	}
	src := p.In(root.Frame)
	name := "torch.exp"
	if root.Lib == infer.LibNumpy {
		name = "numpy.exp"
	}
	exp, imports := src.Spell(name)
	return &pass.Fix{
		Message: "Take the exponential of the difference",
		Edits:   src.Replace(e, fmt.Sprintf("%s(%s - %s)", exp, src.Text(x), src.Operand(y))),
		Imports: imports,
	}
}

// isStatement reports whether e is r.div_(old), which changes r in place.
func isStatement(e ast.Expr) bool {
	call, ok := e.(*ast.Call)
	if !ok {
		return false
	}
	at, ok := call.Fun.(*ast.Attribute)
	return ok && at.Attr == "div_"
}
