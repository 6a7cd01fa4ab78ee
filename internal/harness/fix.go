package harness

import "fmt"

// FixVerdict is what running the fixed program said: fixed, not-fixed or not-tried.
type FixVerdict struct {
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
	// After is what was seen of the mended expression.
	After Evidence `json:"-"`
}

// JudgeFix judges a fix by what was seen at the mended expression, and by what became of
// losses and parameters.
func JudgeFix(e Evidence, before, after []SeedRun) FixVerdict {
	switch e.Verdict {
	case Confirmed:
		return FixVerdict{"not-fixed", "after the fix: " + e.Reason, e}
	case NotReached:
		return FixVerdict{"not-fixed", "the mended expression was not evaluated", e}
	}
	for i := range after {
		a := after[i]
		if a.Status == "crash" && a.Crash != nil && (i >= len(before) || before[i].Status != "crash") {
			return FixVerdict{"not-fixed", "the fixed program raises " + a.Crash.Type + ": " + a.Crash.Message, e}
		}
		if a.Nonfinite != nil && (i >= len(before) || before[i].Nonfinite == nil) {
			return FixVerdict{"not-fixed", fmt.Sprintf("after the fix, in step %d %s", a.Nonfinite.Step, a.Nonfinite.What), e}
		}
	}
	if e.Verdict == Inconclusive && hits(e) == 0 {
		return FixVerdict{"not-tried", e.Reason, e}
	}
	return FixVerdict{"fixed", fixedReason(e, before, after), e}
}

func fixedReason(e Evidence, before, after []SeedRun) string {
	reason := fmt.Sprintf("evaluated %d times, and not seen again", hits(e))
	if b, a := broken(before), broken(after); b > 0 {
		reason += fmt.Sprintf("; %d of %d runs crashed or turned non-finite before, %d now", b, len(before), a)
	}
	return reason
}

// hits counts the evaluations in all runs.
func hits(e Evidence) (n int) {
	for _, s := range e.Seeds {
		n += s.Hits
	}
	return n
}

// broken counts the runs that crashed or turned non-finite.
func broken(runs []SeedRun) (n int) {
	for _, r := range runs {
		if r.Nonfinite != nil || r.Status == "crash" {
			n++
		}
	}
	return n
}
