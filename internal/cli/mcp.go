package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/mcp"
)

// agent is `rlvet mcp`: it answers calls by `rlvet check` and `rlvet confirm`.
type agent struct {
	*app
	flags    *pflag.FlagSet
	settings settingsFlags
	allowRun bool
	base     *config.Resolver // of which every call has its own: settings may change meanwhile
}

// budgets are the flags of `rlvet confirm` that hold for every run that an agent asks
// for. An agent may ask for less.
var budgets = []string{"seeds", "python", "device", "timeout", "max-steps", "max-env-steps", "max-hits", "max-memory", "max-copy", "jobs", "isolation"}

// noAgents are settings that a server of agents does not take: it writes no files, its
// answers have one form, and each call says itself whether it wants unsafe fixes.
var noAgents = []string{"fix", "unsafe-fixes", "output-format"}

func (a *app) mcpCommand() *cobra.Command {
	g := &agent{app: a}
	cmd := &cobra.Command{
		Use: "mcp", Short: "Serve a coding agent by the Model Context Protocol, on standard input and output",
		Long: "Serve a coding agent by the Model Context Protocol: tools to check files or texts, to explain rules and to propose fixes, with the\n" +
			"same findings as `rlvet check` has in this directory. Agents start it; the README says how to tell them. It changes no file, and runs\n" +
			"no program unless --allow-run is given: then the tool confirm is `rlvet confirm`, within the limits that the flags set.",
		Example: "  rlvet mcp\n  rlvet mcp --preview --allow-run --timeout 2m --max-steps 200",
		Args:    cobra.NoArgs,
		RunE:    g.serve,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&g.allowRun, "allow-run", false, "offer the tool confirm, which runs the scripts that the agent names")
	confirm := a.confirmCommand().Flags()
	for _, name := range budgets {
		f.AddFlag(confirm.Lookup(name))
	}
	g.settings.register(f)
	for _, name := range noAgents {
		f.MarkHidden(name)
	}
	g.flags = f
	return cmd
}

// serve serves until the client hangs up.
func (g *agent) serve(cmd *cobra.Command, _ []string) error {
	if err := g.ready(cmd); err != nil {
		return err
	}
	in, out, err := g.streams()
	if err != nil {
		return err
	}
	o := mcp.Options{Rules: g.rules, Version: version(), Dir: workingDir(), Check: g.answer}
	if g.allowRun {
		o.Confirm = g.confirm
	}
	return mcp.Serve(cmd.Context(), in, out, o)
}

// ready reads the flags, and says what is wrong with them. What is wrong with the
// settings of the project is the agent's to hear, and to mend.
func (g *agent) ready(cmd *cobra.Command) (err error) {
	if name := g.given(noAgents); name != "" {
		return fmt.Errorf("--%s has no meaning here: agents are answered in one form, and no file is written; drop it", name)
	}
	if name := g.given(budgets); name != "" && !g.allowRun {
		return fmt.Errorf("--%s limits what is run, and nothing is run without --allow-run", name)
	}
	if g.base, err = g.settings.resolver(g.app, cmd); err != nil {
		return err
	}
	own := g.resolver(mcp.Query{})
	own.Isolated = own.File == ""
	_, err = own.For(".")
	return err
}

// streams are the protocol's.
func (g *agent) streams() (io.ReadCloser, io.WriteCloser, error) {
	out, ok := g.Stdout.(io.WriteCloser)
	if !ok {
		return nil, nil, errors.New("standard output cannot be closed")
	}
	in, ok := g.Stdin.(io.ReadCloser)
	if !ok {
		in = io.NopCloser(g.Stdin)
	}
	if g.IsTerminal(g.Stdin) {
		fmt.Fprintln(g.Stderr, "Waiting for an agent on standard input; stop with Ctrl-C.")
	}
	return in, out, nil
}

// given is the first flag of some that was given, "" where none was.
func (g *agent) given(names []string) string {
	for _, name := range names {
		if g.flags.Changed(name) {
			return name
		}
	}
	return ""
}

// answer is `rlvet check` of what an agent asks about.
func (g *agent) answer(ctx context.Context, q mcp.Query) (*mcp.Checked, error) {
	child, stderr := g.quiet()
	s := &session{app: child, flags: &checkFlags{diff: q.Fix}, resolver: g.resolver(q)}
	var err error
	if s.settings, err = s.resolver.For("."); err != nil {
		return nil, toAgent(err)
	}
	paths := q.Paths
	if q.Text != nil {
		child.Stdin, s.flags.stdinFilename, paths = strings.NewReader(*q.Text), q.Path, []string{"-"}
	}
	if err := s.collect(paths); err != nil {
		return nil, err
	}
	s.warn()
	j, err := s.work(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.applyBaseline(j.report); err != nil {
		return nil, err
	}
	out := &mcp.Checked{Report: j.report, Notes: linesOf(stderr)}
	for _, c := range j.fixed {
		out.Changes = append(out.Changes, mcp.Change{Before: c.before, After: c.after})
	}
	return out, nil
}

// toAgent names an argument as agents give it, and not as a flag.
func toAgent(err error) error { return errors.New(strings.TrimPrefix(err.Error(), "--")) }

// resolver is the call's own. Whatever the settings say, fixes are shown only.
func (g *agent) resolver(q mcp.Query) *config.Resolver {
	never := false
	r := &config.Resolver{Rules: g.rules, Isolated: g.base.Isolated, File: g.base.File, Inline: g.base.Inline, Override: g.base.Override}
	r.Override.Fix = &never
	if q.Select != nil {
		r.Override.Select = q.Select
	}
	if q.Unsafe {
		r.Override.UnsafeFixes = &q.Unsafe
	}
	return r
}
