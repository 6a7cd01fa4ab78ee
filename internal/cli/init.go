package cli

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rlvet/rlvet/internal/config"
)

// preCommit is what a .pre-commit-config.yaml needs.
const preCommit = `repos:
  - repo: https://github.com/rlvet/rlvet
    rev: v%s
    hooks:
      - id: rlvet
`

func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use: "init", Short: "Write commented settings for this project", Args: noArgs,
		Long: "Write commented settings: a [tool.rlvet] table at the end of pyproject.toml where there is one, else rlvet.toml. Settings that exist are left alone.",
		RunE: func(*cobra.Command, []string) error { return a.initialise() },
	}
}

func (a *app) initialise() error {
	for _, name := range []string{".rlvet.toml", "rlvet.toml"} {
		if fileExists(name) {
			return fmt.Errorf("%s exists already; edit it, or remove it first", name)
		}
	}
	path, text := "rlvet.toml", []byte(template(""))
	if old, err := os.ReadFile("pyproject.toml"); err == nil {
		if bytes.Contains(old, []byte("[tool.rlvet")) {
			return fmt.Errorf("pyproject.toml has a [tool.rlvet] table already; edit it, or remove it first")
		}
		path = "pyproject.toml"
		text = append(bytes.TrimRight(old, "\n"), "\n\n"+template("[tool.rlvet]\n")...)
	}
	if err := writeFile(path, text); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.Stdout, "Wrote %s. Next: rlvet check\n\nTo check every commit, add to .pre-commit-config.yaml:\n\n"+preCommit, path, version())
	return err
}

// template is a settings file in which every setting stands as a comment.
func template(table string) string {
	var b strings.Builder
	b.WriteString("# Settings of rlvet. Everything is commented out: the defaults are meant to be right.\n# `rlvet config` shows what is in effect, `rlvet config KEY` explains a setting.\n")
	b.WriteString(table)
	for _, k := range config.Keys {
		fmt.Fprintf(&b, "\n%s# %s\n", wrapComment(k.Doc), k.Example)
	}
	return b.String()
}

// wrapComment breaks a text into comment lines of at most 88 columns.
func wrapComment(text string) string {
	var b strings.Builder
	line := "#"
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > 88 {
			b.WriteString(line + "\n")
			line = "#"
		}
		line += " " + word
	}
	return b.String() + line + "\n"
}
