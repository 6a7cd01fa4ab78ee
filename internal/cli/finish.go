package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/report"
)

// finish writes everything that a check leads to and sets the exit code.
func (s *session) finish(j *judged) error {
	if s.flags.writeBaseline != "" {
		return s.saveBaseline(j)
	}
	if err := s.applyBaseline(j.report); err != nil {
		return err
	}
	s.tell(j.report.Problems)
	s.exit = s.exitCode(j)
	if s.flags.diff {
		return s.showDiff(j)
	}
	if s.stdin != nil && s.fixing() {
		return s.fixedStdin(j)
	}
	if s.flags.addIgnore != "" {
		return s.suppressed(j)
	}
	if s.flags.fixOnly {
		return s.fixedOnly(j, s.Stdout)
	}
	return s.report(j, s.Stdout)
}

// tell writes what could not be checked to standard error.
func (s *session) tell(problems []finding.Problem) {
	for _, p := range problems {
		where := p.Place()
		if where != "" {
			where += ": "
		}
		if p.Fatal {
			s.errorf("%s%s", where, p.Message)
		} else if !s.flags.quiet {
			s.warnf("%s%s", where, p.Message)
		}
	}
}

// render writes the report in a format.
func (s *session) render(w io.Writer, j *judged, format string, coloured bool) error {
	j.report.Quiet, j.report.Width = s.flags.quiet, s.width(w)
	if s.flags.statistics {
		return report.WriteStatistics(w, j.report, format, coloured)
	}
	writer, err := report.New(format, coloured)
	if err != nil {
		return err
	}
	return writer.Write(w, j.report)
}

// tellWork says what the check did, for --statistics.
func (s *session) tellWork(j *judged) {
	if !s.flags.statistics {
		return
	}
	for _, line := range j.stats {
		fmt.Fprintln(s.Stderr, line)
	}
}

// showDiff writes what fixes would change.
func (s *session) showDiff(j *judged) error {
	for _, c := range j.fixed {
		if _, err := io.WriteString(s.Stdout, edit.DiffFile(c.before, c.after)); err != nil {
			return err
		}
	}
	if s.flags.quiet {
		return nil
	}
	if j.report.Fixed == 0 {
		fmt.Fprintln(s.Stderr, "No fixes would be applied.")
	} else {
		fmt.Fprintf(s.Stderr, "Would fix %s.\n", count(j.report.Fixed, "finding"))
	}
	return nil
}

// fixedStdin writes the fixed text to standard output and the report to
// standard error.
func (s *session) fixedStdin(j *judged) error {
	text := s.stdin.Raw
	if len(j.fixed) == 1 {
		var err error
		if text, err = j.fixed[0].after.Bytes(); err != nil {
			return err
		}
	}
	if _, err := s.Stdout.Write(text); err != nil {
		return err
	}
	if s.flags.fixOnly {
		return s.fixedOnly(j, s.Stderr)
	}
	return s.report(j, s.Stderr)
}

func (s *session) fixedOnly(j *judged, w io.Writer) error {
	if s.flags.quiet {
		return nil
	}
	_, err := fmt.Fprintf(w, "Fixed %s.\n", count(j.report.Fixed, "finding"))
	return err
}

// count is "1 finding" or "2 findings".
func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// fileExists reports whether something has this path.
func fileExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
