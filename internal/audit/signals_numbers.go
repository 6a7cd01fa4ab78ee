package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// notANumber are the quantities that are finite in every sound run. The others may be NaN
// for a good reason: the reward of an environment before an episode ended, the explained
// variance of returns that are all equal.
var (
	notANumber = []record.Quantity{record.PolicyLoss, record.ValueLoss, record.KLReference, record.ApproxKL, record.Ratio, record.Entropy}
	// overflowing ones are infinite now and then where mixed precision finds its scale.
	overflowing = []record.Quantity{record.GradientNorm}
)

// nonFinite is an invariant: one value is enough.
func nonFinite(e *evidence) Signal {
	alert, warn := e.broken(notANumber), e.broken(overflowing)
	level, found := Alert, alert
	if len(alert) == 0 {
		level, found = Warn, warn
	}
	if len(found) == 0 {
		return e.allFinite()
	}
	first, n := found[0], int64(0)
	var names []string
	var spans []Span
	for _, s := range found {
		if s.FirstNonFinite < first.FirstNonFinite {
			first = s
		}
		n += s.NonFinite
		names = append(names, s.Name)
		spans = append(spans, brokenSpan(s))
	}
	if level == Warn {
		spans = nil
	}
	step, value := first.FirstNonFinite, float64(n)
	return Signal{
		Level: level, Step: &step, Value: &value, Unit: record.Plain, Threshold: "> 0", Basis: "invariant", Spans: spans,
		Note: fmt.Sprintf("%s NaN or infinite in %s, first at step %d: where the loss is, so is every weight after the step; `rlvet hunt` finds the operation",
			count(int(n), "value is", "values are"), strings.Join(slices.Compact(names), ", "), step),
	}
}

func (e *evidence) allFinite() Signal {
	logged := slices.ContainsFunc(e.series, func(s *record.Series) bool { return slices.Contains(notANumber, s.Quantity) })
	if !logged {
		return unknown("neither losses nor ratios nor divergences are logged")
	}
	zero := 0.0
	return Signal{Level: OK, Value: &zero, Unit: record.Plain, Threshold: "> 0", Basis: "invariant", Note: "no loss, ratio, divergence or entropy is NaN or infinite"}
}

// broken are the series of some quantities that have values that are not finite.
func (e *evidence) broken(quantities []record.Quantity) []*record.Series {
	var found []*record.Series
	for _, s := range e.series {
		if s.NonFinite > 0 && slices.Contains(quantities, s.Quantity) {
			found = append(found, s)
		}
	}
	return found
}

// brokenSpan lasts to the end: which later value is finite says nothing of the weights,
// unless there was but one that was not.
func brokenSpan(s *record.Series) Span {
	last, ok := s.Last()
	if s.NonFinite == 1 && ok && last.Step > s.FirstNonFinite {
		return Span{From: s.FirstNonFinite, To: s.FirstNonFinite}
	}
	return Span{From: s.FirstNonFinite, To: -1}
}
