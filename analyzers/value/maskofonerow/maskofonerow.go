// Package maskofonerow is rule VAL031, mask-of-one-row; rule.md says what it finds.
package maskofonerow

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports targets of a batch that one transition's flag masks as a whole.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, b := range p.Bellmans() {
		for _, n := range b.Next {
			for _, m := range append(n.Masks, n.Unknown...) {
				if row := rowOf(m); row.Known() && !isRow(n.Value) && !ofRow(b, row) && !isAlone(row) && !acrossFirst(n.Value) {
					f := pass.At(m.Val, row.Val)
					f.Evidence = domain.Derived
					p.Report(f)
				}
			}
		}
	}
}

// rowOf is the element at a number that a mask is, or is 1 less of: the flag of one transition.
func rowOf(mask query.Seen) query.Seen {
	x, bare := mask, true
	if y := mask.Strip(); y.Known() && y.IsOneMinus() {
		x, bare = y.Input(1), false
	}
	if x = element(x); x.Known() && isRow(x) && x.Input(0).Known() && x.Input(0).Strip().Known() && (x.Input(0).IsFlag() || !bare && !x.Input(0).Q.Kind.Known()) && isTensor(x.Input(0)) {
		return x
	}
	return query.Seen{}
}

// element is the first element that a value is, seen through what does not change its numbers; no value where it is none.
func element(s query.Seen) query.Seen {
	for v := s.Val; v != nil; v = infer.Through(v) {
		if v.Op == infer.OpItem {
			return s.Of(v)
		}
	}
	return query.Seen{}
}

// isTensor reports whether a value was made a tensor or array: an element of a list or tuple may be a part of a batch. So is one of an array
// whose axes were exchanged: it is a column of all rows.
func isTensor(s query.Seen) bool {
	for v := s.Val; v != nil && !v.IsOp("transpose", "T", "t", "permute", "swapaxes"); v = infer.Through(v) {
		if v.IsOp("tensor", "as_tensor", "FloatTensor", "BoolTensor", "Tensor", "from_numpy", "array", "asarray", "stack", "float", "unsqueeze", "float32", "to") {
			return true
		}
	}
	return false
}

// isRow reports whether a value is an element of a tensor at a number that is written out.
func isRow(s query.Seen) bool {
	_, ok := number(s)
	return ok && isTensor(element(s).Input(0))
}

// number is the number at which a value is an element.
func number(s query.Seen) (int64, bool) {
	x := element(s)
	if !x.Known() || len(x.In) < 2 || x.In[1] == nil {
		return 0, false
	}
	return x.In[1].Int()
}

// ofRow reports whether the reward is of the flag's transition too, or both are rows of all environments at one step:
// they stand at one number.
func ofRow(b query.Bellman, flag query.Seen) bool {
	at, _ := number(flag)
	return slices.ContainsFunc(b.Rewards, func(r query.Term) bool {
		n, ok := number(r.Seen)
		return ok && n == at || isTensor(element(r.Seen).Input(0)) // rewards[i] is of one agent, or one step
	})
}

// isAlone reports whether there is one flag only: one transition, which became a batch of one.
func isAlone(row query.Seen) bool {
	for v := row.Input(0).Val; v != nil; v = infer.Through(v) {
		if seq, ok := infer.RefOf(v).(*infer.SeqRef); ok && seq.Elem == nil && len(seq.Elems) == 1 {
			return true // made of a list of one
		}
		if first, ok := v.Q.Shape.Dim(0); ok && first.N == 1 {
			return true
		}
	}
	return false
}

// nearReduction bounds the way from a next value back to where it was summed.
const nearReduction = 6

// acrossFirst reports whether a next value is a sum or mean over the first axis: that is not the batch then, but the agents of a team, and the flags at
// one number are those of one agent.
func acrossFirst(value query.Seen) bool {
	return infer.Within(value.Val, nearReduction, func(v *infer.Val) bool {
		axis, ok := v.Arg("dim").Int()
		return v.IsOp("sum", "mean") && ok && axis == 0
	})
}
