package softmaxwrongdim

import (
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Besides draws, whoever reads a distribution as a whole shows along which axis it lies.

// expectations reports softmaxes of which the expected value is taken along another axis:
// (p * log_p).sum(-1), (p * support).sum(-1).
func expectations(p *pass.Pass) {
	for _, sum := range p.Ops("torch.sum", "torch.nansum") {
		dim, ok := sum.Arg("dim").Int()
		product := signed(sum.Arg("x"))
		if !ok || product == nil {
			continue
		}
		if s, ok := p.SoftmaxOf(selected(product), int(dim), 0); ok && keepsDim(sum) && overFirst(s) && !s.In[0].IsOp("matmul", "mm", "bmm", "einsum") { // slots compete for inputs
			report(p, s, sum, "they are normalised along another dimension here")
		}
		if !product.IsOp("mul") || len(product.In) < 2 {
			continue
		}
		for i, x := range product.In[:2] {
			s, ok := p.SoftmaxOf(x, int(dim), rankOf(product))
			if !ok {
				continue
			}
			over, wrong := elsewhere(s)
			if !single(s) && (wrong && over == 0 || overFirst(s) && ofClasses(p, s, product.In[1-i])) {
				report(p, s, sum, "the expected value is taken along another dimension here")
			}
		}
	}
}

// selected follows a value back through the choice of the likeliest.
func selected(v *infer.Val) *infer.Val {
	for range 8 {
		if v == nil || !v.IsOp("topk", "masked_fill", "scatter", "div") || len(v.In) == 0 {
			break
		}
		v = infer.Strip(v.In[0])
	}
	return v
}

// keepsDim reports whether a sum keeps its axis, to divide by it: each row by its own. Of a vector nobody
// asks for that.
func keepsDim(sum *infer.Val) bool {
	keep := sum.Arg("keepdim")
	return keep != nil && keep.Const == true
}

// ofClasses reports whether x has a number for each class of a distribution: its scores, or
// log-probabilities.
func ofClasses(p *pass.Pass, s query.Softmax, x *infer.Val) bool {
	x = signed(x)
	if x != nil && x.IsOp("sub") && len(x.In) > 1 {
		x = signed(x.In[0])
	}
	_, ok := p.SoftmaxOf(x, -1, 0)
	return ok || x != nil && infer.SameSource(x, s.In[0])
}

// pairs reports the one of two distributions that are compared, or of probabilities and their logarithms,
// that is not over the last axis where the other is.
func pairs(p *pass.Pass) {
	compare := func(at, x, y *infer.Val) {
		a, ok := lastAxis(p, x)
		b, ok2 := lastAxis(p, y)
		if !ok || !ok2 {
			return
		}
		for _, pair := range [][2]query.Softmax{{a, b}, {b, a}} {
			if _, wrong := elsewhere(pair[0]); (wrong || overFirst(pair[0])) && onAxis(pair[1]) {
				report(p, pair[0], at, "here it meets a distribution over the last dimension")
			}
		}
	}
	for _, v := range p.Ops("torch.mul") {
		if len(v.In) < 2 {
			continue
		}
		for i := range 2 {
			prob, log := signed(v.In[i]), signed(v.In[1-i])
			if prob.Is(domain.Prob) && log.Is(domain.LogProb|domain.LogRatio) {
				logs := []*infer.Val{log}
				if log.IsOp("sub") && len(log.In) > 1 {
					logs = log.In[:2]
				}
				for _, log := range logs {
					compare(v, prob, log)
				}
			}
		}
	}
	for _, v := range p.Ops("torch.sub") {
		if len(v.In) > 1 && v.In[0].Is(domain.LogProb) && v.In[1].Is(domain.LogProb) {
			compare(v, v.In[0], v.In[1])
		}
	}
	for _, v := range p.Ops("torch.nn.functional.kl_div") {
		compare(v, v.Arg("input"), v.Arg("target"))
	}
	for _, v := range p.Made("softmax", "log_softmax") {
		ofOneScores(p, v)
	}
}

// ofOneScores reports a softmax over the first axis of scores of which something else takes the logarithm, or
// the distribution, over the last one. Two softmaxes of the same scores over two axes may be meant, as for matching.
func ofOneScores(p *pass.Pass, v *infer.Val) {
	s, ok := p.SoftmaxOf(v, -1, 0)
	if !ok {
		return
	}
	over, wrong := elsewhere(s)
	wrong = wrong && over == 0
	if !wrong && !overFirst(s) {
		return
	}
	for _, other := range p.UsesOf(v.In[0]) {
		last := false
		switch {
		case other.IsOp("softmax", "log_softmax"):
			o, ok := p.SoftmaxOf(other, -1, 0)
			last = ok && onAxis(o) && other.Op != v.Op
		case other.IsOp("logsumexp"):
			d, ok := other.Arg("dim").Int()
			last = ok && d == -1 && v.IsOp("softmax")
		case other.Arg("logits") == v.In[0]:
			last = wrong // a Categorical names no axis: that of a vector is the first
		}
		if last {
			report(p, s, other, "the same scores make a distribution over the last dimension here")
		}
	}
}

// lastAxis is the softmax whose last axis, or another one, the last axis of v is.
func lastAxis(p *pass.Pass, v *infer.Val) (query.Softmax, bool) {
	return p.SoftmaxOf(v, -1, 0)
}

// onAxis reports whether a softmax is over the axis of its use.
func onAxis(s query.Softmax) bool {
	d, ok := s.Arg("dim").Int()
	if !ok {
		return false
	}
	if rank := int(s.In[0].Q.Shape.Rank); rank > 1 {
		return (int(d)+rank)%rank == (s.Axis+rank)%rank
	}
	return int(d) == s.Axis
}

// losses reports log-probabilities over the batch of which those of the targets are taken: the classes lie along
// the second axis. What has one axis has no batch, and hardly anybody asks a loss for it.
func losses(p *pass.Pass) {
	for _, loss := range p.Ops("torch.nn.functional.nll_loss") {
		s, ok := p.SoftmaxOf(loss.Arg("input"), 1, 2)
		if !ok {
			continue
		}
		if _, wrong := elsewhere(s); wrong && s.In[0].Q.Shape.Rank != 1 {
			report(p, s, loss, "the loss takes the classes along another dimension here")
		}
	}
}

// choices reports softmaxes over the first axis of which the likeliest are chosen along another one, or one of all:
// that is an action where there is a single row, of which each probability is then 1.
func choices(p *pass.Pass) {
	for _, choice := range p.Made("argmax", "max", "topk") {
		dim, ok := choice.Arg("dim").Int()
		one := !ok && choice.IsOp("argmax") && choice.Fn != nil && choice.Arg("dim") == nil
		if !ok && !one && !(choice.IsOp("topk") && choice.Arg("dim") == nil) {
			continue
		}
		if !ok {
			dim = -1
		}
		s, ok := p.SoftmaxOf(choice.Arg("x"), int(dim), 0)
		if !ok {
			continue
		}
		if over, wrong := elsewhere(s); wrong && over == 0 && (!one || isScores(s.In[0]) && !single(s)) {
			report(p, s, choice, "the likeliest are chosen along another dimension here")
		}
	}
}

// best reports softmaxes over the first axis of the scores that were chosen along the last one, as of the experts of a token: who has a
// vector writes the same number twice.
func best(p *pass.Pass) {
	for _, v := range p.Made("softmax", "log_softmax") {
		over, ok := v.Arg("dim").Int()
		scores := infer.Strip(v.Arg("x"))
		if !ok || over != 0 || scores == nil || scores.Q.Shape.Rank == 1 || !scores.IsOp("topk") {
			continue
		}
		if along, ok := scores.Arg("dim").Int(); ok && along == -1 {
			report(p, query.Softmax{Val: v, Axis: -1}, scores, "these scores were chosen along the last dimension")
		}
	}
}

// single reports whether there is one score for each row: the rows are what is chosen from.
func single(s query.Softmax) bool {
	last, ok := s.In[0].Q.Shape.Dim(-1)
	return ok && last.N == 1 || isColumnLaidFlat(s.In[0])
}

// isColumnLaidFlat reports whether the axis of one score for each row was taken off: what is left may be a vector, whose first axis is its last.
func isColumnLaidFlat(v *infer.Val) bool {
	for range 4 {
		if v == nil || v.Q.Shape.Rank > 1 || len(v.In) == 0 || v.In[0] == nil || !v.IsOp("squeeze", "masked_fill", "where", "div", "float", "to") {
			return false
		}
		if last, ok := v.In[0].Q.Shape.Dim(-1); ok && last.N == 1 && v.IsOp("squeeze") {
			return true
		}
		v = v.In[0]
	}
	return false
}

// signed follows a value back through views and signs.
func signed(v *infer.Val) *infer.Val {
	v = infer.Strip(v)
	for v != nil && v.IsOp("neg") && len(v.In) > 0 {
		v = infer.Strip(v.In[0])
	}
	return v
}
