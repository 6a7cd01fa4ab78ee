// Package countdividedtwice is rule TOK026, count-divided-twice; rule.md says what it finds.
package countdividedtwice

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

// Analyzer reports masked means that are divided by the number of ones of their mask once more.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Ops("torch.div") {
		for _, s := range p.Paths(v) {
			mean, ok := twice(s)
			if !ok || isError(p, s) {
				continue
			}
			f := pass.At(v, mean.Under[0].Val)
			f.Related = p.Here(mean.At.Val, "this is a mean under the mask already")
			f.Evidence = domain.Derived
			p.Report(f)
			break
		}
	}
}

// twice reads s as a mean under a mask that is divided by the ones of the same mask, along the same dimension.
func twice(s query.Seen) (query.Reduction, bool) {
	by := query.Unguarded(s.Input(1))
	if !by.Known() || !by.IsOp("sum", "count_nonzero") || len(by.In) == 0 {
		return query.Reduction{}, false
	}
	ones, is := query.MaskOf(by.Input(0))
	list := branches(s.Input(0))
	for _, x := range list {
		mean, ok := query.UnsignedReductionOf(orZero(x))
		if !ok || !isMean(mean) || len(mean.Under) == 0 || mean.At.Val == s.Val || !sameDim(by.Of(by.Arg("dim")), mean.Sum.Of(mean.Sum.Arg("dim"))) {
			continue
		}
		if len(list) > 1 && mean.At.Frame == s.Frame {
			continue // chosen here, so the same choice may say whether to divide
		}
		if m := mean.Under[0]; is && ones.Not == m.Not && ones.Same(m.Seen) {
			return mean, true
		}
	}
	return query.Reduction{}, false
}

// isError reports whether a quotient is a variance over its count, or has its root taken: how far the mean may be off.
func isError(p *pass.Pass, s query.Seen) bool {
	if _, ok := s.Input(0).VarianceOf(); ok {
		return true
	}
	return slices.ContainsFunc(p.UsesOf(s.Val), func(u *infer.Val) bool {
		half := u.IsOp("pow") && len(u.In) > 1
		if half {
			by, _ := u.In[1].Float()
			half = by == 0.5
		}
		return half || u.IsOp("sqrt", "rsqrt")
	})
}

// isMean reports whether a reduction is a mean: over what its mask lets through, or over all elements.
func isMean(r query.Reduction) bool {
	return r.By == query.ByMask || r.By == query.ByElements && r.At.IsOp("mean")
}

// branches are the values of which s is one: a helper may return a mean of all, or of each row, and its divisor tells which.
func branches(s query.Seen) []query.Seen {
	x := s.Strip()
	if !x.Known() || !x.IsOp(infer.OpPhi) {
		return []query.Seen{s}
	}
	var out []query.Seen
	for i := range x.In {
		out = append(out, x.Input(i))
	}
	return out
}

// orZero is what a choice between a value and zeros chooses else.
func orZero(s query.Seen) query.Seen {
	x := s.Strip()
	if !x.Known() || !x.IsOp("where") || len(x.In) < 3 {
		return s
	}
	for i := 1; i < 3; i++ {
		if other := x.Input(3 - i); other.Known() && other.IsOp("zeros_like", "zeros", "new_zeros") {
			return x.Input(i)
		}
	}
	return s
}

func sameDim(a, b query.Seen) bool {
	none := func(v query.Seen) bool { return !v.Known() || v.IsNone() }
	if none(a) || none(b) {
		return none(a) && none(b)
	}
	x, ok1 := a.Int()
	y, ok2 := b.Int()
	return ok1 && ok2 && x == y
}
