package harness

import (
	"fmt"
	"slices"

	"github.com/rlvet/rlvet/internal/words"
)

// FixVerdict is what running the fixed program said: fixed, not-fixed, not-known (it ran, and the probe could not tell) or not-tried.
type FixVerdict struct {
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
	// After is what was seen of the fixed expression.
	After Evidence `json:"-"`
}

// JudgeFix judges a fix by what was seen at the fixed expression, and by what became of
// losses and parameters. The program ran with so many fixes at once.
func JudgeFix(e Evidence, fixes int, before, after []SeedRun) FixVerdict {
	switch e.Verdict {
	case Confirmed:
		return FixVerdict{"not-fixed", "the mistake is still there: " + e.Reason, e}
	case NotReached:
		return FixVerdict{"not-fixed", "the fixed program never evaluated this expression", e}
	}
	for i := range after {
		a := after[i]
		if a.Fault != "" {
			return FixVerdict{"not-tried", fmt.Sprintf("seed %d of the fixed program proves nothing: %s", a.Seed, a.Fault), e}
		}
		if a.Status == "crash" && a.Crash != nil && (i >= len(before) || before[i].Status != "crash") {
			return FixVerdict{"not-fixed", "the fixed program raises " + a.Crash.String(), e}
		}
		if a.Nonfinite != nil && (i >= len(before) || before[i].Nonfinite == nil) {
			return FixVerdict{"not-fixed", fmt.Sprintf("the fixed program goes wrong at step %d: %s", a.Nonfinite.Step, a.Nonfinite.What), e}
		}
	}
	if e.Verdict == Inconclusive && hits(e) == 0 {
		return FixVerdict{"not-tried", e.Reason, e}
	}
	if e.Verdict == Inconclusive && !upheldAll(e) {
		return FixVerdict{"not-known", "whether the mistake is gone is not known: " + e.Reason, e}
	}
	return FixVerdict{"fixed", verified(e, fixes, before, after), e}
}

// upheldAll reports whether the mistake would have shown at every evaluation, and did not: of a place that was wrong a moment ago, in a
// program that runs the same way, that is enough, however few they are.
func upheldAll(e Evidence) bool {
	return !slices.ContainsFunc(e.Seeds, func(s SeedEvidence) bool { return s.Upheld != s.Hits })
}

// verified is "0 recurrences in 150 evaluations; 2 of 5 runs crashed or turned non-finite
// before, 0 do now". What became of the runs is the work of all fixes.
func verified(e Evidence, fixes int, before, after []SeedRun) string {
	reason := "0 recurrences in " + words.Count(hits(e), "evaluation")
	if b, a := broken(before), broken(after); b > 0 {
		reason += "; "
		if fixes > 1 {
			reason += fmt.Sprintf("with %s, ", words.Choose(fixes-1, "both fixes", fmt.Sprintf("all %d fixes", fixes)))
		}
		reason += fmt.Sprintf("%d of %d runs crashed or turned non-finite before, %d do now", b, len(before), a)
	}
	return reason
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
