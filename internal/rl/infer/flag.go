package infer

import "github.com/rlvet/rlvet/internal/rl/domain"

// Flags by branches: `mask = 1`, then `if done: mask = 0`, is 1 - done. What is chosen is a constant, and what it says stands
// in the condition alone, so phi is told which one chose.

// flags are the conditions of which a 1 or a 0 is the same flag: how an episode ended. Of other comparisons a number may be
// chosen that is a weight or a setting.
const flags = domain.Done | domain.Terminated | domain.Truncated

// by runs join, which joins what the two branches of a condition yield.
func (in *interp) by(cond *Val, join func()) {
	outer := in.chosenBy
	in.chosenBy = cond
	join()
	in.chosenBy = outer
}

// flagOf is the quantity of what is 1 where a condition on a flag holds and 0 elsewhere, or the other way round; ok is false
// for anything else.
func flagOf(cond, then, els *Val) (q domain.Value, ok bool) {
	if cond == nil || !cond.Is(flags) {
		return q, false
	}
	x, number := then.Float()
	y, number2 := els.Float()
	if !number || !number2 || x+y != 1 || x*y != 0 {
		return q, false
	}
	q = cond.Q
	if x == 0 {
		q.Kind = domain.Mask
	}
	return q, true
}
