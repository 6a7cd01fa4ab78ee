package audit

import (
	"maps"
	"slices"

	"github.com/rlvet/rlvet/internal/audit/measure"
	"github.com/rlvet/rlvet/internal/audit/record"
)

// arena is what comparisons of checkpoints with each other say of them, and those with the base
// where there are some: the chance to win against the base, or else against a checkpoint of
// mean strength.
type arena struct {
	players []int64 // the steps; base for the base model
	based   bool
	fit     measure.Arena
}

// base is the player that is no checkpoint.
const base = int64(-1)

// arena ranks the checkpoints; it is nil where none were compared with each other, and, with the
// reason, where the comparisons do not rank them.
func (e *evidence) arena() (*arena, string) {
	a := &arena{}
	games := map[string][]record.Preference{}
	for _, p := range e.run.Judgements.Preferences {
		a.players = append(a.players, p.Step, against(p))
		games[p.Prompt] = append(games[p.Prompt], p)
	}
	if !slices.ContainsFunc(e.run.Judgements.Preferences, func(p record.Preference) bool { return p.Against != nil }) {
		return nil, ""
	}
	slices.Sort(a.players)
	a.players = slices.Compact(a.players)
	a.based = a.players[0] == base
	var prompts [][]measure.Game
	for _, prompt := range slices.Sorted(maps.Keys(games)) {
		var of []measure.Game
		for _, p := range games[prompt] {
			of = append(of, measure.Game{First: a.player(p.Step), Second: a.player(against(p)), Won: float64(p.Outcome-record.Loss) / 2})
		}
		prompts = append(prompts, of)
	}
	var err error
	if a.fit, err = measure.ArenaOf(prompts, len(a.players), e.rounds(), 0); err != nil {
		return nil, "the comparisons of checkpoints with each other do not rank them: from each a chain of wins or ties has to lead to each other one; compare more of them, or on more prompts"
	}
	return a, ""
}

func against(p record.Preference) int64 {
	if p.Against == nil {
		return base
	}
	return *p.Against
}

func (a *arena) player(step int64) int {
	i, _ := slices.BinarySearch(a.players, step)
	return i
}

// chance is that of a player to win, by the strengths of all.
func (a *arena) chance(player int) func([]float64) float64 {
	return func(strengths []float64) float64 {
		if a.based {
			return measure.Chance(strengths[player], strengths[0])
		}
		return measure.Chance(strengths[player], 0) // their mean is 0
	}
}

func (a *arena) name() string { return "arena_win_rate" }

func (a *arena) scores() (steps []int64, values []float64) {
	for i, step := range a.players {
		if step != base {
			steps, values = append(steps, step), append(values, a.chance(i)(a.fit.Strengths))
		}
	}
	return steps, values
}

func (a *arena) at(step int64) (Metric, bool) {
	if step == base || !slices.Contains(a.players, step) {
		return Metric{}, false
	}
	return metricOf(a.fit.Interval(a.chance(a.player(step))), record.Share), true
}

// less takes both from one resample, in which the prompts are the same.
func (a *arena) less(x, y int64) (Metric, bool) {
	if !slices.Contains(a.players, x) || !slices.Contains(a.players, y) {
		return Metric{}, false
	}
	of, other := a.chance(a.player(x)), a.chance(a.player(y))
	return metricOf(a.fit.Interval(func(b []float64) float64 { return of(b) - other(b) }), record.Share), true
}

func (a *arena) paired(x, y int64) bool { return true }

func (a *arena) noise() measure.Noise { return measure.Noise{} }

func (a *arena) freedom(m Metric) float64 { return float64(m.N - 1) }

// preference says whether the chance is one to win against the base.
func (a *arena) preference() bool { return a.based }
