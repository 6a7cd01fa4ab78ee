package audit

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"

	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/words"
)

// # Parts of the reward
//
// Where several reward functions are added up, the sum rises as well when one is given up for
// another: the format of an answer for its truth. A part fell where its windowed mean is surely
// below half of what it began with, and beyond the noise that it had then. That counts while the
// sum is surely above what it began with. What a part is worth in the sum is not logged, and
// giving up some of one may be meant: that warns. What is left below a fifth alerts, but not of
// a part that by its name is a price, such as one for being short.

// price are the words of parts that good answers may cost.
var price = regexp.MustCompile(`(?i)length|short|brev|brief|concise|cost|penalt|token|speed|bonus|explor|entropy|kl`)

const (
	partHalf, partLost = 0.5, 0.2
	basisParts         = "our choice: 1/2 and 1/5 of the start, and four standard deviations of the start"
	partsHelp          = "raise its weight, or take an earlier checkpoint"
)

// rewardComponents finds a part of the reward that falls while the sum rises.
func rewardComponents(e *evidence) Signal {
	total, ok := e.reward()
	parts := e.rewardParts()
	if !ok || len(parts) == 0 {
		return unknown("the reward functions are not logged separately; if there are several, log the mean of each")
	}
	s := Signal{Level: OK, Unit: record.Share, Threshold: border{at: partHalf, below: true}.String(), Basis: basisParts}
	s.Borders = []Border{{Warn, partHalf}, {Alert, partLost}}
	s.Note = fmt.Sprintf("none of %s lost half of its starting value while the reward rose", words.Count(len(parts), "reward function"))
	up := spansOf(exceeds(total, total.start.mean+certain*total.start.stderr(), 1))
	for _, c := range parts {
		if found := given(s, c, up); worse(found, s) || found.Level == s.Level && found.Value != nil && (s.Value == nil || *found.Value < *s.Value) {
			s = found
			s.Note += fmt.Sprintf(" while the reward rose from %s to %s%s", short(total.start.mean), short(ending(total)), gainer(parts, c))
			s.Why = "the policy gives up this part to gain the others"
			s.Help = fmt.Sprintf("%s; if this part is what you want, judge by it with --metric %s=held_out", partsHelp, c.name)
		}
	}
	return s
}

// given judges one part over the spans in which the sum is up; it is s where the part did not fall.
func given(s Signal, c curve, up []Span) Signal {
	if !(c.start.mean > 0) || c.tooFew() != "" {
		return s
	}
	left := c.share()
	noise := 1 - certain*left.start.std
	if left.errors != nil {
		noise = 1 - certain*left.start.stderr()
	}
	for _, b := range []border{warnUnder(min(partHalf, noise)), alertUnder(min(partLost, noise))} {
		fallen := exceeds(left, b.at, -1)
		spans := overlaps(spansOf(fallen), up)
		if len(spans) == 0 || b.level == Alert && price.MatchString(c.name) {
			continue
		}
		least := slices.MinFunc(fallen, func(a, b excess) int { return cmp.Compare(a.worst, b.worst) })
		step := spans[0].From
		s.Level, s.Step, s.Value, s.Threshold, s.Curve = b.level, &step, &least.worst, b.String(), left.points
		s.Note = fmt.Sprintf("%s fell to %s %% of its starting value (%s to %s) from step %d on,", c.name, short(100*least.worst), short(c.start.mean), short(least.worst*c.start.mean), step)
		if b.level == Alert {
			s.Spans = spans
		}
	}
	return s
}

// gainer names the part that rose most, "" where none did.
func gainer(parts []curve, lost curve) string {
	most, words := 0.0, ""
	for _, c := range parts {
		if gain := ending(c) - c.start.mean; c.name != lost.name && gain > most {
			most, words = gain, fmt.Sprintf(" (%s: %s to %s)", c.name, short(c.start.mean), short(ending(c)))
		}
	}
	return words
}

func ending(c curve) float64 {
	v, _ := last(c)
	return v
}

// stderr is that of the start's mean.
func (s start) stderr() float64 {
	if !(s.std > 0) {
		return 0
	}
	return s.std / math.Sqrt(float64(s.n))
}

// rewardParts are the means of the reward functions: as logged, else of the completions where
// these have several, in the order of their names.
func (e *evidence) rewardParts() (parts []curve) {
	for _, s := range e.series {
		if s.Quantity == record.RewardPart && !s.Evaluation && len(s.Points) > 0 {
			parts = append(parts, fromSeries(s, e.early()))
		}
	}
	if len(parts) == 0 {
		parts = e.texts.rewardParts()
	}
	slices.SortStableFunc(parts, func(a, b curve) int { return cmp.Compare(a.name, b.name) })
	return parts
}

// rewardParts are the means of what each reward function gave to the completions.
func (t *texts) rewardParts() (parts []curve) {
	named := map[string]bool{}
	for _, s := range t.steps {
		for _, c := range s.completions {
			for name := range c.Rewards {
				named[name] = true
			}
		}
	}
	delete(named, "reward")
	if len(named) < 2 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		q := textQuantity{name: name, unit: record.Points, value: func(_ *texts, c record.Completion) float64 {
			if v, ok := c.Rewards[name]; ok {
				return v
			}
			return math.NaN()
		}}
		if c := t.measured(q, t.steps); len(c.points) > 0 {
			parts = append(parts, c)
		}
	}
	return parts
}

// overlaps are the stretches that are in a span of each list; both are ascending.
func overlaps(a, b []Span) (both []Span) {
	for _, x := range a {
		for _, y := range b {
			from, to := max(x.From, y.From), sooner(x.To, y.To)
			if to < 0 || from <= to {
				both = append(both, Span{From: from, To: to})
			}
		}
	}
	return both
}

// sooner is the earlier end of two spans.
func sooner(a, b int64) int64 {
	if a < 0 || b >= 0 && b < a {
		return b
	}
	return a
}
