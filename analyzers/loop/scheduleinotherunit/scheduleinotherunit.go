// Package scheduleinotherunit is rule LOOP075, schedule-in-other-unit; rule.md says what it finds.
package scheduleinotherunit

import (
	_ "embed"
	"fmt"
	"slices"

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

// Analyzer reports schedules whose counter and total count different things.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, s := range p.Roles.Schedules() {
		if !p.Trains(s.Read.Frame) || !s.Object && !anneals(p, s.At) {
			continue
		}
		if beat, times, ok := p.Roles.OffBeat(s); ok {
			at := wrongAt(p, s)
			p.Report(pass.Finding{
				At: at.Node, Frame: at.Frame, Evidence: domain.Derived, Why: why(times),
				Related: slices.Concat(p.There(s.At, "the total of the schedule"), p.There(head(beat.At), "this comes as often as the total says")),
			})
		} else if p.Roles.NeverThere(s) && !ends(s) {
			p.Report(pass.Finding{
				At: s.Read.Node, Frame: s.Read.Frame, Evidence: domain.Derived,
				Message: "this count begins anew in each round, far below the schedule's total",
				Why:     "the schedule starts over each time and never leaves its beginning",
				Help:    "hand it a count that goes on over the whole run",
				Related: p.There(s.At, "the total of the schedule"),
			})
		}
	}
}

// head is what is shown of a loop: what it goes through.
func head(at query.Place) query.Place {
	switch st := at.Node.(type) {
	case *ast.For:
		at.Node = st.Iter
	case *ast.While:
		at.Node = st.Cond
	}
	return at
}

// why says what becomes of a schedule whose counter comes to so many times its total.
func why(times query.Product) string {
	n, known := times.Number()
	switch {
	case known && n > 1:
		return fmt.Sprintf("it counts %.3g times as far as the total says, so the schedule is over after 1/%.3g of the run", n, n)
	case known:
		return fmt.Sprintf("it comes to 1/%.3g of the total, so the schedule hardly moves", 1/n)
	case len(times.Parts(false)) == 0:
		return "it counts beyond the total, so the schedule is over long before the run is"
	case len(times.Parts(true)) == 0:
		return "it never comes near the total, so the schedule hardly moves"
	}
	return ""
}

// anneals reports whether a quotient is used as a rate is: it is taken from one, bounded, scaled, or an exponent. What is only printed
// is none, nor is what goes from a number to the same number.
func anneals(p *pass.Pass, total query.Place) bool {
	src, found := p.In(total.Frame), false
	if src == nil {
		return false
	}
	for n, up := ast.Node(total.Node), src.Parent(total.Node); up != nil; n, up = up, src.Parent(up) {
		switch x := up.(type) {
		case *ast.BinOp:
			other := x.X
			if other == n {
				other = x.Y
			}
			_, sum := other.(*ast.BinOp)
			switch by, _ := p.See(total.Frame.Val(other)).Numbers(); {
			case x.Op == ast.Mod, x.Op == ast.Mult && len(by) == 1 && by[0] == 0: // a text, and a change by nothing
				return false
			case x.Op == ast.Mult, x.Op == ast.Sub && x.Y == n, x.Op == ast.Div && sum:
				found = true
			}
		case *ast.Call:
			name := query.CalleeName(x)
			found = found || bounding[name]
			if name == "print" || query.Loggers[name] || query.LoggerObject(x) {
				return false
			}
		case *ast.FString, *ast.Subscript, *ast.Comp:
			return false
		case ast.Stmt:
			return found
		}
	}
	return found
}

// ends reports whether the counter is compared with the total: it is there to come that far, as the steps of an episode are with its limit.
func ends(s roles.Schedule) bool {
	count, _ := s.Read.Node.(ast.Expr)
	bound, _ := s.At.Node.(ast.Expr)
	counter, total := query.Path(count), query.Path(bound)
	return counter != "" && total != "" && slices.ContainsFunc(s.Read.Frame.Nodes(), func(n ast.Node) bool {
		c, ok := n.(*ast.Compare)
		return ok && len(c.Ys) == 1 && (query.Path(c.X) == counter && query.Path(c.Ys[0]) == total || query.Path(c.X) == total && query.Path(c.Ys[0]) == counter)
	})
}

// bounding are functions that a schedule hands its progress to.
var bounding = query.Words("min max clip clamp minimum maximum exp cos")

// wrongAt is where a schedule goes wrong: where another counter is read than the one that the total is of, or else where the counter
// moves, as seen from the loop.
func wrongAt(p *pass.Pass, s roles.Schedule) query.Place {
	_, field := s.Read.Node.(*ast.Attribute)
	right := slices.ContainsFunc(p.Within(s.Nest), func(c query.Counter) bool {
		_, same := c.Read.Node.(*ast.Attribute)
		return same == field && len(c.Reaches.Unit().Over(s.Total.Unit()).Factors) == 0
	})
	if !s.Object && (s.Loop || right) {
		return s.Read
	}
	return p.Roles.Caused(s.Nest)
}
