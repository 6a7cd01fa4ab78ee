// Package updatenotperiodic is rule LOOP041, update-not-periodic; rule.md says what it finds.
package updatenotperiodic

import (
	_ "embed"
	"slices"

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

// Analyzer reports updates whose period never comes to its end, or comes to it in every round.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	var copies, updates []query.Place
	for _, t := range p.Roles.Transfers() {
		if t.Whole() {
			copies = append(copies, query.PlaceOf(t.At.Val))
		}
		updates = append(updates, query.PlaceOf(t.At.Val))
	}
	for _, v := range p.Roles.Steps {
		updates = append(updates, query.PlaceOf(v))
	}
	for f := range p.EachFrame {
		if !p.Trains(f) {
			continue
		}
		for _, d := range p.Dues(f) {
			switch {
			case leadsTo(p, f, d.If.Then, updates) && counted(p, f, d):
			case d.Otherwise && d.Rest == 0 && len(d.If.Else) == 0 && leadsTo(p, f, d.If.Then, copies):
				p.Report(pass.Finding{
					At: d.Test, Frame: f, Evidence: domain.Derived,
					Message: "copied in all rounds but the one that is due",
					Why:     "the target network follows in nearly every round, so the critic chases its own values",
					Help:    "compare the remainder with 0: `if step % period == 0`",
				})
			}
		}
		for _, c := range chains(p, f) {
			if leadsTo(p, f, c.Then, updates) {
				p.Report(pass.Finding{
					At: c.Cond, Frame: f, Evidence: domain.Derived,
					Message: "`&` binds closer than the comparisons around it",
					Why:     "the two conditions are read as one chain of comparisons, so this is done in other rounds than it says",
					Help:    "write `and`, or put each comparison in parentheses",
				})
			}
		}
	}
}

// counted reports a test that comes to the same in every round, as its counter stands still or begins anew.
func counted(p *pass.Pass, f *infer.Frame, d query.Due) bool {
	verdict, at := p.When(d)
	if verdict == query.Sometimes {
		return false
	}
	if field, ok := d.Counter.(*ast.Attribute); ok && p.MentionedElsewhere(f.Module, field.Attr, []*infer.Module{f.Module}) {
		return false
	}
	out := pass.Finding{At: d.Test, Frame: f, Evidence: domain.Derived, Related: p.There(at, "the counter is set or moved here alone")}
	switch verdict {
	case query.Always:
		out.Message = "due in every round, since its counter never moves"
		out.Why = "what was to be done now and then is done all the time, so a target network has no lag"
	case query.Once:
		out.Message = "due only once, since its counter moves only when it is due"
	}
	p.Report(out)
	return true
}

// leadsTo reports whether statements of a frame hold one of the places, or call what does.
func leadsTo(p *pass.Pass, f *infer.Frame, body []ast.Stmt, places []query.Place) bool {
	return slices.ContainsFunc(places, func(at query.Place) bool { return under(f, body, at, map[*infer.Frame]bool{}) })
}

func under(f *infer.Frame, body []ast.Stmt, at query.Place, seen map[*infer.Frame]bool) bool {
	if !at.Known() || seen[at.Frame] {
		return false
	}
	if at.Frame == f {
		return slices.ContainsFunc(body, func(st ast.Stmt) bool { return st.Span().Covers(at.Node.Span()) })
	}
	seen[at.Frame] = true
	for site := range at.Frame.Sites {
		if under(f, body, query.Place{Frame: site.Caller, Node: site.Node}, seen) {
			return true
		}
	}
	return false
}

// chains are the conditions of a frame's body in which & or | stands between comparisons that have no parentheses, so
// that Python reads a > b & c == d as a > (b & c) == d.
func chains(p *pass.Pass, f *infer.Frame) (out []*ast.If) {
	for _, n := range f.Nodes() {
		st, ok := n.(*ast.If)
		if !ok {
			continue
		}
		c, ok := st.Cond.(*ast.Compare)
		if !ok || len(c.Ys) < 2 {
			continue
		}
		for _, y := range c.Ys[:len(c.Ys)-1] {
			if b, ok := y.(*ast.BinOp); ok && (b.Op == ast.BitAnd || b.Op == ast.BitOr) {
				out = append(out, st)
				break
			}
		}
	}
	return out
}
