package cli

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/internal/words"
)

// checkReason returns the error of a reason that a comment cannot hold.
func checkReason(reason string, given bool) error {
	switch {
	case !given:
		return nil
	case strings.TrimSpace(reason) == "":
		return errors.New("--add-ignore needs a reason, as in --add-ignore 'rewards are never equal'")
	case paths.Exist(reason):
		return fmt.Errorf("--add-ignore takes %q for the reason, and there is a file or folder called so; give the reason first, as in --add-ignore 'rewards are never equal' %s", reason, words.Typed(reason))
	case strings.ContainsFunc(reason, func(r rune) bool { return r == '#' || unicode.IsControl(r) }):
		return fmt.Errorf("--add-ignore: the reason %q must be one line without #", reason)
	}
	return nil
}

// suppressed says how much was hidden, and reports what was not.
func (s *session) suppressed(r *vet.Result) error {
	n := r.Fixed
	r.Fixed = 0
	if !s.flags.quiet {
		fmt.Fprintf(s.Stderr, "Suppressed %s in %s.\n", words.Count(n, "finding"), words.Count(len(r.Changes), "file"))
	}
	if len(r.Findings) == 0 && len(s.flags.outputs) == 0 {
		return nil
	}
	return s.report(r, s.Stdout)
}
