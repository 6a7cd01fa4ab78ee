package audit

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/words"
)

// # What may not be finite
//
// A loss, a divergence or a ratio is finite in every sound run, where its name is known: one
// value is enough. Other metrics may be NaN for a good reason: the reward of an environment
// before an episode ended, the explained variance of returns that are all equal, a column that is
// filled in every tenth row. What was finite in nearly every row and then is not, row after
// row, broke (record.Series.Broke): of a loss or a gradient norm, whatever its name, that alerts.
// The rest is told, and accuses nobody. A null is no NaN, but some loggers write it for one: what was a
// number in nearly every row and then is null, row after row (record.Series.Gone), warns.

// notANumber are the quantities that are finite in every sound run. Gradient norms overflow now
// and then where mixed precision finds its scale.
var notANumber = []record.Quantity{record.PolicyLoss, record.ValueLoss, record.KLReference, record.ApproxKL, record.Ratio, record.Entropy}

var (
	// losses are names of what training minimises, behind the last slash.
	losses = regexp.MustCompile(`(?i)(^|/)(train_|total_|policy_|pg_|actor_|act_|value_|vf_|critic_)?loss(/(mean|avg))?$`)
	// theLoss is the one of all terms together, by the names of trainers that log nothing else so.
	theLoss = regexp.MustCompile(`^(train/)?(total_)?loss$`)
	// alike are the words of what else ends with the weights.
	alike = regexp.MustCompile(`(?i)(^|[^a-z])(loss|kl|entropy|grad(ient)?[_ ]?norm|importance[a-z_ ]*ratio)([^a-z]|$)`)
	// ofEvaluation are the words of what only some rows have.
	ofEvaluation = regexp.MustCompile(`(?i)(^|[^a-z])(eval(uation)?|val(id(ation)?)?|test)([^a-z]|$)`)
)

// breakage is a series with values that are not finite: how bad that is, and since when.
type breakage struct {
	series *record.Series
	level  Level // Unknown where there may be a good reason
	since  int64
	// missing says that the values are null, and may have been anything.
	missing bool
}

// breakages are the series that have values that are not finite.
func (e *evidence) breakages() (found []breakage) {
	for _, s := range e.series {
		if s.NonFinite > 0 {
			found = append(found, breakageOf(s))
		} else if s.Gone >= 0 && (slices.Contains(notANumber, s.Quantity) || s.Quantity == record.GradientNorm || losses.MatchString(s.Name)) && !s.Evaluation && !ofEvaluation.MatchString(s.Name) {
			found = append(found, breakage{s, Warn, s.Gone, true})
		}
	}
	return found
}

func breakageOf(s *record.Series) breakage {
	b := breakage{series: s, level: Unknown, since: s.FirstNonFinite}
	norm := s.Quantity == record.GradientNorm
	trained := !s.Evaluation && !ofEvaluation.MatchString(s.Name)
	switch {
	case slices.Contains(notANumber, s.Quantity):
		b.level = Alert
	case trained && s.Broke >= 0 && (norm || losses.MatchString(s.Name)):
		b.level, b.since = Alert, s.Broke
	case len(s.Points) == 0 && s.NonFinite >= fewestValues && theLoss.MatchString(s.Name):
		b.level = Alert
	case trained && s.Broke >= 0 && alike.MatchString(s.Name):
		b.level, b.since = Warn, s.Broke
	case norm:
		b.level = Warn
	}
	return b
}

// nonFinite is an invariant: one value is enough where it holds of every sound run.
func nonFinite(e *evidence) Signal {
	found := e.breakages()
	level := OK
	for _, b := range found {
		if ranks[b.level] < ranks[level] {
			level = b.level
		}
	}
	if level == OK {
		return e.allFinite(found)
	}
	bad := slices.DeleteFunc(found, func(b breakage) bool { return b.level != level })
	slices.SortStableFunc(bad, func(a, b breakage) int { return cmp.Compare(a.since, b.since) })
	if bad[0].missing {
		return gone(bad)
	}
	bad = slices.DeleteFunc(bad, func(b breakage) bool { return b.missing })
	n := int64(0)
	var spans []Span
	for _, b := range bad {
		n += b.series.NonFinite
		if level == Alert {
			spans = append(spans, b.span())
		}
	}
	value := float64(n)
	return Signal{
		Level: level, Step: &bad[0].since, Value: &value, Unit: record.Plain, Threshold: "> 0", Basis: "invariant", Spans: spans,
		Why: "a NaN loss makes every weight NaN at the next step", Help: "run `rlvet hunt` to find the operation that made it",
		Note: fmt.Sprintf("%s NaN or infinite in %s, first at step %d",
			words.CountOf(int(n), "value is", "values are"), few(namesOf(bad)), bad[0].since),
	}
}

// gone is the answer where values are null that were numbers before.
func gone(bad []breakage) Signal {
	bad = slices.DeleteFunc(bad, func(b breakage) bool { return !b.missing })
	n := int64(0)
	for _, b := range bad {
		n += b.series.Missing
	}
	value := float64(n)
	return Signal{
		Level: Warn, Step: &bad[0].since, Value: &value, Unit: record.Plain, Threshold: "null row after row, after numbers", Basis: "our choice",
		Why:  "some loggers write null for NaN, and a NaN loss makes every weight NaN at the next step",
		Help: "look at the console's output or another log of these steps; if it was NaN, run `rlvet hunt` to find the operation that made it",
		Note: fmt.Sprintf("%s missing (null) in %s, row after row from step %d on, and nearly all before were numbers",
			words.CountOf(int(n), "value is", "values are"), few(namesOf(bad)), bad[0].since),
	}
}

func namesOf(found []breakage) (names []string) {
	for _, b := range found {
		if !slices.Contains(names, b.series.Name) {
			names = append(names, b.series.Name)
		}
	}
	return names
}

// allFinite is the answer where nothing broke. What may be NaN for a good reason is named.
func (e *evidence) allFinite(found []breakage) Signal {
	logged := slices.ContainsFunc(e.series, func(s *record.Series) bool {
		return len(s.Points) > 0 && (slices.Contains(notANumber, s.Quantity) || losses.MatchString(s.Name) && !s.Evaluation)
	})
	if !logged {
		return unknown("no losses, ratios or divergences are logged")
	}
	zero := 0.0
	s := Signal{Level: OK, Value: &zero, Unit: record.Plain, Threshold: "> 0", Basis: "invariant", Note: "no loss, ratio, divergence or entropy is NaN or infinite"}
	if len(found) > 0 {
		s.Note += fmt.Sprintf("; values of %s are, which can be harmless: blanks, or a mean over nothing", strings.TrimSpace(few(namesOf(found))))
	}
	return s
}

// span lasts to the end: which later value is finite says nothing of the weights, unless there
// was but one that was not.
func (b breakage) span() Span {
	last, ok := b.series.Last()
	if b.series.NonFinite == 1 && ok && last.Step > b.since {
		return Span{From: b.since, To: b.since}
	}
	return Span{From: b.since, To: -1}
}
