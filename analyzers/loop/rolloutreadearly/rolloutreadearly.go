// Package rolloutreadearly is rule LOOP076, rollout-read-early; rule.md says what it finds.
package rolloutreadearly

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports loops over all rows of a rollout within the loop that fills it.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for f, fills := range query.Everywhere[*ast.For](p.Graph) {
		rows, steps := filled(fills)
		if p.In(f) == nil || len(rows) == 0 || !steps {
			continue
		}
		for st := range each(fills.Body) {
			reads, ok := st.(*ast.For)
			if !ok || roundsOf(reads) == "" || roundsOf(reads) != roundsOf(fills) {
				continue
			}
			if row := read(reads, rows); row != nil && !knowsRound(reads, fills, rows) {
				p.Report(pass.Finding{
					At: reads.Iter, Frame: f, Evidence: domain.Derived,
					Related: p.There(query.Place{Frame: f, Node: row}, "each round of the outer loop fills one row"),
				})
			}
		}
	}
}

// each goes through the statements that every round of a loop comes to: those of the body, and of with blocks in it.
func each(body []ast.Stmt) func(yield func(ast.Stmt) bool) {
	return func(yield func(ast.Stmt) bool) {
		for _, st := range body {
			if w, ok := st.(*ast.With); ok {
				for inner := range each(w.Body) {
					if !yield(inner) {
						return
					}
				}
			} else if !yield(st) {
				return
			}
		}
	}
}

// filled are the arrays, by name, that a loop fills: each round writes the row of its number. steps says that each round steps an environment.
func filled(loop *ast.For) (rows map[string]ast.Expr, steps bool) {
	number, ok := loop.Target.(*ast.Name)
	if !ok || roundsOf(loop) == "" {
		return nil, false
	}
	rows = map[string]ast.Expr{}
	for st := range each(loop.Body) {
		as, ok := st.(*ast.Assign)
		if !ok {
			continue
		}
		if call, ok := as.Value.(*ast.Call); ok && query.CalleeName(call) == "step" && len(call.Args) > 0 {
			steps = true
		}
		for _, t := range as.Targets {
			if at, ok := t.(*ast.Subscript); ok && query.Path(at.X) != "" && query.Path(at.Index) == query.Path(number) {
				rows[query.Path(at.X)] = at
			}
		}
	}
	return rows, steps
}

// roundsOf is how often a loop over range(n), range(0, n), their reverse or range(n - 1, -1, -1) goes round, as the program writes it.
func roundsOf(loop *ast.For) string {
	call, ok := loop.Iter.(*ast.Call)
	if ok && query.CalleeName(call) == "reversed" && len(call.Args) == 1 {
		call, ok = call.Args[0].(*ast.Call)
	}
	if !ok || query.CalleeName(call) != "range" || len(call.Args) == 0 {
		return ""
	}
	switch {
	case len(call.Args) == 1:
		return query.Path(call.Args[0])
	case len(call.Args) == 2 && isZero(call.Args[0]):
		return query.Path(call.Args[1])
	case len(call.Args) == 3:
		if last, ok := call.Args[0].(*ast.BinOp); ok && last.Op == ast.Sub {
			return query.Path(last.X)
		}
	}
	return ""
}

func isZero(e ast.Expr) bool {
	n, ok := e.(*ast.Number)
	return ok && n.Text == "0"
}

// knowsRound reports whether a loop within a loop reads the number of the outer one, so that it tells rows that are filled from those that are
// not, or writes the rows itself.
func knowsRound(inner, outer *ast.For, rows map[string]ast.Expr) (knows bool) {
	number, now := query.Path(outer.Target), query.Path(inner.Target)
	ast.WalkStmts(inner.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Name:
			knows = knows || n.Ident == number && number != now
		case *ast.AugAssign:
			at, ok := n.Target.(*ast.Subscript)
			knows = knows || ok && query.Path(at.Index) == now && rows[query.Path(at.X)] != nil
		}
		return !knows
	})
	return knows
}

// read is where a row that a loop reads by its own number was written; nil where it reads none of them.
func read(loop *ast.For, rows map[string]ast.Expr) (written ast.Expr) {
	number, ok := loop.Target.(*ast.Name)
	if !ok {
		return nil
	}
	ast.WalkStmts(loop.Body, func(n ast.Node) bool {
		if at, ok := n.(*ast.Subscript); ok && written == nil && query.Path(at.Index) == query.Path(number) {
			written = rows[query.Path(at.X)]
		}
		return written == nil
	})
	return written
}
