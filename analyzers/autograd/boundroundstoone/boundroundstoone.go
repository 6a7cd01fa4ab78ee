// Package boundroundstoone is rule GRAD020, bound-rounds-to-one; rule.md says what it finds.
package boundroundstoone

import (
	_ "embed"
	"math"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports bounds that are to keep a value from 1, and are 1 in float32.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if len(p.MentionsOf("set_default_dtype")) > 0 {
		return
	}
	for _, clamp := range p.Ops("torch.clamp", "torch.clamp_max") {
		if clamp.Lib == infer.LibNumpy || len(clamp.In) < 2 {
			continue
		}
		hi := clamp.Arg("hi")
		if hi == nil || !roundsToOne(hi) || query.IsDouble(clamp) {
			continue
		}
		if at := infiniteAtOne(p, clamp, 6); at != nil {
			f := pass.At(clamp)
			f.Evidence = domain.Derived
			f.Related = p.Here(at, "this is infinite at exactly 1")
			p.Report(f)
		}
	}
}

// roundsToOne reports whether a number that is less than 1 is 1 in float32.
func roundsToOne(v *infer.Val) bool {
	x, ok := v.Float()
	return ok && x < 1 && float32(x) == 1
}

// infiniteAtOne returns what is computed of v and is infinite where v is 1: log(1 - v), atanh(v).
func infiniteAtOne(p *pass.Pass, v *infer.Val, depth int) *infer.Val {
	for _, u := range p.UsesOf(v) {
		switch {
		case doubles(u):
		case u.IsOp("atanh", "arctanh", "logit", "erfinv"):
			return u
		case complement(u, v):
			if log := logOf(p, u, 4); log != nil {
				return log
			}
		case depth > 0 && (infer.Through(u) == v || u.Op == infer.OpPhi || squares(u)):
			if at := infiniteAtOne(p, u, depth-1); at != nil {
				return at
			}
		}
	}
	return nil
}

// doubles reports whether u has more digits.
func doubles(u *infer.Val) bool { return u.IsOp("double", "numpy", "astype") }

// squares reports whether u is the square of something: that of 1 is 1.
func squares(u *infer.Val) bool {
	if u.IsOp("square") {
		return true
	}
	if !u.IsOp("pow") || len(u.In) < 2 {
		return false
	}
	n, ok := u.In[1].Float()
	return ok && n == math.Trunc(n) && n > 0
}

// complement reports whether u is 1 - v, or -v in log1p(-v).
func complement(u, v *infer.Val) bool {
	switch {
	case u.IsOp("neg"):
		return true
	case !u.IsOp("sub") || len(u.In) < 2 || u.In[1] != v:
		return false
	}
	one, ok := u.In[0].Float()
	return ok && float32(one) == 1
}

// logOf returns a logarithm of u, without anything added to it.
func logOf(p *pass.Pass, u *infer.Val, depth int) *infer.Val {
	for _, w := range p.UsesOf(u) {
		switch {
		case doubles(w):
		case w.IsOp("log1p") && u.IsOp("neg"), w.IsOp("log", "log2", "log10") && !u.IsOp("neg"):
			return w
		case depth > 0 && query.InPlace(w):
		case depth > 0 && infer.Through(w) == u:
			if at := logOf(p, w, depth-1); at != nil {
				return at
			}
		}
	}
	return nil
}
