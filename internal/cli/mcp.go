package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rlvet/rlvet/internal/confirm"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/mcp"
	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/program"
	"github.com/rlvet/rlvet/internal/reward"
)

// agent is `rlvet mcp`.
type agent struct {
	*app
	flags    *pflag.FlagSet
	settings settingsFlags
	allowRun bool
	runs     runFlags
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
			"same findings as `rlvet check` has in this directory. Agents start it; docs/agents.md says how to set them up. It changes no file, and runs\n" +
			"no program unless --allow-run is given: then the tools confirm, watch and reward are the commands of these\n" +
			"names, within the limits that the flags set.",
		Example: "  rlvet mcp\n  rlvet mcp --preview --allow-run --timeout 2m --max-steps 200",
		Args:    cobra.NoArgs,
		RunE:    g.serve,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&g.allowRun, "allow-run", false, "offer the tools confirm, watch and reward, which run what the agent names")
	all := pflag.NewFlagSet("confirm", pflag.ContinueOnError)
	g.runs.registerConfirm(all)
	for _, name := range budgets {
		f.AddFlag(all.Lookup(name))
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
	o, err := g.options(cmd)
	if err != nil {
		return err
	}
	in, out, err := g.streams()
	if err != nil {
		return err
	}
	return mcp.Serve(cmd.Context(), in, out, o)
}

// options reads the flags, and says what is wrong with them. What is wrong with the
// settings of the project is the agent's to hear, and to fix.
func (g *agent) options(cmd *cobra.Command) (o mcp.Options, err error) {
	if name := g.given(noAgents); name != "" {
		return o, fmt.Errorf("--%s has no meaning here: agents are answered in one form, and no file is written; drop it", name)
	}
	if name := g.given(budgets); name != "" && !g.allowRun {
		return o, fmt.Errorf("--%s limits what is run, and nothing is run without --allow-run", name)
	}
	resolver, err := g.settings.resolver(g.app, cmd)
	if err != nil {
		return o, err
	}
	never := false // whatever the settings say, fixes are shown only
	resolver.Override.Fix = &never
	own := resolver.Fresh()
	own.Isolated = own.File == ""
	if _, err := own.For("."); err != nil {
		return o, err
	}
	o = mcp.Options{Dir: paths.Working(), Check: g.request(&checkFlags{}, resolver)}
	if g.allowRun {
		if err := g.runs.validJobs(); err != nil {
			return o, err
		}
		o.Confirm = &confirm.Request{Request: program.Request{Python: g.runs.python, Launcher: harness.Local{Jobs: g.runs.jobs}}}
		if o.Confirm.Plan, err = g.runs.plan(); err == nil {
			o.Reward = rewardWithin(o.Confirm.Request)
		}
	}
	return o, err
}

// rewardWithin is what calls of a reward function have in common: their defaults, within the limits of runs.
func rewardWithin(runs program.Request) *reward.Request {
	limits := runs.Plan.Limits
	r := &reward.Request{MaxPrompts: reward.DefaultPrompts, Timeout: min(reward.DefaultTimeout, limits.Timeout), MaxTime: min(reward.DefaultTime, limits.Timeout), MaxMemory: reward.DefaultMemory}
	if limits.MaxMemory > 0 {
		r.MaxMemory = min(r.MaxMemory, limits.MaxMemory)
	}
	r.Python, r.Launcher = runs.Python, harness.Local{Alone: true}
	r.Plan = harness.Plan{Device: "cpu", Isolation: runs.Plan.Isolation, Limits: harness.Limits{MaxCopy: limits.MaxCopy}}
	return r
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
