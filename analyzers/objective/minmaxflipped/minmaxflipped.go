// Package minmaxflipped is rule OBJ002, min-max-flipped; rule.md says what it
// finds.
package minmaxflipped

import (
	_ "embed"

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

// Analyzer reports clipped objectives that take the larger of the two gains, or the
// smaller of the two losses, and clipped losses of a critic that take the smaller.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Roles.Maximises() {
		return
	}
	for _, c := range p.Roles.ClippedErrors() {
		if !c.Max {
			reportError(p, c)
		}
	}
	for _, d := range p.Roles.DualClips() {
		// A bound of the other side: from below where the objective is one from above.
		if s := d.Inner; d.Max == (s.Max != d.Negated) && s.AroundOne() {
			if s.Max == s.Negated {
				reportDual(p, d)
			} else {
				report(p, s, domain.Derived)
			}
		}
	}
	for _, l := range p.Roles.Losses() {
		for _, t := range l.Terms {
			if flipped(t) {
				report(p, t.Surrogate, domain.Derived)
			}
		}
	}
	if len(p.Roles.Surrogates()) == 0 {
		return
	}
	for f := range p.EachFrame {
		unseen(p, f)
	}
}

// unseen checks a function that nobody calls. A minus sign in front says that what it returns
// is minimised, whatever it is called.
func unseen(p *pass.Pass, f *infer.Frame) {
	if !f.Entry {
		return
	}
	for value := range p.Roles.Returned(f) {
		for _, t := range p.Roles.LossTerms(value) {
			if flipped(t) && t.Surrogate.AroundOne() {
				report(p, t.Surrogate, domain.Derived)
			}
		}
	}
}

// flipped reports whether minimising sign*max(r*A, clamp(r)*A) takes the larger gain.
// With a minus sign in front of both gains it is min that does. The two other
// combinations are right, or have a sign too many, which another rule reports.
func flipped(t roles.Term) bool {
	s := t.Surrogate
	if s == nil || len(s.Others) == 0 {
		return false // a choice by the sign of the advantage
	}
	return t.Meant < 0 && s.Max && !s.Negated || t.Meant > 0 && !s.Max && s.Negated
}

func report(p *pass.Pass, s *roles.Surrogate, evidence domain.Evidence) {
	if p.In(s.At.Frame) == nil || s.At.Node == nil {
		return
	}
	f := pass.At(s.At.Val, s.Ratio.Val)
	f.Help = "take the maximum of the two losses"
	if s.Max {
		f.Help = "take the minimum of the two gains"
	}
	f.Evidence, f.Fix = evidence, fix(p, s.At)
	p.Report(f)
}

func reportError(p *pass.Pass, c roles.ClippedError) {
	if p.In(c.At.Frame) == nil || c.At.Node == nil {
		return
	}
	f := pass.At(c.At.Val, c.Value.Val)
	f.Message = "minimum of the clipped and the plain value loss"
	f.Why = "a value that has moved away from its target gets no gradient back, and one that moves towards it is not clipped"
	f.Help = "take the maximum of the two losses"
	f.Evidence, f.Fix = domain.Derived, fix(p, c.At)
	p.Report(f)
}

func reportDual(p *pass.Pass, d roles.DualClip) {
	if p.In(d.At.Frame) == nil || d.At.Node == nil {
		return
	}
	f := pass.At(d.At.Val, d.Inner.Ratio.Val)
	f.Message = "minimum and maximum flipped in the dual clip"
	f.Why = "the objective is the constant bound wherever the ratio is below it, so actions with a negative advantage get no gradient"
	f.Help = "bound the gains from below, by a maximum"
	if d.Max {
		f.Help = "bound the losses from above, by a minimum"
	}
	f.Evidence, f.Fix = domain.Derived, fix(p, d.At)
	p.Report(f)
}

var opposite = map[string]string{
	"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum", "fmin": "fmax", "fmax": "fmin", "amin": "amax", "amax": "amin",
}

// fix calls the other function.
func fix(p *pass.Pass, extremum query.Seen) *pass.Fix {
	call, ok := extremum.Node.(*ast.Call)
	if !ok {
		return nil
	}
	at, ok := call.Fun.(*ast.Attribute)
	if !ok || opposite[at.Attr] == "" {
		return nil
	}
	end := at.Span().End
	return &pass.Fix{
		Message: "Call `" + opposite[at.Attr] + "`",
		Edits:   []pass.Edit{{Span: ast.Span{Start: end - uint32(len(at.Attr)), End: end}, New: opposite[at.Attr]}},
	}
}
