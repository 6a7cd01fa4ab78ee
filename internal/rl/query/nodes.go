package query

import (
	"iter"
	"reflect"
	"sync"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// In yields the nodes of one type in a frame's own body, in source order: In[*ast.Call](f) are the calls that it
// makes itself.
func In[N ast.Node](f *infer.Frame) iter.Seq[N] {
	return func(yield func(N) bool) {
		for _, n := range f.Nodes() {
			if n, ok := n.(N); ok && !yield(n) {
				return
			}
		}
	}
}

// Comprehensions yields those around a place, in source order.
func Comprehensions(at Place) iter.Seq[*ast.Comp] {
	return func(yield func(*ast.Comp) bool) {
		for c := range In[*ast.Comp](at.Frame) {
			if c.Span().Covers(at.Node.Span()) && !yield(c) {
				return
			}
		}
	}
}

// Tries yields the try statements of a frame in whose bodies a node stands.
func Tries(f *infer.Frame, n ast.Node) iter.Seq[*ast.Try] {
	return func(yield func(*ast.Try) bool) {
		for t := range In[*ast.Try](f) {
			if covering(t.Body, n) != nil && !yield(t) {
				return
			}
		}
	}
}

// Everywhere yields the nodes of one type in the whole program, with each evaluation of the body in which they
// stand. They are listed once for all rules, of which dozens look at all calls.
func Everywhere[N ast.Node](g *Graph) iter.Seq2[*infer.Frame, N] {
	return func(yield func(*infer.Frame, N) bool) {
		for _, at := range listed[N](g) {
			if !yield(at.frame, at.node) {
				return
			}
		}
	}
}

// byType are lists of nodes by their type, a []standing of each.
type byType struct {
	mu    sync.Mutex
	lists map[reflect.Type]any
}

// standing is a node in one evaluation of its body.
type standing[N ast.Node] struct {
	frame *infer.Frame
	node  N
}

func listed[N ast.Node](g *Graph) []standing[N] {
	of := reflect.TypeFor[N]()
	g.byType.mu.Lock()
	defer g.byType.mu.Unlock()
	if list, ok := g.byType.lists[of]; ok {
		return list.([]standing[N])
	}
	var list []standing[N]
	for f := range g.EachFrame {
		for n := range In[N](f) {
			list = append(list, standing[N]{f, n})
		}
	}
	if g.byType.lists == nil {
		g.byType.lists = map[reflect.Type]any{}
	}
	g.byType.lists[of] = list
	return list
}
