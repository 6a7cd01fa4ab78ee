// Package logofsoftmax is rule GRAD010, log-of-softmax; rule.md says what it finds.
package logofsoftmax

import (
	_ "embed"
	"math"
	"slices"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports logs of probabilities from a network's softmax or sigmoid.
var Analyzer = pass.Rule(Doc, run)

// A sigmoid counts also where nothing tells whether gradients flow: its logarithm is hardly ever taken but for a loss.
func run(p *pass.Pass) {
	for _, log := range p.Ops("torch.log", "torch.log1p") {
		if len(log.In) == 0 || log.NoGrad || log.Q.Grad == domain.Detached {
			continue
		}
		squashed, negated := squashedIn(log)
		if squashed != nil && (squashed.IsOp("sigmoid") || p.Roles.Differentiates(log)) && !log.In[0].Q.Range.NonZero && isUsed(p, log) && !p.CutOff(log) && !inEntropy(p, log) {
			report(p, log, squashed, negated)
		}
	}
}

// squashedIn returns the softmax or sigmoid that log is taken of; negated means that it is
// the log of the complement, log(1 - sigmoid(x)).
func squashedIn(log *infer.Val) (squashed *infer.Val, negated bool) {
	x := query.Whole(log.In[0])
	switch {
	case x == nil:
	case log.IsOp("log1p"):
		if x.IsOp("neg") && len(x.In) > 0 {
			squashed = softmaxOf(x.In[0])
		}
		return onlySigmoid(squashed), true
	case x.IsOp("sub") && len(x.In) > 1:
		if one, ok := x.In[0].Float(); ok && one == 1 {
			squashed = softmaxOf(x.In[1])
		}
		return onlySigmoid(squashed), true
	}
	return softmaxOf(x), false
}

// softmaxOf returns the softmax or sigmoid that v is, through views; nil if v is something
// else, or if its logits are bounded so that it cannot underflow.
func softmaxOf(v *infer.Val) *infer.Val {
	v = otherRows(query.Whole(v))
	if v == nil || !v.IsOp("softmax", "sigmoid", "softmin") || len(v.In) == 0 || v.In[0] == nil {
		return nil
	}
	if isBounded(v.In[0]) {
		return nil
	}
	return v
}

// wide is how far the logits of a softmax may be apart before a probability is 0 in float32: the smallest of its numbers is e to the -103.
const wide = 80

// isBounded reports whether the logits cannot come so far apart: they are in a range of the order of 1, a number times such a range, or
// clamped between two numbers. A temperature that is not known leaves cosines near enough: no one divides them by less than 1/40.
func isBounded(logits *infer.Val) bool {
	for x := logits; x != nil; x = infer.Through(x) { // a clamp hands numbers through
		switch {
		case isUnit(x):
			return true
		case x.IsOp("clamp", "clip") && len(x.In) > 2:
			lo, low := x.In[1].Float()
			hi, high := x.In[2].Float()
			return low && high && hi-lo <= wide
		case isCosine(x):
			return true
		case x.IsOp("mul") && len(x.In) > 1:
			for i, f := range x.In[:2] {
				if isTimes(x.In[1-i], f, func(by float64) float64 { return by }) {
					return true
				}
			}
			return false
		case x.IsOp("div") && len(x.In) > 1:
			return isTimes(x.In[0], x.In[1], func(by float64) float64 { return 1 / by })
		}
	}
	return false
}

// isTimes reports whether logits that are x times a factor made of f are bounded.
func isTimes(x, f *infer.Val, factor func(float64) float64) bool {
	if x == nil {
		return false
	}
	by, known := f.Float()
	if known && math.Abs(factor(by)) > wide/2 {
		return false
	}
	return isCosine(x) || known && isUnit(x)
}

func isUnit(v *infer.Val) bool { return v.Q.Range.Lo > domain.NegInf && v.Q.Range.Hi < domain.PosInf }

// isCosine reports whether v holds products of vectors of length 1, however these are turned.
func isCosine(v *infer.Val) bool {
	v = query.Whole(v)
	return v != nil && (v.IsOp("cosine_similarity") || v.IsOp("matmul") && len(v.In) > 1 && isNormalized(v.In[0]) && isNormalized(v.In[1]))
}

func isNormalized(v *infer.Val) bool {
	for range 4 {
		if v = query.Whole(v); v == nil || !v.IsOp("t", "transpose", "permute", "detach") || len(v.In) == 0 {
			break
		}
		v = v.In[0]
	}
	return v != nil && v.IsOp("normalize")
}

// otherRows takes off an index on the axes before that of a softmax: p[rows, action] of p of dim 2 holds all of some
// distributions, where p[rows, action] of dim 1 holds the probabilities of actions that were drawn, which are not 0.
func otherRows(v *infer.Val) *infer.Val {
	if v == nil || v.Op != infer.OpItem || len(v.In) < 2 || v.In[1] == nil {
		return v
	}
	soft := query.Whole(v.In[0])
	if soft == nil || !soft.IsOp("softmax") || movesAxes(v.In[0], soft) {
		return v
	}
	taken := int64(1)
	if seq, ok := v.In[1].Ref.(*infer.SeqRef); ok && !seq.List {
		taken = int64(len(seq.Elems))
	}
	if dim, ok := soft.Arg("dim").Int(); ok && dim >= taken {
		return soft
	}
	return v
}

// movesAxes reports whether a view between v and what it is a view of may have other axes.
func movesAxes(v, of *infer.Val) bool {
	for v != nil && v != of {
		if v.IsOp("squeeze", "unsqueeze", "view", "reshape", "flatten", "transpose", "permute", "t", infer.OpItem) {
			return true
		}
		v = infer.Through(v)
	}
	return false
}

// onlySigmoid drops a softmax: the complement of one class of several has no short form.
func onlySigmoid(v *infer.Val) *infer.Val {
	if v != nil && v.IsOp("sigmoid") {
		return v
	}
	return nil
}

// inEntropy reports whether the log is that of p * log p with a p of exactly 0: that is
// GRAD011, which says what to do about the zeros.
func inEntropy(p *pass.Pass, log *infer.Val) bool {
	for _, use := range p.UsesOf(log) {
		if _, ok := p.ZeroTimesLog(use); ok {
			return true
		}
	}
	return false
}

func report(p *pass.Pass, log, squashed *infer.Val, negated bool) {
	src := p.In(log.Frame)
	if src == nil || log.Node == nil {
		return
	}
	f := pass.At(log, squashed)
	why := "the softmax underflows for an unlikely class"
	f.Message, f.Help = "log of a softmax that can be zero", "use `log_softmax` of the logits"
	switch {
	case negated:
		why = "the sigmoid rounds to 1 for logits above 17"
		f.Message, f.Help = "log of 1 - sigmoid, which can be zero", "use `logsigmoid` of the negated logits"
	case squashed.IsOp("sigmoid"):
		why = "the sigmoid underflows for very negative logits"
		f.Message, f.Help = "log of a sigmoid that can be zero", "use `logsigmoid` of the logits"
	}
	f.Why = why + ": the log is -inf and its gradient NaN"
	if text, imports := p.LogSoftmax(squashed, log, negated); text != "" && ofNothingElse(log.In[0], squashed) {
		f.Fix = &pass.Fix{Message: "Compute the log and the softmax or sigmoid in one step", EveryContext: true, Edits: src.Replace(log.Node, text), Imports: imports}
	}
	f.Severity = severity(p, log)
	p.Report(f)
}

// ofNothingElse reports whether the argument of a logarithm is the squashed value or its
// complement, without a view between, which a fix would lose.
func ofNothingElse(arg, squashed *infer.Val) bool {
	return arg == squashed || slices.Contains(arg.In, squashed) && arg.IsOp("sub", "neg")
}

// isUsed reports whether anything through which gradients flow is made of v, or its
// function returns it.
func isUsed(p *pass.Pass, v *infer.Val) bool {
	if slices.ContainsFunc(p.UsesOf(v), func(u *infer.Val) bool { return u.Q.Grad != domain.Detached }) {
		return true
	}
	found := false
	infer.Walk(v.Frame.Result, 200, func(r *infer.Val) bool {
		found = found || r == v
		return !found && r.Q.Grad != domain.Detached
	})
	return found
}

// severity is a note where the program computes losses, and no gradient of any flows through the log, as where it is only logged.
func severity(p *pass.Pass, log *infer.Val) finding.Severity {
	if p.Roles.MissesLosses(log) {
		return finding.Note
	}
	return ""
}
