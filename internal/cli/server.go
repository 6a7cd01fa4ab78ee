package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/rlvet/rlvet/internal/confirm"
	"github.com/rlvet/rlvet/internal/lsp"
)

func (a *app) serverCommand() *cobra.Command {
	return &cobra.Command{
		Use: "server", Short: "Serve an editor by the Language Server Protocol, on standard input and output",
		Long: "Serve an editor by the Language Server Protocol 3.17: findings while you type, fixes, explanations, and what rlvet\n" +
			"knows of each value. Editors start it; docs/editors.md says how to set them up. It runs no program unless you ask for it.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out, ok := a.Stdout.(io.WriteCloser)
			if !ok {
				return errors.New("standard output cannot be closed")
			}
			if a.IsTerminal(a.Stdin) {
				fmt.Fprintln(a.Stderr, "Waiting for an editor on standard input; stop with Ctrl-C.")
			}
			spareTime()
			o := lsp.Options{Rules: a.rules, Version: version(), User: a.userSettings(), Trace: a.trace(), Confirm: confirm.Run}
			a.exit = lsp.Serve(cmd.Context(), a.Stdin, out, o)
			return nil
		},
	}
}

// spareTime collects garbage when the heap has grown fourfold, not twofold: each key makes
// some MB of it, and an editor waits for the answer. A project of 500 modules takes 210 MB
// so, and 170 MB else.
func spareTime() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(300)
	}
}
