package infer

import "github.com/rlvet/rlvet/internal/py/ast"

// Site is a call that an earlier evaluation of the callee answered: the contexts
// are equal, the values are not the same. What is true of a parameter's value by
// its quantity is true at every site; what rests on how the value was made has to
// be asked of each.
type Site struct {
	// Callee is the evaluation that answered.
	Callee *Frame
	// Caller and Node are where the call stands.
	Caller *Frame
	Node   ast.Node
	// Args are the arguments in the order of Callee.Params.
	Args []*Val
	// Guard is the chain of conditions under which it is made.
	Guard *Guard
}

// answered notes that g answered the call at n in f. A loop that comes by again
// has better arguments than before.
func (in *interp) answered(g, f *Frame, n ast.Node, args []*Val, guard *Guard) *Site {
	if f == g.Caller && g.Call != nil && n == g.Call.Node {
		return &Site{Callee: g, Caller: f, Node: n, Args: args, Guard: guard}
	}
	at := siteKey{g, f, n}
	if s := in.siteAt[at]; s != nil {
		s.Args = args
		return s
	}
	s := &Site{Callee: g, Caller: f, Node: n, Args: args, Guard: guard}
	g.sites = append(g.sites, s)
	in.siteAt[at] = s
	return s
}

type siteKey struct {
	callee, caller *Frame
	node           ast.Node
}

// Sites calls yield for every call that the frame stands for: first the one that
// made it, then those that it answered. A module and an entry have none.
func (f *Frame) Sites(yield func(*Site) bool) {
	if f.Caller != nil && f.Call != nil && !yield(&Site{Callee: f, Caller: f.Caller, Node: f.Call.Node, Args: f.Params, Guard: f.Call.Guard}) {
		return
	}
	for _, s := range f.sites {
		if !s.Caller.stale && !yield(s) {
			return
		}
	}
}

// Shared reports whether several calls come to the evaluation: what rests on who called is true of the first of them alone.
func (f *Frame) Shared() bool {
	n := 0
	for range f.Sites {
		if n++; n > 1 {
			return true
		}
	}
	return false
}

// liveSites calls yield for those of the calls that stale evaluations did not make.
func (f *Frame) liveSites(yield func(*Site) bool) {
	if f == nil {
		return
	}
	for s := range f.Sites {
		if !s.Caller.stale && !yield(s) {
			return
		}
	}
}

// SiteOf returns the call of which v is the result, or part of it, where an
// earlier evaluation answered that call; else nil.
func (r *Result) SiteOf(v *Val) *Site { return r.sites[v] }
