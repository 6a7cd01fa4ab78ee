package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/words"
)

// initParts are what `rlvet init` can set up.
var initParts = []string{"settings", "hook", "workflow"}

func (a *app) initCommand() *cobra.Command {
	var yes bool
	only := initParts
	cmd := &cobra.Command{
		Use: "init", Short: "Set rlvet up for this project: settings, hook and workflow", Args: noArgs,
		Long:    "Look at the project, show the files that would be written, and write them once you agree: commented settings (a [tool.rlvet] table at the end of pyproject.toml where there is one, else rlvet.toml), a hook for pre-commit, and a GitHub workflow. Files that exist are left alone.",
		Example: "  rlvet init\n  rlvet init --yes --only settings",
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, part := range only {
				if !slices.Contains(initParts, part) {
					return fmt.Errorf("--only: %q is none of %s", part, strings.Join(initParts, ", "))
				}
			}
			return a.initialise(only, yes, cmd.Flags().Changed("only"))
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "write without asking")
	cmd.Flags().StringSliceVar(&only, "only", initParts, "`PARTS` to set up: settings, hook, workflow")
	return cmd
}

// start is a file that init writes, or what it says of one that is there.
type start struct {
	path  string
	text  string // new text; it stands behind old
	old   []byte // what the file holds, nil where there is none
	alone string // why nothing is written, "" where something is
}

// offerBaseline says how a project that has findings begins, unless it has a baseline.
func (a *app) offerBaseline() error {
	settings, err := a.resolver().For(".")
	if err != nil || settings.Baseline != "" {
		return err
	}
	_, err = fmt.Fprintln(a.Stdout, `To hear of new findings only: rlvet check --write-baseline known.json, and baseline = "known.json" in the settings.`+
		" `rlvet check --baseline ''` shows the known ones again.")
	return err
}

// initialise shows what it would write, asks, and writes. Parts that are named are written
// even if the project does not look as if it needed them.
func (a *app) initialise(parts []string, yes, named bool) error {
	if err := a.describe(); err != nil {
		return err
	}
	var plan []start
	for _, part := range parts {
		s, err := starts[part](named)
		if err != nil {
			return err
		}
		if s.alone != "" {
			fmt.Fprintf(a.Stdout, "%s\n", s.alone)
			continue
		}
		fmt.Fprintf(a.Stdout, "\n%s:\n\n%s", s.title(), indent(s.text))
		plan = append(plan, s)
	}
	a.adviseRuff()
	switch {
	case len(plan) == 0:
		fmt.Fprintln(a.Stdout, "Nothing to write. Next: rlvet check")
		return a.offerBaseline()
	case !yes && !a.IsTerminal(a.Stdin):
		fmt.Fprintln(a.Stdout, "\nNothing was written (no terminal to ask on). `rlvet init --yes` writes this, `--only` parts of it.")
		return nil
	case !yes && !a.agreed():
		fmt.Fprintln(a.Stdout, "Nothing was written.")
		return nil
	}
	for _, s := range plan {
		if err := s.write(); err != nil {
			return err
		}
	}
	fmt.Fprintf(a.Stdout, "\nWrote %s. Next: rlvet check\n", names(plan))
	return a.offerBaseline()
}

// adviseRuff shows the setting by which ruff accepts the codes of rlvet, where ruff is set up
// in pyproject.toml and does not have it. Whoever wrote that file adds it.
func (a *app) adviseRuff() {
	text, err := os.ReadFile("pyproject.toml")
	if err != nil || !bytes.Contains(text, []byte("[tool.ruff")) || externalSet.Match(text) {
		return
	}
	fmt.Fprintf(a.Stdout, "\nSo that ruff accepts the codes of rlvet in `# noqa`, add to [tool.ruff.lint] in pyproject.toml:\n\n    %s\n", ruffExternal())
}

var externalSet = regexp.MustCompile(`(?m)^\s*(?:lint\.)?external\s*=[^]]*"ADV"`)

// ruffExternal is that setting: the families of which a comment can suppress something.
func ruffExternal() string {
	var prefixes []string
	for _, f := range rule.Families {
		if f.Prefix != "RLV" {
			prefixes = append(prefixes, strconv.Quote(f.Prefix))
		}
	}
	slices.Sort(prefixes)
	return "external = [" + strings.Join(prefixes, ", ") + "]"
}

// describe says what was seen of the project.
func (a *app) describe() error {
	resolver := a.resolver()
	files, err := config.Discover(resolver, []string{"."})
	if err != nil {
		return err
	}
	settings, err := resolver.For(".")
	if err != nil {
		return err
	}
	programs, books, others := 0, 0, 0
	for _, in := range files.Inputs {
		switch {
		case source.IsNotebook(in.Path):
			books++
		case strings.Contains("/"+filepath.ToSlash(filepath.Clean(in.Path)), "/."): // it configures a tool
		case source.LanguageOf(in.Path).Configures():
			others++
		default:
			programs++
		}
	}
	fmt.Fprintf(a.Stdout, "Here: %s, %s", words.Count(programs, "Python file"), words.Count(books, "notebook"))
	if others > 0 {
		fmt.Fprintf(a.Stdout, ", %s that may configure a run", words.Count(others, "file"))
	}
	if settings.TargetTorch != "" {
		fmt.Fprintf(a.Stdout, ", torch %s by %s", settings.TargetTorch, settings.TorchFrom)
	}
	fmt.Fprintln(a.Stdout, ".")
	if programs+books+others == 0 {
		fmt.Fprintln(a.Stdout, "There is nothing to check yet; if your programs are elsewhere, run this in the folder of their project.")
	}
	return nil
}

// title says of a file what happens to it.
func (s start) title() string {
	if s.old != nil {
		return "At the end of " + s.path
	}
	return s.path
}

// agreed asks.
func (a *app) agreed() bool {
	fmt.Fprint(a.Stdout, "\nWrite this? [y/N] ")
	answer, err := bufio.NewReader(a.Stdin).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return err == nil && (answer == "y" || answer == "yes")
}

// write adds to a file, or makes one where there is none, not even a link.
func (s start) write() error {
	if s.old != nil {
		return writeFile(s.path, append(slices.Clone(s.old), s.text...))
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
		return notWritten(s.path, err)
	}
	f, err := os.OpenFile(s.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return notWritten(s.path, err)
	}
	_, err = f.WriteString(s.text)
	return notWritten(s.path, errors.Join(err, f.Close()))
}

func names(plan []start) string {
	var out []string
	for _, s := range plan {
		out = append(out, s.path)
	}
	return strings.Join(out, ", ")
}

// indent sets a text apart from what is said about it.
func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimLeft(text, "\n")) {
		b.WriteString(strings.TrimRight("    "+line, " \n") + "\n")
	}
	return b.String()
}
