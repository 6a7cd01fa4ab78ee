package domain

import (
	"math/bits"
	"strings"
)

// Kind is the set of quantities that a value may be. Zero is "nothing known to
// flow here" (bottom); UnknownKind is "could be anything" (top). A rule reports
// only when a value must be of a kind: Kind.Is.
type Kind uint64

// The quantities of RL mathematics.
const (
	Raw          Kind = 1 << iota // unbounded output of a network
	Logits                        // unnormalised log-probabilities over a last axis
	LogProb                       // log-probability or log-density; densities exceed 1, so no sign is implied
	Prob                          // probabilities
	LogRatio                      // log pi_new(a|s) - log pi_old(a|s)
	Ratio                         // pi_new(a|s) / pi_old(a|s)
	Advantage                     //
	Return                        // discounted return or its estimate
	Reward                        //
	StateValue                    // V(s)
	QValue                        // Q(s, a)
	TDError                       //
	Entropy                       //
	KL                            // divergence, or a per-sample estimate of one
	Mean                          //
	Std                           // standard deviation
	LogStd                        //
	Variance                      //
	Norm                          // vector norm
	Mask                          // validity of tokens or steps
	Done                          // terminated or truncated
	Terminated                    //
	Truncated                     //
	Action                        //
	Observation                   //
	Loss                          //
	TokenIDs                      //
	Noise                         // sample of a centred distribution
	Count                         // number of elements, a size
	Index                         // argmax, argsort, randperm
	Coef                          // hyperparameter: a float that scales a term
	Number                        // plain Python number
	Text                          // str, bytes
	Distribution                  // torch.distributions object
	Optimizer                     //
	Module                        // nn.Module
	Env                           // environment
	Other                         // a value known to be none of the above
	numKinds     = iota
)

// UnknownKind is the top of the lattice.
const UnknownKind Kind = ^Kind(0)

// maxKinds bounds a set: a value that could be five things is not known.
const maxKinds = 4

var kindNames = [numKinds]string{
	"raw", "logits", "log-prob", "prob", "log-ratio", "ratio", "advantage", "return", "reward", "value", "q-value",
	"td-error", "entropy", "kl", "mean", "std", "log-std", "variance", "norm", "mask", "done", "terminated",
	"truncated", "action", "observation", "loss", "tokens", "noise", "count", "index", "coef", "number", "text",
	"distribution", "optimizer", "module", "env", "other",
}

// ParseKind returns the single kind of that name, as tables and reveal marks
// write it; ok is false for an unknown name.
func ParseKind(name string) (k Kind, ok bool) {
	if name == "unknown" {
		return UnknownKind, true
	}
	for i, n := range kindNames {
		if n == name {
			return 1 << i, true
		}
	}
	return 0, false
}

// Known reports whether k is neither bottom nor top.
func (k Kind) Known() bool { return k != 0 && k != UnknownKind }

// Is reports whether a value of kind k must be one of the kinds in want.
func (k Kind) Is(want Kind) bool { return k.Known() && k&^want == 0 }

// May reports whether a value of kind k is known to be possibly one of want.
func (k Kind) May(want Kind) bool { return k.Known() && k&want != 0 }

// Join returns the union, or UnknownKind above four kinds.
func (k Kind) Join(o Kind) Kind {
	u := k | o
	if bits.OnesCount64(uint64(u)) > maxKinds {
		return UnknownKind
	}
	return u
}

// String returns the names joined by '|', "unknown" or "none".
func (k Kind) String() string {
	switch k {
	case 0:
		return "none"
	case UnknownKind:
		return "unknown"
	}
	var names []string
	for i, n := range kindNames {
		if k&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return strings.Join(names, "|")
}
