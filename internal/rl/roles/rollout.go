package roles

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/library"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Rollout is a call that samples text from a language model, and the loss whose
// log-probabilities are of the tokens that it sampled.
type Rollout struct {
	Call *infer.Val
	Loss *Backward
	// Weights are what the log-probabilities are multiplied by in a policy gradient;
	// empty for an objective with a ratio.
	Weights []query.Seen
	// Ratio says that the objective compares two policies on the tokens.
	Ratio bool
	// Reported says that one of the two has the scores that the call itself reports (output_scores of transformers): they are those of the
	// distribution that was drawn from, after temperature and truncation. What output_logits reports is as the model yields it.
	Reported bool
}

// tokenReach bounds a walk from a loss back to what it was computed from.
const tokenReach = 6000

// Rollouts returns the calls of generate whose tokens are trained on by a policy
// gradient: not those that are only scored, or imitated.
func (m *Model) Rollouts() []Rollout { return m.rollouts.get(m.findRollouts) }

func (m *Model) findRollouts() []Rollout {
	var calls []*infer.Val
	for _, v := range m.g.Made("generate") {
		if _, ok := v.Node.(*ast.Call); ok && v.Frame != nil {
			calls = append(calls, v)
		}
	}
	return m.rolloutsOf(calls)
}

// OwnRollouts are as Rollouts, of models that the program itself has write, token by token: Call is what the model says at the last
// position.
func (m *Model) OwnRollouts() []Rollout { return m.rolloutsOf(m.g.NextScores()) }

// rolloutsOf are the rollouts by some calls that losses are about.
func (m *Model) rolloutsOf(calls []*infer.Val) (out []Rollout) {
	for _, l := range m.Backwards {
		for _, call := range calls {
			if r, ok := m.rollout(l, call); ok {
				out = append(out, r)
			}
		}
	}
	return out
}

// rollout finds the term of a loss that is about the tokens of a call.
func (m *Model) rollout(l *Backward, call *infer.Val) (Rollout, bool) {
	for _, t := range m.LossTerms(m.g.See(l.Loss)) {
		if g, ok := t.PolicyGradient(); ok && scored(g.Weights) && indexedBy(g.LogProb.Val, call) {
			return Rollout{Call: call, Loss: l, Weights: g.Weights}, true
		}
		if r := m.ratioIn(t.Val); r != nil && indexedBy(r, call) {
			return Rollout{Call: call, Loss: l, Ratio: true, Reported: usesScores(r, call)}, true
		}
	}
	return Rollout{}, false
}

// scored reports whether one of the weights is a reward or what is made of one: by
// its kind, or because it is compared with its own mean.
func scored(weights []query.Seen) bool {
	return slices.ContainsFunc(weights, func(s query.Seen) bool { return s.Is(query.Scored) || s.IsCentred() })
}

// ratioIn finds the exponential of a log-ratio in what a term was computed from; that of a KL
// is of the policy and its reference.
func (m *Model) ratioIn(v *infer.Val) *infer.Val {
	var found *infer.Val
	infer.Walk(v, tokenReach, func(x *infer.Val) bool {
		if x.IsOp("exp") && x.Is(domain.Ratio) {
			found = x
		}
		return found == nil && !(x.IsOp("add", "sub") && m.g.See(x).IsDivergence())
	})
	return found
}

// usesScores reports whether a ratio was made of the scores that a call reports. The key is that of transformers.
func usesScores(ratio, call *infer.Val) bool {
	return infer.Within(ratio, tokenReach, func(x *infer.Val) bool {
		return x.IsOp(infer.OpItem, infer.OpAttr+".scores") && readName(x) == "scores" && len(x.In) > 0 && infer.Reaches(call, x.In[0], nearCall)
	})
}

// nearCall bounds the way back from what a call reports to the call.
const nearCall = 64

// indexedBy reports whether log-probabilities are picked at the tokens of a call.
func indexedBy(v, call *infer.Val) bool {
	found := false
	infer.Walk(v, tokenReach, func(x *infer.Val) bool {
		if !x.IsOp("gather", "take_along_dim", "selective_log_softmax", "logprobs_from_logits", "cross_entropy", "nll_loss") {
			return !found
		}
		for _, in := range x.In[min(1, len(x.In)):] {
			found = found || in != nil && infer.Reaches(call, in, tokenReach)
		}
		return !found
	})
	return found
}

// Trains reports whether a pick takes scores of what the rollout wrote, by which its loss trains.
func (r Rollout) Trains(pick query.Pick) bool {
	return pick.At.Q.Grad == domain.Attached && infer.Reaches(r.Call, pick.Tokens.Val, tokenReach) && infer.Reaches(pick.At, r.Loss.Loss, tokenReach)
}

// Setting returns the value of a setting of a call that samples: a keyword, an entry
// of a dict that is passed, or an argument of its sampling parameters.
func (m *Model) Setting(v *infer.Val, name string) *infer.Val {
	call, ok := v.Node.(*ast.Call)
	if !ok || v.Frame == nil {
		return nil
	}
	for _, k := range call.Keywords {
		if k.Name == name {
			return v.Frame.Val(k.Value)
		}
		if x := settingIn(v.Frame.Val(k.Value), name); x != nil {
			return x
		}
	}
	for _, a := range call.Args {
		if x := settingIn(v.Frame.Val(a), name); x != nil {
			return x
		}
	}
	return nil
}

// settingIn looks a setting up in sampling parameters.
func settingIn(v *infer.Val, name string) *infer.Val {
	if v == nil {
		return nil
	}
	switch r := v.Ref.(type) {
	case *infer.DictRef:
		return r.Fields[name]
	case *infer.LibObject:
		if configures(r, library.Sampling) {
			return r.Args[name]
		}
	}
	return nil
}

// OnlineTrainers returns the settings of trainers that sample their own rollouts and weigh them by importance
// ratios, where they are made.
func (m *Model) OnlineTrainers() []*infer.Val {
	var out []*infer.Val
	for v := range m.g.Each {
		if o, ok := v.Ref.(*infer.LibObject); ok && configures(o, library.Rollouts) && makes(v) {
			out = append(out, v)
		}
	}
	return out
}

// SettingOf is what an object of settings was built with under a name, or nil.
func SettingOf(v *infer.Val, name string) *infer.Val {
	if o, ok := v.Ref.(*infer.LibObject); ok {
		return o.Args[name]
	}
	return nil
}

// SamplesText reports whether v holds the settings with which a language model samples text.
func SamplesText(v *infer.Val) bool {
	o, ok := v.Ref.(*infer.LibObject)
	return ok && configures(o, library.Sampling)
}

func configures(o *infer.LibObject, what library.Configured) bool {
	return o.Class != nil && o.Class.Configures == what
}
