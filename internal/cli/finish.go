package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/report"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/internal/words"
)

// finish writes everything that a check leads to and sets the exit code.
func (s *session) finish(r *vet.Result) error {
	if s.flags.writeBaseline != "" {
		return s.saveBaseline(r)
	}
	s.tell(r.Problems)
	s.exit = s.exitCode(r)
	s.listFixes(r)
	if s.flags.diff {
		return s.showDiff(r)
	}
	if s.files.Source != nil && s.fixing() {
		return s.fixedStdin(r)
	}
	if s.flags.addIgnore != "" {
		return s.suppressed(r)
	}
	if s.flags.fixOnly {
		return s.fixedOnly(r, s.Stdout)
	}
	return s.report(r, s.Stdout)
}

// tell writes what could not be checked to standard error.
func (s *session) tell(problems []finding.Problem) {
	for _, p := range problems {
		if p.Fatal {
			s.errorf("%s", p)
		} else if !s.flags.quiet {
			s.warnf("%s", p)
		}
	}
}

// render writes the report in a format.
func (s *session) render(w io.Writer, r *vet.Result, format string, look report.Look) error {
	if s.flags.statistics {
		return report.WriteStatistics(w, r, format, look)
	}
	writer, err := report.New(format, look)
	if err != nil {
		return err
	}
	return writer.Write(w, r)
}

// tellWork says what the check did, for --statistics.
func (s *session) tellWork(r *vet.Result) {
	if !s.flags.statistics {
		return
	}
	for _, line := range r.Stats.Lines() {
		fmt.Fprintln(s.Stderr, line)
	}
	fmt.Fprintln(s.Stderr, s.covered.line())
}

// showDiff writes what fixes would change.
func (s *session) showDiff(r *vet.Result) error {
	for _, c := range r.Changes {
		if _, err := io.WriteString(s.Stdout, c.Diff()); err != nil {
			return err
		}
	}
	if s.flags.quiet {
		return nil
	}
	if r.Fixed == 0 {
		fmt.Fprintf(s.Stderr, "No fixes would be applied%s.\n", heldBack(r))
	} else {
		fmt.Fprintf(s.Stderr, "Would fix %s%s.\n", words.Count(r.Fixed, "finding"), heldBack(r))
	}
	return nil
}

// listFixes says for --show-fixes what was fixed, as ruff does.
func (s *session) listFixes(r *vet.Result) {
	if !s.flags.showFixes || r.Fixed == 0 {
		return
	}
	did := "Fixed"
	if s.flags.diff {
		did = "Would fix"
	}
	fmt.Fprintf(s.Stderr, "%s %s:\n", did, words.Count(r.Fixed, "finding"))
	for _, c := range r.Changes {
		fmt.Fprintf(s.Stderr, "- %s:\n", words.Plain(c.Before.Path))
		for _, code := range slices.Sorted(maps.Keys(c.Fixed)) {
			e, _ := s.rules.Lookup(code)
			fmt.Fprintf(s.Stderr, "    %d × %s (%s)\n", c.Fixed[code], code, e.Doc.Name)
		}
	}
}

// heldBack says how many fixes are left out that are not safe.
func heldBack(r *vet.Result) string {
	n := 0
	for _, f := range r.Findings {
		if f.Fix != nil && f.Fix.Applicability == finding.Unsafe && !r.UnsafeFixes {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d more with --unsafe-fixes)", n)
}

// fixedStdin writes the fixed text to standard output and the report to
// standard error.
func (s *session) fixedStdin(r *vet.Result) error {
	text := s.files.Text.Raw
	if len(r.Changes) == 1 {
		var err error
		if text, err = r.Changes[0].After.Bytes(); err != nil {
			return err
		}
	}
	if _, err := s.Stdout.Write(text); err != nil {
		return err
	}
	if s.flags.fixOnly {
		return s.fixedOnly(r, s.Stderr)
	}
	return s.report(r, s.Stderr)
}

func (s *session) fixedOnly(r *vet.Result, w io.Writer) error {
	if s.flags.quiet {
		return nil
	}
	_, err := fmt.Fprintf(w, "Fixed %s.\n", words.Count(r.Fixed, "finding"))
	return err
}
