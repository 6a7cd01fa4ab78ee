package infer

import "fmt"

// # Depth
//
// Everything that follows a reference passes through one of a few functions: call,
// callMethod, getAttr, index, element, genericInstance. They count how deep they are
// in each other, whatever the references are (methods, properties, decorators,
// partials, annotations), and give up with an unknown value at maxFollowed. What is
// followed to many alternatives at every level is bounded by the work as well (see
// begin).
//
// A recursion that nobody thought of must not take the findings of other files along:
// Go cannot recover from a stack that overflows. So every expression, statement and
// reference counts as a level too, and too many levels are a panic, of which the
// driver makes a problem of this one file. The numbers are numbers of steps, not
// bytes of stack: the result is the same on every machine.

const (
	// maxFollowed bounds the references that are followed within each other.
	maxFollowed = 128
	// maxLevel bounds the recursion as a whole. The parser lets syntax nest 3000
	// deep, and a body of that depth can be entered at every depth of calls.
	maxLevel = 3500 * (maxDepth + 2)
)

// TooDeep is the panic of an evaluation that recursed without end.
type TooDeep struct{ Module string }

func (e TooDeep) Error() string {
	return fmt.Sprintf("the evaluation of %s nests more than %d levels deep", e.Module, maxLevel)
}

// followed is maxFollowed but for tests.
var followed = maxFollowed

// FollowWithoutBound switches the bound of references off until the function that it
// returns is called: for tests of what catches a recursion that has no bound.
//
//unused:keep the engine tries what catches a recursion that has no bound
func FollowWithoutBound() (restore func()) {
	followed = maxLevel
	return func() { followed = maxFollowed }
}

// follow goes one reference deeper; false where that is too deep. Whoever was let in
// calls back on the way out.
func (in *interp) follow() bool {
	if in.following >= followed {
		in.res.Stats.DepthHits++
		return false
	}
	in.following++
	in.deeper()
	return true
}

func (in *interp) back() {
	in.following--
	in.level--
}

// deeper notes one more level of the recursion; whoever notes one takes it off again.
func (in *interp) deeper() {
	if in.level++; in.level > maxLevel {
		panic(TooDeep{in.cfg.Module.Name})
	}
}
