package report

import (
	"io"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/report/sarif"
)

// writeConfirmedSARIF writes one run with the findings of all scripts, as check does, and
// what the programs' runs said of each: SARIF's kind is fail for what was confirmed, pass
// for what was refuted, and open, the word for provers, where nothing was proved. By the
// standard only a fail has a level. The numbers are in the property "confirmation".
func writeConfirmedSARIF(w io.Writer, list []confirmation) error {
	whole := *list[0].Result
	whole.Problems = nil
	for _, c := range list {
		whole.Problems = append(whole.Problems, c.problems()...)
	}
	s := newSARIFRun(&whole)
	for _, c := range list {
		for i := range c.Findings {
			result := s.result(&c.Findings[i])
			if c.Outcome != nil {
				c.judged(result, i)
			}
		}
	}
	return s.write(w)
}

// judged adds the verdict on a finding to its result.
func (c confirmation) judged(result *sarif.Result, i int) {
	v := c.Verdict(i)
	for j := range v.Seeds {
		v.Seeds[j].Observations = nil
	}
	result.Properties["confirmation"] = v
	result.Message.Text += "\n\n" + c.inShort(i)
	switch v.Verdict {
	case harness.Confirmed:
		result.Kind = "fail"
	case harness.Refuted:
		result.Kind, result.Level = "pass", "none"
	default:
		result.Kind, result.Level = "open", "none"
	}
}

// problems are those of the check, and what kept the script from running.
func (c confirmation) problems() []finding.Problem {
	if c.Failure == nil || fatal(c.Problems) {
		return c.Problems
	}
	return append(c.Problems[:len(c.Problems):len(c.Problems)], finding.Problem{File: c.Name, Message: c.Failure.Error(), Fatal: true})
}
