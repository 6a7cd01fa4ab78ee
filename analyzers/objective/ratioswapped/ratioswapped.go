// Package ratioswapped is rule OBJ020, ratio-swapped; rule.md says what it finds.
package ratioswapped

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports importance ratios whose numerator is the old policy.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, use := range p.Roles.RatioUses() {
		for _, root := range use.Ratio.Roots() {
			if q, ok := read(p, root, use); ok && q.swapped() {
				report(p, root, q, use)
			}
		}
	}
}

func report(p *pass.Pass, root query.Seen, q quotient, use roles.RatioUse) {
	if p.In(root.Frame) == nil || root.Node == nil {
		return
	}
	f := pass.At(root.Val, q.now.Val, q.before.Val)
	f.Evidence = evidence(q, use)
	f.Unmistakable = true // one is called old, and the difference weighs an advantage
	if q.compared {
		f.Why = "what is compared with it grows where the policy becomes worse"
	}
	f.Fix = fix(p, root)
	p.Report(f)
}

func evidence(q quotient, use roles.RatioUse) domain.Evidence {
	switch {
	case q.told, use.AroundOne && q.graded:
		return domain.Derived
	case q.now.Q.Grad != domain.Attached && q.before.Q.Grad != domain.Detached:
		return domain.NameOnly // only the names tell the policies apart
	case use.Clipped:
		return pass.StrongestOf(q.now.Val, q.before.Val)
	}
	return pass.WeakestOf(q.now.Val, q.before.Val, use.Advantage.Val)
}

// fix swaps the operands inside the exponential.
func fix(p *pass.Pass, root query.Seen) *pass.Fix {
	x := root.Exponent()
	if !x.Known() || x.Frame != root.Frame {
		return nil
	}
	sub, ok := x.Node.(*ast.BinOp)
	if !ok || sub.Op != ast.Sub || !root.Node.Span().Covers(sub.Span()) {
		return nil
	}
	src := p.In(root.Frame)
	return &pass.Fix{Message: "Swap the log-probabilities", Edits: src.Replace(sub, src.Operand(sub.Y)+" - "+src.Operand(sub.X))}
}
