package infer

import (
	"maps"
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// # Lists of which one grows
//
// A storage with a list for each quantity is filled by getattr(self, k).append(v) for k, v in data.items(). Where the names
// in data are not known, what is in none of the lists for sure may be in any. A list that is filled by its
// name gets one element a step from there; with another from here it would be of no use beside the others. So
// only a list of which nothing else is known holds what may have been put in.

// listsRef is a field of an object whose name is not known.
type listsRef struct{ of *Instance }

func (*listsRef) ref() {}

// anyList is getattr(x, name) of an unknown name; nil where x is no object of the program.
func (in *interp) anyList(f *Frame, s *state, n ast.Node, a callArgs) *Val {
	obj, ok := a.pos[0].Ref.(*Instance)
	if !ok || len(a.pos) != 2 || obj.owner != in {
		return nil
	}
	v := in.val(f, s, n, "builtins.getattr", domain.Unknown, a.pos...)
	v.Ref = &listsRef{obj}
	return v
}

// growAny puts what is appended to a field of an unknown name where it may have gone.
func (in *interp) growAny(r *listsRef, method string, a callArgs) {
	if method != "append" && method != "appendleft" || len(a.pos) != 1 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(r.of.Attrs)) {
		if l, ok := RefOf(r.of.Attrs[name]).(*SeqRef); ok && l.List && l.owner == in {
			l.blind = in.join(l.blind, a.pos[0])
		}
	}
}
