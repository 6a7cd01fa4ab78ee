package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/mcp"
)

// confirm is `rlvet confirm` of what an agent names, under the flags of the server.
func (g *agent) confirm(ctx context.Context, run mcp.Run) (*mcp.Confirmed, error) {
	except := append([]string{"allow-run"}, fixing...)
	var rules []string
	if run.Select != nil { // instead of the server's
		except, rules = append(except, "select"), []string{"--select=" + strings.Join(run.Select, ",")}
	}
	own, err := g.within(run)
	if err != nil {
		return nil, err
	}
	target, err := targetOf(run)
	if err != nil {
		return nil, err
	}
	args := slices.Concat(flagsAgain(g.flags, except...), own, rules, target, []string{"--"}, run.Args)
	report, notes, err := g.confirmQuietly(ctx, args...)
	if err != nil {
		return nil, toAgent(err)
	}
	return &mcp.Confirmed{Verdicts: report.verdicts(), Notes: notes}, nil
}

// targetOf is what to run, as arguments.
func targetOf(run mcp.Run) ([]string, error) {
	switch {
	case run.Script == "" && run.Module == "":
		return nil, errors.New("give the script to run, or the module")
	case run.Script != "" && run.Module != "":
		return nil, errors.New("script and module contradict each other; give one of them")
	case run.Module != "":
		return []string{"--module=" + run.Module}, nil
	case strings.HasPrefix(run.Script, "-"): // a file, and no flag
		return []string{"./" + run.Script}, nil
	}
	return []string{run.Script}, nil
}

// within are the limits that a call sets itself, as flags. They are never wider than
// the server's.
func (g *agent) within(run mcp.Run) (args []string, err error) {
	if run.Timeout != "" {
		asked, err := time.ParseDuration(run.Timeout)
		if err != nil || asked <= 0 {
			return nil, fmt.Errorf("timeout: %q is no time; write it as 90s or 10m", run.Timeout)
		}
		if most, _ := g.flags.GetDuration("timeout"); asked > most {
			return nil, fmt.Errorf("timeout: %s is more than the %s that this server allows (rlvet mcp --timeout)", asked, most)
		}
		args = append(args, "--timeout="+asked.String())
	}
	switch most, _ := g.flags.GetInt("max-steps"); {
	case run.MaxSteps < 0:
		return nil, fmt.Errorf("max_steps: %d is not a number of steps; give 1 or more", run.MaxSteps)
	case most > 0 && run.MaxSteps > most:
		return nil, fmt.Errorf("max_steps: %d are more than the %d that this server allows (rlvet mcp --max-steps)", run.MaxSteps, most)
	case run.MaxSteps > 0:
		args = append(args, fmt.Sprintf("--max-steps=%d", run.MaxSteps))
	}
	seeds, err := g.seeds(run)
	return append(args, seeds...), err
}

// seeds are a call's own seeds, as a flag.
func (g *agent) seeds(run mcp.Run) ([]string, error) {
	if len(run.Seeds) == 0 {
		return nil, nil
	}
	allowed, _ := g.flags.GetString("seeds")
	if most := 1 + strings.Count(allowed, ","); len(run.Seeds) > most {
		return nil, fmt.Errorf("seeds: %d are more than the %d that this server allows (rlvet mcp --seeds)", len(run.Seeds), most)
	}
	var list []string
	for _, seed := range run.Seeds {
		list = append(list, strconv.Itoa(seed))
	}
	return []string{"--seeds=" + strings.Join(list, ",")}, nil
}

// flagsAgain writes flags that were given as they are given.
func flagsAgain(flags *pflag.FlagSet, except ...string) (args []string) {
	flags.Visit(func(f *pflag.Flag) {
		if slices.Contains(except, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			args = append(args, "--"+f.Name+"="+value)
		}
	})
	return args
}

// verdicts are the answer to an agent.
func (c *confirmedScript) verdicts() []mcp.Verdict {
	out := []mcp.Verdict{}
	for i, f := range c.Findings {
		v := mcp.Verdict{
			Code: f.Code, Path: shortest(f.Filename), Line: f.Location.Row,
			Verdict: f.Confirmation.Verdict, Reason: f.Confirmation.Reason,
		}
		if f.Cell != nil {
			v.Cell = *f.Cell
		}
		if v.Verdict == string(harness.Confirmed) { // else no fix was tried
			v.Fix = joined(f.Confirmation.Fix.Verdict, f.Confirmation.Fix.Reason)
		}
		v.Agree, v.Runs = c.agreeing(i)
		out = append(out, v)
	}
	return out
}

// joined is "fixed: why", or what there is of it.
func joined(verdict, why string) string {
	if verdict == "" || why == "" {
		return verdict
	}
	return verdict + ": " + why
}

// shortest is an absolute path, from the working directory where that is above it.
func shortest(path string) string {
	if short := relative(workingDir(), path); filepath.IsLocal(short) {
		return short
	}
	return path
}
