package roles

import (
	"math"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// # The distribution that acts, and the one that scores
//
// The ratio of a clipped objective compares log-probabilities that the update computes with those that were kept when the policy acted. Both have
// to be of one distribution: what stands between the network's scores and the distribution, a temperature or a mask of actions that
// are not allowed, stands there in both, or the ratio is not 1 before the first step.

// Scoring is the ratio of a clipped objective of which both sides were followed to the scores of a network.
type Scoring struct {
	// Now is the log-probability in the update, Then the one that was kept.
	Now, Then query.Seen
	// Of are what stands between the network and either of them.
	OfNow, OfThen Between
}

// Between is what stands between the scores of a network and a distribution.
type Between struct {
	// Temperature is what the scores are divided by, if that is a number other than 1.
	Temperature query.Seen
	// Mask is the operation that keeps some actions from being drawn.
	Mask query.Seen
}

// Scorings returns the ratios of which both sides are known.
func (m *Model) Scorings() (out []Scoring) {
	for _, s := range m.Surrogates() {
		d := s.Ratio.Exponent().Difference()
		if s.Exp || !s.AroundOne() || !d.Known() || len(d.In) < 2 {
			continue
		}
		now := d.Input(0).Unreduced()
		ofNow, ok := between(now)
		if !ok {
			continue
		}
		for _, slot := range m.SlotsOf(d.In[1]) {
			for _, w := range slot.Writes {
				then := m.g.See(w.Val).Unreduced()
				if ofThen, ok := between(then); ok && then.Q.Grad == domain.Detached {
					out = append(out, Scoring{Now: now, Then: then, OfNow: ofNow, OfThen: ofThen})
				}
			}
		}
	}
	return out
}

// between follows a log-probability back to the scores that a layer yields; ok is false where it does not get there.
func between(logp query.Seen) (b Between, ok bool) {
	x := scoresOf(logp)
	for range 12 {
		x = x.Strip()
		switch {
		case !x.Known():
			return b, false
		case strings.HasSuffix(x.Op, ".Linear.__call__"):
			return b, true
		case len(x.In) == 0 || x.In[0] == nil:
			return b, false
		case x.IsOp("div", "truediv") && len(x.In) > 1 && x.In[1] != nil && x.Input(1).Q.Grad != domain.Attached:
			t, known := x.Input(1).Float()
			if !known {
				return b, false
			}
			if math.Abs(t-1) > 1e-3 {
				b.Temperature = x.Input(1)
			}
		case x.IsOp("masked_fill", "masked_fill_"):
			b.Mask = x
		case x.IsOp("where") && len(x.In) > 2 && x.In[1] != nil:
			b.Mask, x = x, x.Input(1)
			continue
		default:
			return b, false
		}
		x = x.Input(0)
	}
	return b, false
}

// scoresOf are the scores, logits, of which a log-probability is made; no value where that is not seen.
func scoresOf(logp query.Seen) query.Seen {
	switch {
	case !logp.Known() || len(logp.In) == 0:
		return query.Seen{}
	case logp.IsOp("log_prob"):
		d := logp.Input(0).Strip()
		if !d.Known() || !d.IsOp("Categorical") {
			return query.Seen{}
		}
		if logits := d.Arg("logits"); logits != nil && !logits.IsNone() {
			return d.Of(logits)
		}
		return unsoftened(d.Of(d.Arg("probs")))
	case logp.IsOp("gather", "take_along_dim", infer.OpItem):
		return unsoftened(logp.Input(0))
	}
	return query.Seen{}
}

// unsoftened is what a softmax or its logarithm is of.
func unsoftened(s query.Seen) query.Seen {
	if s = s.Strip(); s.Known() && s.IsOp("softmax", "log_softmax") && len(s.In) > 0 {
		return s.Input(0)
	}
	return query.Seen{}
}
