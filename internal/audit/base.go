package audit

import (
	"slices"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// # The base
//
// The model that training began with is a choice as well. A preference against it is better
// than it above one half; a score is compared with the one at step 0, where there is one.

// equal is the win rate of a model that is as good as the base.
const equal = 0.5

// isPreference says whether a held-out score is a win rate against the base.
func isPreference(held heldOut) bool {
	j, ok := held.(interface{ preference() bool })
	return ok && j.preference()
}

// baseScore is that of the model that training began with.
func baseScore(held heldOut) (Metric, bool) {
	if isPreference(held) {
		return Metric{Value: equal, Unit: record.Share}, true
	}
	if steps, _ := held.scores(); !slices.Contains(steps, 0) {
		return Metric{}, false
	}
	return held.at(0)
}

// gain is the score at a step less that of the base, with its interval.
func gain(held heldOut, step int64) (Metric, bool) {
	if !isPreference(held) {
		if _, ok := baseScore(held); !ok || step == 0 {
			return Metric{}, false
		}
		return held.less(step, 0)
	}
	m, ok := held.at(step)
	return moved(m, -equal), ok
}

// moved is a metric of which all values are larger by a number.
func moved(m Metric, by float64) Metric {
	m.Value += by
	if m.Low != nil && m.High != nil {
		low, high := *m.Low+by, *m.High+by
		m.Low, m.High = &low, &high
	}
	return m
}

// turned is a metric with the other sign.
func turned(m Metric) Metric {
	m.Value = -m.Value
	if m.Low != nil && m.High != nil {
		low, high := -*m.High, -*m.Low
		m.Low, m.High = &low, &high
	}
	return m
}
