package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/internal/words"
)

// saveBaseline writes all findings as the baseline, with the entries of an earlier one that
// this check did not look at.
func (s *session) saveBaseline(r *vet.Result) error {
	s.tell(r.Problems)
	path := s.flags.writeBaseline
	b, kept := vet.NewBaseline(path, r.Findings), 0
	if old, err := vet.ReadBaseline(path); err == nil { // else there is none to keep anything of
		unseen := s.files.Unseen(old, r)
		b.Keep(unseen)
		kept = len(unseen)
	}
	if err := writeBaseline(path, b); err != nil {
		return fmt.Errorf("--write-baseline: %w", err)
	}
	if len(r.Fatal()) > 0 {
		s.exit = exitFailure
	}
	if !s.flags.quiet {
		if kept > 0 {
			fmt.Fprintf(s.Stderr, "Kept %s of what was not checked as a whole.\n", words.CountOf(kept, "entry", "entries"))
		}
		fmt.Fprintf(s.Stderr, "Wrote %s to %s. Pass --baseline %s, or set baseline = %q, to report only new ones.\n",
			words.Count(len(r.Findings), "finding"), path, path, filepath.ToSlash(path))
	}
	return nil
}

func writeBaseline(path string, b *vet.Baseline) error {
	data, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(path, append(data, '\n'))
}

func (a *app) baselineCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "baseline", Short: "Manage the baseline", Args: noArgs,
		Long: "Manage the baseline, the file of known findings, which `rlvet check --write-baseline FILE` writes and `--baseline FILE` reads.",
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.pruneCommand())
	return cmd
}

func (a *app) pruneCommand() *cobra.Command {
	flags := &checkFlags{}
	cmd := &cobra.Command{
		Use: "prune [PATH...]", Short: "Remove the entries that no longer occur",
		Long:    "Check, and remove from the baseline what was fixed: entries of files that are gone, and entries that no longer occur, of projects that were checked as a whole, since what is found in a file may depend on its callers. Entries of other files, and of rules that are off, stay.",
		Example: "  rlvet baseline prune\n  rlvet baseline prune --baseline known.json src/",
		RunE: func(cmd *cobra.Command, paths []string) error {
			s, err := a.newSession(cmd, flags)
			if err != nil {
				return err
			}
			return s.prune(cmd.Context(), paths)
		},
	}
	cmd.Flags().SortFlags = false
	flags.register(cmd.Flags())
	return cmd
}

// prune checks and writes the baseline without what is gone.
func (s *session) prune(ctx context.Context, list []string) error {
	path := s.settings.Baseline
	if path == "" {
		return errors.New("there is no baseline to prune; name it with --baseline FILE, or in the settings")
	}
	b, err := vet.BaselineOf(s.settings)
	if err != nil {
		return err
	}
	if err := s.open(list); err != nil {
		return err
	}
	s.files.All = true
	r, err := s.files.Check(ctx)
	if err != nil {
		return err
	}
	s.tell(r.Problems)
	s.exit = exitClean
	if len(r.Fatal()) > 0 {
		s.exit = exitFailure
	}
	_, stay, gone := s.files.Compare(b, r)
	if len(gone) > 0 {
		b.Findings = append([]vet.Known{}, stay...) // [] in the file where none stays
		if err := writeBaseline(path, b); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(s.Stdout, "%s: removed %s, %d left.\n", paths.From(paths.Working(), path), words.CountOf(len(gone), "stale entry", "stale entries"), len(stay))
	return err
}
