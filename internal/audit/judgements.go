package audit

import (
	"fmt"
	"maps"
	"slices"

	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/words"
)

// strayJudgements says which judgements are of steps at which no checkpoint was saved: nothing
// can be taken there, and a typing error would go unseen.
func (e *evidence) strayJudgements() []string {
	if len(e.run.Checkpoints) == 0 {
		return nil
	}
	saved, stray, n := map[int64]bool{}, map[int64]bool{}, 0
	for _, c := range e.run.Checkpoints {
		saved[c.Step] = true
	}
	note := func(step int64) {
		if !saved[step] && step > e.first { // the policy that training began with is judged, and not saved
			stray[step], n = true, n+1
		}
	}
	for _, p := range e.run.Judgements.Preferences {
		note(p.Step)
	}
	for _, s := range e.run.Judgements.Scores {
		note(s.Step)
	}
	if len(stray) == 0 {
		return nil
	}
	steps := slices.Sorted(maps.Keys(stray))
	where := fmt.Sprintf("step %d", steps[0])
	if len(steps) > 1 {
		where = fmt.Sprintf("%d steps from %d to %d", len(steps), steps[0], steps[len(steps)-1])
	}
	return []string{fmt.Sprintf("%s of %s, where no checkpoint was saved, so they choose none", words.CountOf(n, "judgement is", "judgements are"), where)}
}

// scale is what a rater's scores spread over, and what was scored.
type scale struct {
	low, high float64
	scored    map[comparison]bool
}

// apart says whether scores of two raters cannot be put together: their ranges do not meet, or
// one is far wider, and they did not score the same, so that who scored decides who wins.
func (s scale) apart(o scale) bool {
	wide, narrow := max(s.high-s.low, o.high-o.low), min(s.high-s.low, o.high-o.low)
	differs := s.low > o.high || o.low > s.high || wide > 4*narrow
	return differs && min(len(s.scored), len(o.scored)) >= fewestValues && !maps.Equal(s.scored, o.scored)
}

// scales says that raters score on different scales and different things, "" where they do not.
func scales(scores []record.Score) string {
	by := map[string]scale{}
	for _, s := range scores {
		r, known := by[s.Rater]
		if !known {
			r = scale{s.Value, s.Value, map[comparison]bool{}}
		}
		r.low, r.high = min(r.low, s.Value), max(r.high, s.Value)
		r.scored[comparison{s.Step, base, s.Prompt}] = true
		by[s.Rater] = r
	}
	raters := slices.Sorted(maps.Keys(by))
	for i, a := range raters {
		for _, b := range raters[i+1:] {
			if x, y := by[a], by[b]; x.apart(y) {
				return fmt.Sprintf("scores are left out: %s scores from %s to %s and %s from %s to %s, and not the same answers, so that who scored would decide; let each score all, or write scores on one scale",
					name(a), short(x.low), short(x.high), name(b), short(y.low), short(y.high))
			}
		}
	}
	return ""
}
