package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/program"
	"github.com/rlvet/rlvet/internal/reward"
	"github.com/rlvet/rlvet/internal/words"
)

// rewardFlags are the flags of `rlvet reward`.
type rewardFlags struct {
	checkFlags
	data, answer, form, framework string
	prompts                       int
	timeout, maxTime              time.Duration
	maxMemory, maxCopy            int64 // megabytes
	python, isolation             string
	showOutput                    bool
	html, format                  string
}

func (a *app) rewardCommand() *cobra.Command {
	flags := &rewardFlags{}
	cmd := &cobra.Command{
		Use:   "reward FILE.py:FUNCTION [--data PROMPTS.jsonl]",
		Short: "Call a reward function with what a policy would try, and say which tricks it rewards",
		Long: "Call a reward function as TRL, verl or OpenRLHF would, with right and wrong answers and with what a policy would find: an empty\n" +
			"completion, the format without an answer, every answer listed, tags repeated, very long text, code that exits ... Say which tricks\n" +
			"score as much as the right answer, whether the contract with the trainer is kept (one finite reward a completion, the same each\n" +
			"time, no exception), and what length, repetition and format alone add. The function runs in a copy of its project, without network.\n\n" +
			"The exit code is 1 if a trick works or the contract is broken, 0 if not, 2 if the function could not be called, or gave all completions\n" +
			"of each prompt the same, so that nothing can be said.",
		Example: "  rlvet reward rewards.py:accuracy --data prompts.jsonl\n  rlvet reward rewards.py:accuracy --data gsm8k.jsonl --answer solution --html reward.html\n  rlvet reward reward_score.py:compute_score --framework verl\n  rlvet reward rewards.py:'cosine_reward(max_len=1000)' --output-format json",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runReward(cmd, flags, args) },
	}
	flags.register(cmd.Flags())
	return cmd
}

func (r *rewardFlags) register(f *pflag.FlagSet) {
	f.SortFlags = false
	f.StringVar(&r.data, "data", "", "`FILE` of prompts as JSON Lines, with the columns that the function takes (default: built-in sums)")
	f.StringVar(&r.answer, "answer", "", "`COLUMN` that holds the right answer; a.b is b in the object a (default: answer, ground_truth, solution, label ...)")
	f.StringVar(&r.form, "form", "", "`TEMPLATE` of a completion with the right answer, with {answer} and, if you like, {reasoning} in it (default: the best of many)")
	f.StringVar(&r.framework, "framework", "", "call the function as this `FRAMEWORK` does: "+strings.Join(reward.Frameworks, ", ")+" (default: by its parameters)")
	f.IntVar(&r.prompts, "max-prompts", reward.DefaultPrompts, "try at most this `NUMBER` of prompts, evenly spread over the data")
	f.DurationVar(&r.timeout, "timeout", reward.DefaultTimeout, "`TIME` for a call, such as 10s")
	f.DurationVar(&r.maxTime, "max-time", reward.DefaultTime, "`TIME` for all calls; what is not called by then is said")
	f.Int64Var(&r.maxMemory, "max-memory", reward.DefaultMemory>>20, "end a call that uses more than this many `MEGABYTES`")
	f.StringVar(&r.python, "python", "", "`PATH` of the Python to run with (default: VIRTUAL_ENV's or CONDA_PREFIX's, .venv's, venv's, or the first on PATH that has torch)")
	f.Int64Var(&r.maxCopy, "max-copy", harness.DefaultCopy>>20, "copy at most this many `MEGABYTES` of the project")
	f.StringVar(&r.isolation, "isolation", "auto", "how to isolate the function, by `MEANS`: auto, bwrap, userns or none")
	f.BoolVar(&r.showOutput, "show-output", false, "print what the function printed")
	f.StringVar(&r.html, "html", "", "write the result to a `FILE` as a page with plots, besides the report")
	f.StringVar(&r.format, "output-format", "text", "print as `FORMAT`: text, json")
	f.BoolVarP(&r.quiet, "quiet", "q", false, "show no progress and no warnings")
	r.checkFlags.registerRules(f)
}

// valid says what of the flags makes no sense.
func (r *rewardFlags) valid(f *pflag.FlagSet) error {
	switch {
	case !slices.Contains([]string{"text", "json"}, r.format):
		return fmt.Errorf("--output-format %s: reward prints text or json", r.format)
	case r.framework != "" && !slices.Contains(reward.Frameworks, r.framework):
		if near := words.Nearest(r.framework, reward.Frameworks); near != "" {
			return fmt.Errorf("--framework %s: did you mean %s?", r.framework, near)
		}
		return fmt.Errorf("--framework %s: there are %s", r.framework, strings.Join(reward.Frameworks, ", "))
	case r.form != "" && !strings.Contains(r.form, "{answer}"):
		return fmt.Errorf("--form %q: there is no {answer} in it; write, for example, --form '<answer>{answer}</answer>'", r.form)
	case r.answer != "" && r.data == "":
		return errors.New("--answer names a column of the data; give --data too")
	case r.prompts < 1:
		return fmt.Errorf("--max-prompts: %d is not a number of prompts; give 1 or more", r.prompts)
	case r.timeout <= 0:
		return fmt.Errorf("--timeout: %s is no time; give one such as 10s", r.timeout)
	case r.maxTime <= 0:
		return fmt.Errorf("--max-time: %s is no time; give one such as 5m", r.maxTime)
	case r.maxMemory < 1:
		return fmt.Errorf("--max-memory: %d is not a number of megabytes; give 1 or more", r.maxMemory)
	case f.Changed("data") && r.data == "":
		return errors.New("--data: the name of the file is empty")
	}
	if err := harness.Isolation(r.isolation).Valid(); err != nil {
		return err
	}
	if r.html == "" {
		return nil
	}
	if err := writable(r.html); err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	return nil
}

// functionOf is the file and the function of the arguments.
func functionOf(args []string) (file, name string, err error) {
	switch {
	case len(args) == 0:
		return "", "", errors.New("name the file and the function: rlvet reward rewards.py:accuracy")
	case len(args) > 1:
		return "", "", fmt.Errorf("reward calls one function, and %d are named: %s", len(args), strings.Join(args, ", "))
	}
	return reward.Split(args[0])
}

func (a *app) runReward(cmd *cobra.Command, flags *rewardFlags, args []string) error {
	if err := flags.valid(cmd.Flags()); err != nil {
		return err
	}
	file, name, err := functionOf(args)
	if err != nil {
		return err
	}
	flags.explainFreely()
	resolver, err := flags.resolver(a, cmd)
	if err != nil {
		return err
	}
	r := &runner{app: a, flags: &runFlags{showOutput: flags.showOutput}, quiet: flags.quiet, notes: a.Stderr}
	request := reward.Request{
		Function: name, Framework: flags.framework, Data: flags.data, Answer: flags.answer, Form: flags.form, MaxPrompts: flags.prompts,
		Timeout: flags.timeout, MaxTime: flags.maxTime, MaxMemory: flags.maxMemory << 20, Version: version(),
	}
	request.Check, request.Scripts, request.Python = a.request(&flags.checkFlags, resolver), []string{file}, flags.python
	// Alone: a process of its own imports less than one that is forked from a Python with torch.
	request.Launcher = harness.Local{Alone: true}
	request.Plan = harness.Plan{Device: "cpu", Isolation: harness.Isolation(flags.isolation), Limits: harness.Limits{MaxCopy: flags.maxCopy << 20}}
	return a.rewardOnce(cmd.Context(), r, flags, request)
}

// rewardOnce calls, and reports.
func (a *app) rewardOnce(ctx context.Context, r *runner, flags *rewardFlags, request reward.Request) error {
	bar := &checkBar{app: a, quiet: flags.quiet}
	defer bar.close()
	request.Request.Check.Progress = bar.set
	request.Checked = func(p *program.Program) {
		bar.close()
		if p.Checked != nil {
			(&session{app: a, flags: &flags.checkFlags}).warn(p.Checked.Warnings)
		}
	}
	request.Step = func(name string, plans []harness.Plan) func([]*harness.Report) {
		bar.close()
		end := r.step(name, plans)
		return func(reports []*harness.Report) {
			end(reports)
			for _, report := range reports {
				r.showOutput(request.Scripts[0], report.Runs)
			}
		}
	}
	result, err := reward.Run(ctx, request)
	if err != nil {
		return err
	}
	a.exit = exitClean
	switch {
	case result.Found:
		a.exit = exitFindings
	case result.Blind():
		a.exit = exitFailure
	}
	if err := writeOutput("--html", flags.html, func(w io.Writer) error { return reward.WritePage(w, result) }); err != nil {
		return err
	}
	if flags.format == "json" {
		return reward.WriteJSON(a.Stdout, result)
	}
	return reward.WriteText(a.Stdout, result, a.coloured(a.Stdout))
}
