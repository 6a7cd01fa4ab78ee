// Package names says what the metrics of known trainers mean: quantity, unit, estimator, and
// what the way they are computed hides.
//
// In go the names that a run logged; out come the trainer that uses them, and a meaning for
// each name. Equal names mean different things at different trainers ("kl", "reward"), so the
// trainer is recognised first, from all names together. Where several trainers fit, a name
// has a meaning only if they agree on it. The tables are data, one file a trainer; what they
// say was read in the trainers' code.
package names

import (
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// Meaning is what a name stands for.
type Meaning struct {
	Quantity record.Quantity // "" for a metric that is known, and is none of them
	Unit     record.Unit
	// Basis says how it is computed, Trap what that hides.
	Basis, Trap string
	// Evaluation says that it was computed on the prompts or episodes of an evaluation.
	Evaluation bool
	// Negated says that the trainer logs it with the other sign.
	Negated bool
	// Rank orders the names of one trainer that mean the same, the best first.
	Rank int
}

// row is a name of a trainer. A "*" in it stands for any text.
type row struct {
	name string
	Meaning
}

// table is what one trainer logs.
type table struct {
	trainer string
	// noRun says of a trainer why what it does is no reinforcement learning; "" where it is.
	noRun string
	// marks are names that this trainer logs and few others do.
	marks []string
	rows  []row
	// idle are names, or patterns, that no signal reads: they are not missing a meaning.
	idle []string
	// environment says that its policies act in environments: there are no texts to judge.
	environment bool
}

// tables are all trainers, the ones to prefer first.
var tables = []*table{
	&grpo, &rloo, &ppo, &oldPPO, &openRLHF, &verl, &tinker,
	&sb3, &cleanRL, &rslRL, &rlGames, &skrl, &rllib, &tianshou, &spinningUp, &baselines,
	&preferences, &supervised,
}

// weak are marks that loops of people's own have too: three of them together tell a trainer.
var weak = []string{"rewards/*", "reward_std", "policy_loss", "entropy_coef", "clip_ratio", "completion_length", "return", "response_length", "total_length"}

// fewestWeak are the weak marks that tell a trainer by themselves.
const fewestWeak = 3

// Trainer is the one that logged a set of names.
type Trainer struct {
	fits []*table // all that fit as well as each other
}

// Canonical strips what loggers put before a trainer's names: transformers' Trainer writes
// "reward" as "train/reward", and "eval_reward" as "eval/reward", to TensorBoard and W&B.
func Canonical(name string) string {
	if short, ok := strings.CutPrefix(name, "train/"); ok {
		return short
	}
	if short, ok := strings.CutPrefix(name, "eval/"); ok {
		return "eval_" + short
	}
	return name
}

// Recognise tells the trainer from the names of its metrics: the one most of whose marks are
// there.
func Recognise(names []string) Trainer {
	var best Trainer
	most := 0
	for _, t := range tables {
		n := t.count(names)
		if n > most {
			best, most = Trainer{}, n
		}
		if n == most && n > 0 {
			best.fits = append(best.fits, t)
		}
	}
	return best
}

// count returns how many of the table's marks are among the names; 0 where they are too weak.
func (t *table) count(names []string) int {
	n, sure := 0, false
	for _, mark := range t.marks {
		if slices.ContainsFunc(names, func(name string) bool { return matches(mark, name) || matches(mark, Canonical(name)) }) {
			n++
			sure = sure || !slices.Contains(weak, mark)
		}
	}
	if !sure && n < fewestWeak {
		return 0
	}
	return n
}

// Name returns the trainer's name, such as "trl grpo"; "trl grpo or trl rloo" where both fit;
// "" where none does, or so many that it says nothing.
func (t Trainer) Name() string {
	if len(t.fits) > 2 {
		return ""
	}
	return strings.Join(t.Candidates(), " or ")
}

// Environment reports whether the policies of every trainer that fits act in environments, as
// in games and robotics, rather than write texts.
func (t Trainer) Environment() bool {
	return len(t.fits) > 0 && !slices.ContainsFunc(t.fits, func(f *table) bool { return !f.environment })
}

// Candidates returns the names of all trainers that fit.
func (t Trainer) Candidates() []string {
	var all []string
	for _, f := range t.fits {
		all = append(all, f.trainer)
	}
	return all
}

// Named returns the trainer with a name, for files that only that one writes.
func Named(name string) Trainer {
	for _, t := range append(tables, &monitor, &evaluations) {
		if t.trainer == name {
			return Trainer{fits: []*table{t}}
		}
	}
	return Trainer{}
}

// NoRun says why a trainer is none of reinforcement learning, or is "".
func (t Trainer) NoRun() string {
	if len(t.fits) != 1 {
		return ""
	}
	return t.fits[0].noRun
}

// Meaning returns what a name means: what all trainers that fit agree on, or else what people
// call so in loops of their own. For an unknown trainer the latter comes first, and then what
// all trainers that know the name agree on.
func (t Trainer) Meaning(name string) (Meaning, bool) {
	if m, ok := own(name); ok {
		return m, true
	}
	p, known := plainly(name)
	if len(t.fits) == 0 && known {
		return p, true
	}
	m, ok := t.agreed(name)
	if !ok && known && !t.Ambiguous(name) {
		return p, true
	}
	return m, ok
}

// agreed is what all trainers that fit agree on, or all there are where none fits.
func (t Trainer) agreed(name string) (Meaning, bool) {
	fits := t.fits
	if len(fits) == 0 {
		fits = tables
	}
	var meaning Meaning
	found := false
	for _, f := range fits {
		m, ok := f.meaning(name)
		switch {
		case !ok && len(t.fits) > 0:
			return Meaning{}, false
		case !ok:
		case found && !m.agrees(meaning):
			return Meaning{}, false
		case found:
			meaning = meaning.common(m)
		default:
			meaning, found = m, true
		}
	}
	return meaning, found
}

// agrees reports whether two trainers mean the same, however they compute it.
func (m Meaning) agrees(other Meaning) bool {
	return m.Quantity == other.Quantity && m.Unit == other.Unit && m.Negated == other.Negated && m.Evaluation == other.Evaluation
}

// common is what two trainers that agree both say.
func (m Meaning) common(other Meaning) Meaning {
	if m.Basis != other.Basis {
		m.Basis = ""
	}
	if m.Trap != other.Trap {
		m.Trap = ""
	}
	return m
}

// meaning looks a name up as it is, then without the logger's prefix, then as the copy of a
// metric that an evaluation logs.
func (t *table) meaning(name string) (Meaning, bool) {
	for _, n := range []string{name, Canonical(name)} {
		if m, ok := t.find(n); ok {
			return m, true
		}
	}
	short, ok := strings.CutPrefix(Canonical(name), "eval_")
	if !ok {
		return Meaning{}, false
	}
	m, ok := t.find(short)
	m.Evaluation = true
	return m, ok
}

// Ambiguous reports whether several trainers that fit know a name and mean different things.
func (t Trainer) Ambiguous(name string) bool {
	fits := t.fits
	if len(fits) == 0 {
		fits = tables
	}
	n := 0
	for _, f := range fits {
		if m, ok := f.meaning(name); ok && m.Quantity != "" {
			n++
		}
	}
	_, agreed := t.agreed(name)
	return n > 1 && !agreed
}

// Idle reports whether a name is one that a trainer that fits logs, and that no signal reads.
func (t Trainer) Idle(name string) bool {
	return slices.ContainsFunc(t.fits, func(f *table) bool {
		m, known := f.meaning(name)
		return known && m.Quantity == "" || slices.ContainsFunc(f.idle, func(p string) bool { return matches(p, name) || matches(p, Canonical(name)) })
	})
}

func (t *table) find(name string) (Meaning, bool) {
	for i, r := range t.rows {
		if matches(r.name, name) {
			r.Rank = i
			return r.Meaning, true
		}
	}
	return Meaning{}, false
}

// Known reports whether some trainer logs a name.
func Known(name string) bool {
	if _, ok := own(name); ok {
		return true
	}
	if _, ok := plainly(name); ok {
		return true
	}
	return slices.ContainsFunc(tables, func(t *table) bool {
		_, ok := t.meaning(name)
		return ok
	})
}

// matches reports whether a name fits a pattern with at most one "*".
func matches(pattern, name string) bool {
	before, after, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == name
	}
	return len(name) > len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}
