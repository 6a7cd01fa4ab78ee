// Package scheduledbeforestep is rule LOOP014, scheduled-before-step; rule.md says what it finds.
package scheduledbeforestep

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/finding"
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

// Analyzer reports schedules that step before their optimizer has.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if p.Source.IsTest() {
		return
	}
	r := p.Roles.Rounds()
	for i, order := range r.Orders {
		for _, s := range order.Events {
			h := r.Of(s).Of
			if !r.Is(s, roles.Steps) || h == nil || h.Only() == nil || r.IsForeign(i) {
				continue
			}
			of := func(e *roles.Event) bool { return r.Is(e, roles.Schedules) && r.Of(e).Of.Same(h) }
			builds := func(e *roles.Event) bool { return r.Is(e, roles.Builds) && r.Surely(e, h, roles.Builds) }
			steps := func(e *roles.Event) bool { return r.Is(e, roles.Steps) && r.MayConcern(r.Of(e), h) }
			before := s.Before(func(e *roles.Event) bool { return of(e) || builds(e) || steps(e) })
			others := slices.DeleteFunc(before, func(e *roles.Event) bool { return e.Place == s.Place })
			// Of several calls of one method only the first has the first step.
			first := func(e *roles.Event) bool {
				return of(e) && !slices.ContainsFunc(e.Before(func(x *roles.Event) bool { return builds(x) || steps(x) }), func(x *roles.Event) bool { return steps(x) && x.Place != s.Place })
			}
			// Behind the step it goes on at another place: the calls before bring it to where it is to begin.
			goesOn := slices.ContainsFunc(s.After(func(e *roles.Event) bool { return of(e) || builds(e) || steps(e) }), func(e *roles.Event) bool {
				return of(e) && len(others) > 0 && e.Place != others[0].Place
			})
			if !goesOn && roles.Every(others, first) {
				p.Report(pass.Finding{
					At: others[0].Node, Frame: others[0].Frame, Evidence: domain.Derived,
					Severity: severity(others[0].Place), Related: p.There(s.Place, "the optimizer takes its first step only here"),
				})
			}
		}
	}
}

// long is a schedule of which one step more or less changes next to nothing.
const long = 100

// severity is a note where a number that the schedule was made with says that it is long: the whole schedule is shifted by one step.
func severity(at query.Place) finding.Severity {
	f, made := query.MadeBy(at)
	if made == nil {
		return ""
	}
	if slices.ContainsFunc(ast.Given(made), func(e ast.Expr) bool { n, known := f.Val(e).Float(); return known && n >= long }) {
		return finding.Note
	}
	return ""
}
