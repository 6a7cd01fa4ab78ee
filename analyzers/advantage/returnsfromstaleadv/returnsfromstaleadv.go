// Package returnsfromstaleadv is rule ADV003, returns-from-stale-adv; rule.md says
// what it finds.
package returnsfromstaleadv

import (
	"bytes"
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports sums with a field whose new value is computed but not stored yet.
var Analyzer = pass.Rule(Doc, run)

// The mistake is told by what the two sums are made of: the new value of the field
// was computed from y, and what is added to the old value of the field is y. That is
// advantages, which are made of values, and returns, which are advantages + values.

func run(p *pass.Pass) {
	known := map[ast.Stmt][]candidate{} // by the first statement: a body has many evaluations
	seen := map[ast.Node]bool{}
	copies := bytes.Contains(p.Source.AST.Text, []byte("replace"))
	for f := range p.EachFrame {
		if p.In(f) != p.Source || len(f.Body()) == 0 {
			continue
		}
		first := f.Body()[0]
		list, ok := known[first]
		if !ok {
			list = candidates(p, f.Body(), copies)
			known[first] = list
		}
		for _, c := range list {
			check(p, f, c, seen)
		}
	}
}

// candidate is a sum with a field of a record as a term, by its text, and what the
// field is set to nearby.
type candidate struct {
	sum   *ast.BinOp
	field string
	fresh ast.Expr
}

// candidates lists what the syntax of a body shows; records are only changed by copies
// where the module says so.
func candidates(p *pass.Pass, body []ast.Stmt, copies bool) []candidate {
	var out []candidate
	add := func(e ast.Expr, field string, fresh ast.Expr) {
		sum, ok := e.(*ast.BinOp)
		if ok && sum.Op == ast.Add && (p.Source.Text(sum.X) == field || p.Source.Text(sum.Y) == field) {
			out = append(out, candidate{sum, field, fresh})
		}
	}
	if copies {
		ast.WalkStmts(body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FunctionDef, *ast.ClassDef, *ast.Lambda:
				return false
			case *ast.Call:
				replaced(p, n, add)
			}
			return true
		})
	}
	for _, b := range blocks(body) {
		assigned(p, b, add)
	}
	return out
}

// replaced looks at record.replace(field=new, other=record.field + y).
func replaced(p *pass.Pass, call *ast.Call, add func(e ast.Expr, field string, fresh ast.Expr)) {
	record := recordOf(p, call)
	if record == "" {
		return
	}
	for _, k := range call.Keywords {
		for _, other := range call.Keywords {
			if k != other && k.Name != "" {
				add(other.Value, record+"."+k.Name, k.Value)
			}
		}
	}
}

// recordOf returns the text of the record of which a call makes a changed copy.
func recordOf(p *pass.Pass, call *ast.Call) string {
	at, ok := call.Fun.(*ast.Attribute)
	if !ok || at.Attr != "replace" && at.Attr != "_replace" {
		return ""
	}
	if x, ok := at.X.(*ast.Name); ok && x.Ident == "dataclasses" && len(call.Args) == 1 {
		return p.Source.Text(call.Args[0])
	}
	if len(call.Args) > 0 {
		return ""
	}
	return p.Source.Text(at.X)
}

// blocks are the lists of statements of a body, in which the order is plain.
func blocks(body []ast.Stmt) [][]ast.Stmt {
	out := [][]ast.Stmt{body}
	for _, st := range body {
		switch st.(type) {
		case *ast.FunctionDef, *ast.ClassDef:
			continue
		}
		for _, b := range ast.Blocks(st) {
			out = append(out, blocks(b)...)
		}
	}
	return out
}

// assigned looks at record.field = new that comes after a sum with record.field.
func assigned(p *pass.Pass, body []ast.Stmt, add func(e ast.Expr, field string, fresh ast.Expr)) {
	for i, st := range body {
		set, ok := st.(*ast.Assign)
		if !ok || len(set.Targets) != 1 {
			continue
		}
		field, ok := set.Targets[0].(*ast.Attribute)
		if !ok {
			continue
		}
		for j := i - 1; j >= 0; j-- {
			use, ok := body[j].(*ast.Assign)
			if !ok {
				continue
			}
			if target, ok := use.Targets[0].(*ast.Attribute); ok && p.Source.Text(target) == p.Source.Text(field) {
				break
			}
			add(use.Value, p.Source.Text(field), set.Value)
		}
	}
}

// check reports a sum of the field's old value with something that went into the new
// one, where the new one was there already.
func check(p *pass.Pass, f *infer.Frame, c candidate, seen map[ast.Node]bool) {
	sum := c.sum
	if seen[sum] {
		return
	}
	now, total := f.Val(c.fresh), f.Val(sum)
	if now == nil || total == nil || now.Seq >= total.Seq && now.Seq != 0 {
		return
	}
	for i, x := range []ast.Expr{sum.X, sum.Y} {
		y := f.Val([]ast.Expr{sum.Y, sum.X}[i])
		if p.Source.Text(x) != c.field || y == nil || y.Const != nil || !madeOf(p, now, y) || madeOf(p, now, f.Val(x)) {
			continue
		}
		seen[sum] = true
		p.Report(finding(p, f, x, c.fresh, now, y))
	}
}

// madeOf reports whether y, or the same field of the same record, went into v.
func madeOf(p *pass.Pass, v, y *infer.Val) bool {
	if y == nil {
		return false
	}
	found := false
	want := p.See(y)
	infer.Walk(v, 4000, func(x *infer.Val) bool {
		found = found || x != nil && (infer.SameSource(x, y) || x.Op == y.Op && p.See(x).Same(want))
		return !found
	})
	return found
}

func finding(p *pass.Pass, f *infer.Frame, stale, fresh ast.Expr, now, y *infer.Val) pass.Finding {
	out := pass.Finding{
		At: stale, Frame: f, Values: []*infer.Val{now, y}, Evidence: domain.Derived,
		Related: []pass.Related{{Source: p.Source, Node: fresh, Message: "the new value is computed here"}},
	}
	if name, ok := fresh.(*ast.Name); ok {
		out.Fix = &pass.Fix{Message: "Use the new value", EveryContext: true, Edits: p.Source.Replace(stale, name.Ident)}
	}
	return out
}
