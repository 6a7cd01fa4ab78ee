// Package entropysign is rule OBJ012, entropy-sign; rule.md says what it
// finds.
package entropysign

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports policy losses that grow with the entropy, or with the negative of its estimate.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Roles.Maximises() {
		return
	}
	for _, l := range p.Roles.Losses() {
		for _, t := range p.Roles.LosesEntropy(l) {
			if p.In(t.Frame) != nil && t.Node != nil {
				p.Report(pass.At(t.Val, t.Val))
			}
		}
		if slices.ContainsFunc(l.Terms, func(t roles.Term) bool { return t.Kind == roles.EntropyTerm && t.Counts() < 0 }) {
			continue // beside the entropy that is a bonus, that of a gate, of a termination or given the state may be meant to fall
		}
		isWrong := func(t roles.Term) bool { return t.Kind == roles.EntropyTerm && t.Counts() > 0 && !besideAnother(l, t) }
		if !slices.ContainsFunc(l.Terms, isWrong) || !l.Improves() && !mayImprove(l) {
			continue
		}
		for _, t := range l.Terms {
			if isWrong(t) {
				report(p, l, t)
			}
		}
	}
}

// besideAnother reports whether an operand may be either the entropy or something else that has a gradient: a helper that pads, cuts or
// gathers whatever a batch holds looks as if it yielded one for the other.
func besideAnother(l roles.Loss, t roles.Term) bool {
	return t.Part.Known() && slices.ContainsFunc(l.Terms, func(o roles.Term) bool {
		return o.Kind != roles.EntropyTerm && o.Q.Grad != domain.Detached && o.Part.Val == t.Part.Val && o.Sum.Val == t.Sum.Val
	})
}

// mayImprove reports whether a loss fits a critic and has another part that was computed out of sight: what is left is
// that of the policy. So does one that weighs something by how it fares beside the others of its batch.
func mayImprove(l roles.Loss) bool {
	if slices.ContainsFunc(l.Terms, roles.Term.ByStanding) {
		return true
	}
	return slices.ContainsFunc(l.Terms, func(t roles.Term) bool { return t.Kind == roles.ValueTerm || t.Is(domain.Loss) }) &&
		slices.ContainsFunc(l.Terms, func(t roles.Term) bool {
			return t.Kind == roles.OtherTerm && !t.Q.Kind.Known() && t.Q.Grad != domain.Detached && t.Const == nil
		})
}

func report(p *pass.Pass, l roles.Loss, t roles.Term) {
	if p.In(t.Frame) == nil || t.Node == nil {
		return
	}
	f := pass.At(t.Val, t.Val)
	f.Unmistakable = true // of what is called an entropy, in a loss that improves a policy
	f.Severity = pass.Weighed(l, t)
	part := p.Operand(t.Sum.Val, t.Part.Val)
	switch {
	case part != nil && isHelper(t):
		f.Related = p.Here(t.Sum.Val, "its result is counted as an entropy here")
	case part != nil:
		f.At, f.Frame, f.Fix = part, t.Sum.Frame, fix(p, t, part)
	}
	p.Report(f)
}

// isHelper reports whether what has the wrong sign is the formula of a function that calls its result an entropy, so that the mistake is
// there. Whether it is one the formula and the loss have told.
func isHelper(t roles.Term) bool {
	f := t.Frame
	if !t.Negative || f == nil || f == t.Sum.Frame || f.Func == nil {
		return false
	}
	name := strings.ToLower(f.Func.Name())
	return strings.Contains(name, "entropy") && !strings.Contains(name, "neg") && !strings.Contains(name, "loss")
}

// fix flips the sign of the entropy's part of the sum.
func fix(p *pass.Pass, t roles.Term, part ast.Expr) *pass.Fix {
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
