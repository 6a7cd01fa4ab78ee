package query

import "github.com/rlvet/rlvet/internal/rl/infer"

// maxPaths bounds the ways by which a program comes to one expression.
const maxPaths = 32

// Paths looks at a value once for each chain of calls that leads to its
// evaluation, so that parameters are what that chain passes.
func (g *Graph) Paths(v *infer.Val) []Seen {
	if v == nil || v.Frame == nil {
		return nil
	}
	var out []Seen
	for _, in := range paths(v.Frame, 8) {
		out = append(out, Seen{v, in, g})
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
func (s Seen) Loops() []Loop {
	var out []Loop
	at := s.Node
	for in := s.in; in != nil && at != nil; in = in.up {
		out = append(Around(Place{in.frame, at}), out...)
		at = in.call
	}
	return out
}

// Outermost is the evaluation at which the way to s begins: of a module, or of what nobody calls.
func (s Seen) Outermost() *infer.Frame {
	in := s.in
	for in.up != nil {
		in = in.up
	}
	return in.frame
}

// SameBody reports whether two frames are evaluations of one function.
func SameBody(a, b *infer.Frame) bool {
	return a.Func != nil && b.Func != nil && a.Func.Def == b.Func.Def && a.Func.Lambda == b.Func.Lambda
}
