package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/lsp"
)

func (a *app) serverCommand() *cobra.Command {
	return &cobra.Command{
		Use: "server", Short: "Serve an editor by the Language Server Protocol, on standard input and output",
		Long: "Serve an editor by the Language Server Protocol 3.17: findings while people type, fixes, explanations, and what rlvet\n" +
			"knows of each value. Editors start it; the README says how to tell them. It runs no program unless you ask for it.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out, ok := a.Stdout.(io.WriteCloser)
			if !ok {
				return errors.New("standard output cannot be closed")
			}
			if a.IsTerminal(a.Stdin) {
				fmt.Fprintln(a.Stderr, "Waiting for an editor on standard input; stop with Ctrl-C.")
			}
			o := lsp.Options{Rules: a.rules, Version: version(), Fresh: fresh, Confirm: a.confirmForEditor}
			if a.Getenv("RLVET_DEBUG") != "" {
				o.Trace = func(stack []byte) { a.Stderr.Write(stack) }
			}
			a.exit = lsp.Serve(cmd.Context(), a.Stdin, out, o)
			return nil
		},
	}
}

// fresh drops the findings of a file that the baseline of its settings knows.
func fresh(s *config.Settings, findings []finding.Finding) ([]finding.Finding, error) {
	if s.Baseline == "" {
		return findings, nil
	}
	known, err := readBaseline(s.Baseline)
	if err != nil {
		return findings, err
	}
	out, _ := known.unknown(filepath.Dir(s.Baseline), findings)
	return out, nil
}

// confirmForEditor is `rlvet confirm` of a script for one rule. It returns, by the
// fingerprint of each finding, the verdict in words.
func (a *app) confirmForEditor(ctx context.Context, script, code string, tell func(string)) (map[string]string, error) {
	tell("running the script under five seeds")
	report, _, err := a.confirmQuietly(ctx, "--select", code, script)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for i, f := range report.Findings {
		agree, all := report.agreeing(i)
		text := fmt.Sprintf("%s %s in %d of %d runs", f.Code, f.Confirmation.Verdict, agree, all)
		if f.Confirmation.Reason != "" {
			text += ": " + f.Confirmation.Reason
		}
		out[f.Fingerprint] = text
	}
	return out, nil
}
