// Package returnsfromstaleadv is rule ADV003, returns-from-stale-adv; rule.md says
// what it finds.
package returnsfromstaleadv

import (
	_ "embed"
	"slices"

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

// Advantages are computed from values, and returns are advantages + values. So the mistake
// shows in the sums: the new value of a field was computed from y, and y is added to the
// field's old value.

func run(p *pass.Pass) {
	known := map[ast.Stmt][]candidate{} // by the first statement: a body has many evaluations
	told := map[ast.Node]bool{}
	for f := range p.EachFrame {
		if p.In(f) != p.Source || len(f.Body()) == 0 {
			continue
		}
		list, ok := known[f.Body()[0]]
		if !ok {
			list = candidates(f.Body())
			known[f.Body()[0]] = list
		}
		for _, c := range list {
			if !told[c.old] && isStale(p, f, c) {
				told[c.old] = true
				p.Report(finding(p, f, c))
			}
		}
	}
}

// candidate is a sum that reads a field, while a field of that name is set to a new value in
// the same copy of a record, or by a later statement.
type candidate struct {
	sum    *ast.BinOp
	old    *ast.Attribute // the term that reads the field
	other  ast.Expr       // the other term
	record ast.Expr       // the object whose field is set
	fresh  ast.Expr       // the new value
}

// candidates lists what the syntax of a body shows.
func candidates(body []ast.Stmt) []candidate {
	var out []candidate
	add := func(e ast.Expr, field string, record, fresh ast.Expr) {
		sum, ok := e.(*ast.BinOp)
		if !ok || sum.Op != ast.Add {
			return
		}
		for _, terms := range [][2]ast.Expr{{sum.X, sum.Y}, {sum.Y, sum.X}} {
			if old, ok := terms[0].(*ast.Attribute); ok && old.Attr == field {
				out = append(out, candidate{sum, old, terms[1], record, fresh})
			}
		}
	}
	ast.WalkStmts(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FunctionDef, *ast.ClassDef, *ast.Lambda:
			return false
		case *ast.Call:
			copied(n, add)
		}
		return true
	})
	eachBlock(body, func(b []ast.Stmt) { assigned(b, add) })
	return out
}

// copied looks at record.replace(field=new, other=record.field + y), and at
// dataclasses.replace(record, ...).
func copied(call *ast.Call, add func(e ast.Expr, field string, record, fresh ast.Expr)) {
	at, ok := call.Fun.(*ast.Attribute)
	if !ok || at.Attr != "replace" && at.Attr != "_replace" || len(call.Args) > 1 {
		return
	}
	record := at.X
	if len(call.Args) == 1 {
		record = call.Args[0]
	}
	for _, k := range call.Keywords {
		for _, other := range call.Keywords {
			if k != other && k.Name != "" {
				add(other.Value, k.Name, record, k.Value)
			}
		}
	}
}

// eachBlock visits the lists of statements of a body: within one, the order is plain.
func eachBlock(body []ast.Stmt, visit func([]ast.Stmt)) {
	visit(body)
	for _, st := range body {
		switch st.(type) {
		case *ast.FunctionDef, *ast.ClassDef:
			continue
		}
		for _, b := range ast.Blocks(st) {
			eachBlock(b, visit)
		}
	}
}

// lookBack bounds the statements between the two: a list may have tens of thousands.
const lookBack = 256

// assigned looks at record.field = new after a sum with record.field.
func assigned(body []ast.Stmt, add func(e ast.Expr, field string, record, fresh ast.Expr)) {
	for i, st := range body {
		set, ok := st.(*ast.Assign)
		if !ok || len(set.Targets) != 1 {
			continue
		}
		field, ok := set.Targets[0].(*ast.Attribute)
		for j := i - 1; ok && j >= max(0, i-lookBack); j-- {
			use, isAssign := body[j].(*ast.Assign)
			if !isAssign {
				continue
			}
			if target, isAttr := use.Targets[0].(*ast.Attribute); isAttr && target.Attr == field.Attr {
				break // set before already
			}
			add(use.Value, field.Attr, field.X, set.Value)
		}
	}
}

// isStale reports whether a sum adds the field's old value to something that the new value
// was computed from, after the new value was computed.
func isStale(p *pass.Pass, f *infer.Frame, c candidate) bool {
	now, total, y := f.Val(c.fresh), f.Val(c.sum), f.Val(c.other)
	if now == nil || total == nil || y == nil || y.Const != nil || now.Seq >= total.Seq && now.Seq != 0 {
		return false
	}
	return isSame(p, f.Val(c.old.X), f.Val(c.record)) && estimates(p, now, y) && !madeOf(p, now, f.Val(c.old))
}

// estimates reports whether v says how much better something is than y: y is subtracted in what v was computed of, or a function that is not
// seen computes v from y and other data. A filter or a network takes the y of before on purpose.
func estimates(p *pass.Pass, v, y *infer.Val) bool {
	found := false
	infer.Walk(v, 4000, func(x *infer.Val) bool {
		switch {
		case x == nil || found:
		case x.IsOp("sub") && len(x.In) > 1:
			found = madeOf(p, x.In[1], y)
		case x.Op == infer.OpCall && p.Values.SiteOf(x) == nil:
			data := slices.DeleteFunc(slices.Clone(x.In), func(in *infer.Val) bool { return in == nil || in.Const != nil })
			found = len(data) > 1 && slices.ContainsFunc(data, func(in *infer.Val) bool { return madeOf(p, in, y) })
		}
		return !found
	})
	return found
}

// isSame reports whether two expressions stand for one record.
func isSame(p *pass.Pass, a, b *infer.Val) bool {
	return a != nil && b != nil && (a.Ref != nil && a.Ref == b.Ref || p.See(a).Same(p.See(b)))
}

// madeOf reports whether v was computed from y, or from the same field of the same record.
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

func finding(p *pass.Pass, f *infer.Frame, c candidate) pass.Finding {
	out := pass.Finding{
		At: c.old, Frame: f, Values: []*infer.Val{f.Val(c.fresh), f.Val(c.other)}, Evidence: domain.Derived,
		Related: []pass.Related{{Source: p.Source, Node: c.fresh, Message: "the new value is computed here"}},
	}
	if name, ok := c.fresh.(*ast.Name); ok {
		out.Fix = &pass.Fix{Message: "Use the new value", EveryContext: true, Edits: p.Source.Replace(c.old, name.Ident)}
	}
	return out
}
