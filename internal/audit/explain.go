package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/words"
)

// causes are the signals that a mistake in the script can bring about, by the code of its
// rule or by the family. The longest that fits holds.
var causes = map[string][]string{
	"KL":      {"kl-reference", "kl-negative", "kl-per-reward", "over-optimisation"},
	"KL011":   {"kl-reference", "kl-negative", "non-finite"},
	"TOK":     {"length-drift", "length-share", "truncation", "repetition"},
	"OBJ":     {"ratio", "ratio-drift", "clip-fraction", "approx-kl"},
	"OBJ012":  {"entropy"},
	"ADV":     {"explained-variance", "reward-std"},
	"ADV009":  {"reward-std", "zero-std-groups", "non-finite"},
	"ADV012":  {"reward-std", "zero-std-groups"},
	"ADV018":  {"reward-std", "zero-std-groups", "non-finite"},
	"ADV019":  {"reward-std", "zero-std-groups", "non-finite"},
	"ADV020":  {"reward-std", "zero-std-groups"},
	"DIST":    {"entropy", "ratio", "kl-reference", "kl-negative"},
	"DIST016": {"ratio", "clip-fraction", "approx-kl", "kl-negative", "engine-mismatch", "effective-samples"},
	"DIST017": {"entropy", "zero-std-groups", "reward-std", "duplicates", "kl-negative"},
	"DIST019": {"ratio", "ratio-drift", "clip-fraction", "approx-kl", "kl-reference", "kl-negative", "engine-mismatch"},
	"GRAD008": {"non-finite"},
	"GRAD009": {"non-finite"},
	"GRAD010": {"non-finite"},
	"GRAD011": {"non-finite", "entropy"},
	"GRAD013": {"approx-kl", "clip-fraction"},
	"CFG001":  {"reward-std", "zero-std-groups"},
	"CFG008":  {"entropy", "zero-std-groups", "reward-std", "duplicates"},
	"CFG011":  {"kl-reference", "kl-per-reward", "over-optimisation", "approx-kl", "clip-fraction", "entropy", "non-finite"},
	"CFG013":  {"ratio", "clip-fraction", "approx-kl", "kl-negative", "engine-mismatch", "effective-samples"},
	"CFG015":  {"kl-reference", "entropy", "clip-fraction", "non-finite"},
	"CFG019":  {"kl-reference", "kl-per-reward", "over-optimisation", "clip-fraction"},
	"CFG020":  {"kl-reference", "kl-per-reward", "over-optimisation", "clip-fraction", "ratio"},
	"CFG021":  {"truncation", "length-drift", "zero-std-groups"},
	"RWD":     {"reward-std", "zero-std-groups", "reward-components"},
	"RWD007":  {"length-drift", "length-share", "truncation", "repetition"},
	"RWD008":  {"reward-std", "reward-disagreement"},
}

// Explain puts beside each signal the findings in the training script that can be its
// cause. A signal that is ok needs none; an unknown one may be unknown for that very
// reason, as a KL that never reaches the loss is rarely logged.
func Explain(r *Result, findings []finding.Finding) {
	sorted := slices.SortedFunc(slices.Values(findings), func(a, b finding.Finding) int {
		return cmp.Or(cmp.Compare(a.Range.File, b.Range.File), cmp.Compare(a.Range.StartByte, b.Range.StartByte), cmp.Compare(a.Code, b.Code))
	})
	told := map[int]bool{}
	for i := range r.Signals {
		s := &r.Signals[i]
		s.Findings = nil
		for j, f := range sorted {
			if s.Level != OK && slices.Contains(causesOf(f.Code), s.Name) {
				s.Findings = append(s.Findings, Explanation{Code: f.Code, Filename: f.Range.File, Row: f.Range.Start.Row, Message: f.Line()})
				told[j] = true
			}
		}
	}
	r.Notes = append(r.Notes, noteOf(len(findings), len(told)))
}

// noteOf says that the script was read, and whether there is more in it than stands here.
func noteOf(found, told int) string {
	switch {
	case found == 0:
		return "no findings in the script"
	case told == found:
		return fmt.Sprintf("%s in the script, shown with the signals that it may cause", words.Count(found, "finding"))
	}
	return fmt.Sprintf("%s in the script, %d of them shown with the signals that they may cause; rlvet check shows all", words.Count(found, "finding"), told)
}

// causesOf looks a code up, then its family.
func causesOf(code string) []string {
	if names, ok := causes[code]; ok {
		return names
	}
	return causes[strings.TrimRight(code, "0123456789")]
}
