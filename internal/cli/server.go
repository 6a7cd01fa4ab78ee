package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

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
	var stdout, stderr bytes.Buffer
	child := &app{Env: a.Env, rules: a.rules, check: a.check}
	child.Stdin, child.Stdout, child.Stderr = strings.NewReader(""), &stdout, &stderr
	tell("running the script under five seeds")
	root := child.root()
	root.SetArgs([]string{"confirm", "--select", code, "--output-format", "json", script})
	if err := root.ExecuteContext(ctx); err != nil {
		return nil, err
	}
	if child.exit == exitFailure && stdout.Len() == 0 {
		return nil, errors.New(strings.TrimPrefix(lastLine(stderr.String()), "error: "))
	}
	return readVerdicts(stdout.Bytes())
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// readVerdicts reads what `rlvet confirm --output-format json` printed.
func readVerdicts(data []byte) (map[string]string, error) {
	var report struct {
		Findings []struct {
			Code         string
			Fingerprint  string
			Confirmation struct {
				Verdict, Reason string
				Seeds           []struct{ Verdict string }
			}
		}
	}
	if err := json.Unmarshal(data, &report); err != nil {
		return nil, fmt.Errorf("the report of `rlvet confirm` cannot be read: %v", err)
	}
	out := map[string]string{}
	for _, f := range report.Findings {
		seen := 0
		for _, seed := range f.Confirmation.Seeds {
			if seed.Verdict == f.Confirmation.Verdict {
				seen++
			}
		}
		text := fmt.Sprintf("%s %s in %d of %d runs", f.Code, f.Confirmation.Verdict, seen, len(f.Confirmation.Seeds))
		if f.Confirmation.Reason != "" {
			text += ": " + f.Confirmation.Reason
		}
		out[f.Fingerprint] = text
	}
	return out, nil
}
