// Package notonerewardeach is rule RWD003, not-one-reward-each; rule.md says what it finds.
package notonerewardeach

import (
	_ "embed"

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

// Analyzer reports reward functions that return another number of values than there are completions.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, sc := range p.Scored() {
		f := sc.Frame
		if p.In(f) == nil || sc.By.Each || sc.Func.Def == nil || sc.By.Name == "openrlhf" {
			continue
		}
		if x := oneNumber(f); x != nil && sc.Trainer != nil {
			p.Report(pass.Finding{At: x, Frame: f, Evidence: domain.Derived})
			continue
		}
		query.OwnStmts(f, func(st ast.Stmt) {
			if loop, ok := st.(*ast.For); ok {
				if at := uneven(f, loop); at != nil {
					p.Report(pass.Finding{
						At: at, Frame: f, Evidence: domain.Derived, Message: "some completions get no reward, or more than one",
						Why: "the list has another length than the batch: the trainer raises, or rewards go to the wrong completions", Help: "append exactly once on every path through the loop",
					})
				}
			}
		})
	}
}

// oneNumber is a return of one number, where all returns are.
func oneNumber(f *infer.Frame) (at ast.Node) {
	only := true
	query.OwnStmts(f, func(st ast.Stmt) {
		if ret, ok := st.(*ast.Return); ok {
			if ret.X == nil || !number(f, ret.X, 8) {
				only = false
			} else if at == nil {
				at = ret.X
			}
		}
	})
	if !only {
		return nil
	}
	return at
}

// number reports whether an expression is surely one number.
func number(f *infer.Frame, e ast.Expr, room int) bool {
	if room == 0 {
		return false
	}
	switch n := query.Made(f, e).(type) {
	case *ast.Number:
		return true
	case *ast.Call:
		if _, float := n.Fun.(*ast.Name); float && (query.CalleeName(n) == "float" || query.CalleeName(n) == "int" || query.CalleeName(n) == "len") {
			return true
		}
		switch query.CalledSymbol(f, n) {
		case "statistics.mean", "statistics.fmean":
			return true
		case "numpy.mean", "numpy.sum":
			return len(n.Args) == 1 && len(n.Keywords) == 0
		}
		name, ok := n.Fun.(*ast.Name)
		return ok && name.Ident == "sum" && len(n.Args) > 0 && numbers(f, n.Args[0], room-1)
	case *ast.BinOp:
		return n.Op != ast.Mod && number(f, n.X, room-1) && number(f, n.Y, room-1)
	case *ast.UnaryOp:
		return number(f, n.X, room-1)
	}
	return false
}

// numbers reports whether the elements of a list are numbers.
func numbers(f *infer.Frame, e ast.Expr, room int) bool {
	if c, ok := query.Made(f, e).(*ast.Comp); ok && c.Elt != nil {
		call, ok := c.Elt.(*ast.Call)
		return !ok || !arrays[query.CalleeName(call)] // a sum of lists starts from a list, one of arrays is an array
	}
	elts := query.Listed(f, e)
	for _, x := range elts {
		if !number(f, x, room) {
			return false
		}
	}
	return len(elts) > 0
}

// uneven is the append in a loop over the answers that some paths through the loop leave out, or run twice, where the list is what the
// function returns, and nothing else changes it.
func uneven(f *infer.Frame, loop *ast.For) ast.Node {
	if !overAnswers(f, loop.Iter) {
		return nil
	}
	list := returned(f)
	if list == "" {
		return nil
	}
	appends := query.Appends(f, list)
	if len(appends) == 0 || len(query.Mentions(f, list)) != len(appends)+2 { // those, where it is made, and where it is returned
		return nil
	}
	is := map[ast.Node]bool{}
	for _, call := range appends {
		if !loop.Span().Covers(call.Span()) {
			return nil
		}
		is[call] = true
	}
	per := query.EachRound(loop.Body, func(n ast.Node) int {
		if is[n] {
			return 1
		}
		return 0
	})
	if per.Unknown || !per.None && !per.More || !per.Once {
		return nil
	}
	return appends[len(appends)-1]
}

// returned is the variable that every return of a function returns, or "".
func returned(f *infer.Frame) string {
	name, same := "", true
	query.OwnStmts(f, func(st ast.Stmt) {
		if ret, ok := st.(*ast.Return); ok {
			x, isName := ret.X.(*ast.Name)
			same = same && isName && (name == "" || name == x.Ident)
			if isName {
				name = x.Ident
			}
		}
	})
	if !same {
		return ""
	}
	return name
}

// overAnswers reports whether a loop goes through the answers, one a round.
func overAnswers(f *infer.Frame, iter ast.Expr) bool {
	if call, ok := iter.(*ast.Call); ok {
		switch query.CalleeName(call) {
		case "zip", "enumerate":
			for _, a := range call.Args {
				if overAnswers(f, a) {
					return true
				}
			}
		}
		return false
	}
	_, ok := iter.(*ast.Name)
	r, list := infer.RefOf(f.Val(iter)).(*infer.SeqRef)
	return ok && list && r.Elem != nil && query.OfAnswer(r.Elem)
}

// arrays make an array or tensor.
var arrays = query.Words("tensor array asarray as_tensor stack zeros ones")
