package measure

import "math"

// failing is what a test and a property have in common.
type failing interface {
	Helper()
	Errorf(format string, args ...any)
}

// near fails the test where got is further than tolerance from want; NaN is near NaN only.
func near(t failing, what string, got, want, tolerance float64) {
	t.Helper()
	if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > tolerance {
		t.Errorf("%s is %v, want %v within %v", what, got, want, tolerance)
	}
}

// nearInterval compares the value and both ends.
func nearInterval(t failing, what string, got Interval, value, low, high, tolerance float64) {
	t.Helper()
	near(t, what, got.Value, value, tolerance)
	near(t, "the low end of "+what, got.Low, low, tolerance)
	near(t, "the high end of "+what, got.High, high, tolerance)
}

// covers is 1 where the truth lies in the interval.
func covers(i Interval, truth float64) int {
	if i.Low <= truth && truth <= i.High {
		return 1
	}
	return 0
}
