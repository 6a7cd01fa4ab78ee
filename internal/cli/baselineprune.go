package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) baselineCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "baseline", Short: "Look after the file of known findings", Args: noArgs,
		Long: "Look after the file of known findings, which `rlvet check --write-baseline FILE` writes and `--baseline FILE` reads.",
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.pruneCommand())
	return cmd
}

func (a *app) pruneCommand() *cobra.Command {
	flags := &checkFlags{}
	cmd := &cobra.Command{
		Use: "prune [PATH...]", Short: "Drop the entries that are found no more",
		Long:    "Check, and drop from the baseline what was mended: entries of checked files that are found no more, and those of files that are gone. Entries of other files, and of rules that are off, stay.",
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
func (s *session) prune(ctx context.Context, paths []string) error {
	if s.settings.Baseline == "" {
		return errors.New("there is no baseline to prune; name it with --baseline FILE, or in the settings")
	}
	b, err := readBaseline(s.settings.Baseline)
	if err != nil {
		return err
	}
	if err := s.collect(paths); err != nil {
		return err
	}
	r := s.newReport(nil)
	if len(s.inputs) > 0 {
		out, err := s.examine(ctx, nil)
		if err != nil {
			return err
		}
		if r, err = s.judge(ctx, out); err != nil {
			return err
		}
	}
	s.tell(r.Problems)
	s.exit = exitClean
	for _, p := range r.Problems {
		if p.Fatal {
			s.exit = exitFailure
		}
	}
	_, stay, gone := s.compare(b, r)
	if len(gone) > 0 {
		b.Findings = stay
		if err := b.save(s.settings.Baseline); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(s.Stdout, "%s: %d found no more and dropped, %d left.\n", relative(workingDir(), s.settings.Baseline), len(gone), len(stay))
	return err
}
