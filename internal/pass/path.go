package pass

import (
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// maxPaths bounds the ways by which a program comes to one expression.
const maxPaths = 32

// Paths looks at a value once for each chain of calls that leads to its
// evaluation, so that parameters are what that chain passes.
func (p *Pass) Paths(v *infer.Val) []Seen {
	if v == nil || v.Frame == nil {
		return nil
	}
	var out []Seen
	for _, in := range paths(v.Frame, 8) {
		out = append(out, Seen{v, in, p})
	}
	return out
}

// paths are the chains of calls to a frame, each down from a module or an entry.
func paths(f *infer.Frame, depth int) []*view {
	var out []*view
	for site := range f.Sites {
		if depth == 0 || len(out) >= maxPaths {
			break
		}
		for _, up := range paths(site.Caller, depth-1) {
			out = append(out, &view{frame: f, args: site.Args, up: up, call: site.Node})
		}
	}
	if len(out) == 0 {
		out = append(out, &view{frame: f})
	}
	return out
}

// Loops are the loops around s on the way by which it is seen, outermost first.
func (s Seen) Loops() []roles.Loop {
	var out []roles.Loop
	at := s.Node
	for in := s.in; in != nil && at != nil; in = in.up {
		out = append(roles.Around(in.frame, at), out...)
		at = in.call
	}
	return out
}

// Inside reports whether v may be computed in a loop: in its body, or in a function
// that is called from there.
func (p *Pass) Inside(l roles.Loop, v *infer.Val) bool {
	return v != nil && v.Frame != nil && v.Node != nil && inside(l, v.Frame, v.Node, map[*infer.Frame]bool{})
}

func inside(l roles.Loop, f *infer.Frame, n ast.Node, seen map[*infer.Frame]bool) bool {
	if f == l.Frame {
		return l.Stmt.Span().Covers(n.Span())
	}
	if seen[f] {
		return false
	}
	seen[f] = true
	for site := range f.Sites {
		if inside(l, site.Caller, site.Node, seen) {
			return true
		}
	}
	return false
}
