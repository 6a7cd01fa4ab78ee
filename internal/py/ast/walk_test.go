package ast

import (
	"fmt"
	"strings"
	"testing"
)

func name(id NodeID, ident string) *Name {
	return &Name{Meta: Meta{ID: id, Loc: Span{uint32(id), uint32(id) + 1}}, Ident: ident}
}

// sample is
//
//	@a
//	def f(b):
//	    if c: d
//	    else: e(g, *h, i=j)
func sample() *FunctionDef {
	call := &Call{
		Meta: Meta{ID: 10}, Fun: name(11, "e"),
		Args:     []Expr{name(12, "g"), &Starred{Meta: Meta{ID: 15, Loc: Span{15, 17}}, X: name(16, "h")}},
		Keywords: []*Keyword{{Meta: Meta{ID: 13, Loc: Span{13, 15}}, Name: "i", Value: name(14, "j")}},
	}
	return &FunctionDef{
		Meta: Meta{ID: 2}, Name: "f", Decorators: []Expr{name(1, "a")},
		Params: &Params{Meta: Meta{ID: 3}, List: []*Param{{Meta: Meta{ID: 4}, Name: "b"}}},
		Body: []Stmt{&If{
			Meta: Meta{ID: 5}, Cond: name(6, "c"),
			Then: []Stmt{&ExprStmt{Meta: Meta{ID: 7}, X: name(8, "d")}},
			Else: []Stmt{&ExprStmt{Meta: Meta{ID: 9}, X: call}},
		}},
	}
}

func TestWalkVisitsInSourceOrder(t *testing.T) {
	var ids []string
	Walk(sample(), func(n Node) bool { ids = append(ids, fmt.Sprint(n.NodeID())); return true })
	want := "2 1 3 4 5 6 7 8 9 10 11 12 13 14 15 16"
	if got := strings.Join(ids, " "); got != want {
		t.Errorf("Walk visits %s, want %s", got, want)
	}
}

func TestWalkStopsWhereTold(t *testing.T) {
	count := 0
	Walk(sample(), func(n Node) bool {
		count++
		_, isCall := n.(*Call)
		return !isCall
	})
	if count != 10 {
		t.Errorf("Walk visits %d nodes, want 10 without those below the call", count)
	}
	Walk(nil, func(Node) bool { t.Error("nil was visited"); return true })
}

func TestInspectVisitsStatementsOnly(t *testing.T) {
	var got []string
	InspectStmts([]Stmt{sample(), &Pass{}}, func(s Stmt) bool {
		got = append(got, strings.TrimPrefix(fmt.Sprintf("%T", s), "*ast."))
		return true
	})
	if want := "FunctionDef If ExprStmt ExprStmt Pass"; strings.Join(got, " ") != want {
		t.Errorf("InspectStmts visits %v, want %s", got, want)
	}
}

func TestSpans(t *testing.T) {
	s := Span{2, 5}
	if !s.Covers(Span{2, 5}) || s.Covers(Span{1, 3}) || s.Covers(Span{4, 6}) {
		t.Errorf("%v covers wrongly", s)
	}
}
