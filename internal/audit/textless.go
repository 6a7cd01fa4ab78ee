package audit

import (
	"regexp"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// ofLanguage finds, in the name of a metric or a setting, what only runs of language models have.
var ofLanguage = regexp.MustCompile(`(?i)kl|ref|token|completion|response|prompt|length|generat`)

// OfTexts reports whether only policies that write texts have a signal.
func OfTexts(name string) bool {
	return slices.ContainsFunc(table, func(r row) bool { return r.name == name && r.of&ofTexts != 0 })
}

// Textless reports whether a run looks like one of no language model, though no trainer says
// so: it logs a reward, but no completions, no tokens and no reference model, under whatever
// name. Then that the signals of texts are unknown is no gap of the log.
func (r *Result) Textless() bool {
	run := r.Record
	if run == nil || run.Environment || run.Trainer != "" || len(run.Batches) > 0 {
		return false
	}
	rewarded := false
	for _, s := range run.Series {
		rewarded = rewarded || s.Quantity == record.Reward
		if ofLanguage.MatchString(s.Name) {
			return false
		}
	}
	for name := range run.Config {
		if ofLanguage.MatchString(name) {
			return false
		}
	}
	return rewarded && !slices.ContainsFunc(r.Signals, func(s Signal) bool { return s.Level != Unknown && OfTexts(s.Name) })
}

// MissingButTexts are the lines of Missing on signals that any policy without texts has, too.
func (r *Result) MissingButTexts() (lines []string) {
	for _, line := range r.Missing {
		name, _, named := strings.Cut(line, ": ")
		if named && slices.ContainsFunc(table, func(r row) bool { return r.name == name && r.of&ofTexts == 0 && r.of.missed(true) }) {
			lines = append(lines, line)
		}
	}
	return lines
}
