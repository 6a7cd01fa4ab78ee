package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func (a *app) manCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use: "man", Short: "Print the manual page, or write those of all commands", Args: noArgs,
		Long:    "Print the manual page of rlvet in the format of man, or write the pages of all commands into a folder.",
		Example: "  rlvet man | man -l -\n  rlvet man --dir ~/.local/share/man/man1",
		RunE: func(cmd *cobra.Command, _ []string) error {
			header := &doc.GenManHeader{Section: "1", Source: "rlvet " + version(), Manual: "rlvet"}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			if dir == "" {
				return doc.GenMan(root, header, a.Stdout)
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return fmt.Errorf("--dir: %w", notWritten(dir, err))
			}
			if err := doc.GenManTree(root, header, dir); err != nil {
				return fmt.Errorf("--dir: %w", notWritten(dir, err))
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "write a page for each command into a `FOLDER`")
	return cmd
}
