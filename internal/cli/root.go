package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/words"
)

const about = `rlvet finds the mistakes that make reinforcement learning fail silently.

It infers what quantity each expression of a PyTorch training script is (logits,
log-prob, ratio, advantage ...), and reports where one is used as another.`

// root builds the command tree.
func (a *app) root() *cobra.Command {
	told := false // the version
	root := &cobra.Command{
		Use: "rlvet", Short: "Vet reinforcement-learning training code", Long: about,
		Example:       "  rlvet check train.py        report what is wrong\n  rlvet check --fix src/      fix what can be fixed\n  rlvet rule ADV009           explain a rule",
		SilenceErrors: true, SilenceUsage: true,
		Args: a.notACommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if told {
				fmt.Fprintln(a.Stdout, "rlvet", version())
				return nil
			}
			return cmd.Help()
		},
	}
	// Not cobra's flag: its templates would have the linker keep every method of every type.
	root.Flags().BoolVarP(&told, "version", "v", false, "version for rlvet")
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SetFlagErrorFunc(a.flagError)
	root.PersistentFlags().StringVar(&a.color, "color", "auto", "`WHEN` to colour the output: auto, always or never")
	root.PersistentPreRunE = func(*cobra.Command, []string) error { return a.checkColor() }
	a.addCommands(root)
	if help, _, err := root.Find([]string{"help"}); err == nil {
		help.Args = a.helpTopic
	}
	return root
}

// addCommands adds the commands, grouped in the help by what one wants.
func (a *app) addCommands(root *cobra.Command) {
	for _, group := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Find mistakes before the run", []*cobra.Command{a.checkCommand(), a.ruleCommand(), a.rulesCommand(), a.baselineCommand()}},
		{"Run the program, and see", []*cobra.Command{a.confirmCommand(), a.observeCommand(), a.huntCommand(), a.watchCommand(), a.rewardCommand()}},
		{"Judge a run that is over, or still going", []*cobra.Command{a.auditCommand()}},
		{"Serve editors and coding agents", []*cobra.Command{a.serverCommand(), a.mcpCommand()}},
		{"Set rlvet up", []*cobra.Command{a.initCommand(), a.configCommand(), a.cleanCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, c := range group.commands {
			c.GroupID = group.title
		}
		root.AddCommand(group.commands...)
	}
	root.AddCommand(a.runUnitCommand(), a.manCommand(), a.versionCommand())
	root.AddCommand(a.debugCommands()...)
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
}

// helpTopic refuses `rlvet help chek`, which cobra answers with the help of rlvet itself.
func (a *app) helpTopic(help *cobra.Command, args []string) error {
	root := help.Root()
	topic, rest, err := root.Find(args)
	if err != nil || topic != root {
		return err
	}
	return a.notACommand(root, rest)
}

func (a *app) checkColor() error {
	switch a.color {
	case "auto", "always", "never":
		return nil
	}
	color := a.color
	a.color = "auto"
	return fmt.Errorf("--color: %q is none of auto, always, never", color)
}

// notACommand explains what to write for `rlvet train.py`.
func (a *app) notACommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if _, err := os.Stat(args[0]); err == nil || source.LanguageOf(args[0]) != source.Other {
		return fmt.Errorf("%q is not a command; to check it, run: rlvet check %s", args[0], strings.Join(args, " "))
	}
	if e, ok := a.rules.Lookup(args[0]); ok {
		return fmt.Errorf("%q is not a command; to read about the rule, run: rlvet rule %s", args[0], e.Doc.Code)
	}
	if instead := insteadOf(args); instead != "" {
		return fmt.Errorf("unknown command %q; run: rlvet %s", args[0], instead)
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	if near := words.Nearest(args[0], names); near != "" {
		return fmt.Errorf("unknown command %q; did you mean `rlvet %s`?", args[0], near)
	}
	return fmt.Errorf("unknown command %q; `rlvet help` lists the commands", args[0])
}

// insteadOf says what to run for what other tools call a command, "" for nothing.
func insteadOf(args []string) string {
	var command string
	switch args[0] {
	case "explain":
		command = "rule"
		if len(args) == 1 {
			return command + " CODE"
		}
	case "fix":
		command = "check --fix"
	default:
		return ""
	}
	return strings.Join(append([]string{command}, args[1:]...), " ")
}

// invalidValue says what is wrong with the value of a flag.
func invalidValue(f *pflag.Flag, value string, why error) error {
	kind := f.Value.Type()
	_, noUnit := strconv.ParseFloat(value, 64)
	switch {
	case kind == "duration" && noUnit == nil:
		return fmt.Errorf("--%s: %q has no unit; write %ss or %sm", f.Name, value, value, value)
	case kind == "duration":
		return fmt.Errorf("--%s: %q is not a time; write, for example, 90s or 10m", f.Name, value)
	case errors.Is(why, strconv.ErrRange):
		return fmt.Errorf("--%s: %s is too large", f.Name, value)
	case kind == "int" || kind == "int64":
		return fmt.Errorf("--%s: %q is not a whole number", f.Name, value)
	case kind == "bool":
		return fmt.Errorf("--%s: %q is neither true nor false", f.Name, value)
	}
	return fmt.Errorf("--%s: %q: %v", f.Name, value, why)
}

// flagError names the flag that is spelt most like an unknown one.
func (a *app) flagError(cmd *cobra.Command, err error) error {
	var wrong *pflag.InvalidValueError
	if errors.As(err, &wrong) {
		return invalidValue(wrong.GetFlag(), wrong.GetValue(), wrong.Unwrap())
	}
	text := err.Error()
	if meant := a.meant(cmd, err); meant != nil {
		return meant
	}
	name, unknown := strings.CutPrefix(text, "unknown flag: --")
	if !unknown {
		return fmt.Errorf("%s; `%s --help` lists the flags", text, cmd.CommandPath())
	}
	behind := ""
	if strings.Contains(cmd.Use, "-- ARGUMENTS") {
		behind = " (the script's own arguments come after --)"
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := words.Nearest(name, names); near != "" {
		return fmt.Errorf("unknown flag --%s; did you mean --%s?%s", name, near, behind)
	}
	return fmt.Errorf("unknown flag --%s; `%s --help` lists the flags%s", name, cmd.CommandPath(), behind)
}

// meant says what to type for a flag with one dash too few, and for one of check that stands
// before no command; nil for all else.
func (a *app) meant(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return nil
	}
	given, name := "--"+missing.GetSpecifiedName(), missing.GetSpecifiedName()
	if short := missing.GetSpecifiedShortnames(); short != "" {
		name, _, _ = strings.Cut(short, "=")
		given = "-" + name
	}
	if cmd.Flags().Lookup(name) != nil {
		return fmt.Errorf("unknown flag %s; did you mean --%s?", given, name)
	}
	check, _, _ := cmd.Root().Find([]string{"check"})
	if cmd.HasParent() || check == nil {
		return nil
	}
	flags := check.Flags()
	if flags.Lookup(name) == nil && (len(name) != 1 || flags.ShorthandLookup(name) == nil) {
		return nil
	}
	args := strings.Join(a.args, " ")
	if len(name) > 1 && strings.HasPrefix(given, "-"+name) {
		args = strings.Replace(args, given, "--"+name, 1)
	}
	return fmt.Errorf("unknown flag %s; it belongs to a command; run: rlvet check %s", given, args)
}
