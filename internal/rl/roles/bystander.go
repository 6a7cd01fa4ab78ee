package roles

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// trains are words of which one stands in the code of every class whose objects hold a network or an optimizer, or hand
// one on. They let rules report where none of them stands: what has nothing to do with training changes no gradients.
var trains = []string{
	"grad", "optim", "backward", "model", "net", "module", "layer", "head", "encoder", "weight", "param",
	"polic", "actor", "critic", "agent", "learn", "algo", "engine", "trainer", "train_", "callback", "hook", "fn", "func",
}

// isBystander reports whether the objects of a class can hold no network and no optimizer: all of its code is known, and
// nothing in it is called after one.
func (r *Rounds) isBystander(c *infer.ClassRef) bool {
	return r.bystanders.get(c, func() bool { return !IsForeign(c) && !namesTraining(c, maxBases) })
}

// maxBases bounds the classes above a class.
const maxBases = 8

func namesTraining(c *infer.ClassRef, depth int) bool {
	if depth == 0 || c.Def == nil {
		return true
	}
	found := false
	ast.Walk(c.Def, func(n ast.Node) bool {
		word := ""
		switch n := n.(type) {
		case *ast.Name:
			word = n.Ident
		case *ast.Attribute:
			word = n.Attr
		case *ast.Param:
			word = n.Name
		}
		lower := strings.ToLower(word)
		found = found || slices.ContainsFunc(trains, func(w string) bool { return strings.Contains(lower, w) })
		return !found
	})
	return found || slices.ContainsFunc(c.Bases, func(b *infer.ClassRef) bool { return namesTraining(b, depth-1) })
}
