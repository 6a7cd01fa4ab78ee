package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// tool is something that reads a tree of Python files.
type tool struct {
	name    string
	version string
	missing string   // why it cannot run, and how to get it; empty where it can
	command []string // "TREE" stands for the folder
	partly  int      // exit code that says that some files could not be read in full; 0 where there is none
}

// cost is what one run took.
type cost struct {
	wall, cpu time.Duration
	peak      int64 // bytes
}

// result is what all runs of a tool took, or why there are no numbers.
type result struct {
	tool  tool
	costs []cost
	note  string
}

// slow is the time from which on one run of a tool is enough: what takes so long
// is hardly disturbed by what else the machine does.
const slow = 30 * time.Second

// measureAll runs every tool once a round. A tool that fails, exceeds its time or
// is slow is not run again.
func measureAll(ctx context.Context, tools []tool, tree string, opts options) []result {
	results := make([]result, len(tools))
	for i, t := range tools {
		results[i] = result{tool: t, note: t.missing}
	}
	for round := range opts.rounds {
		for i := range results {
			r := &results[i]
			if r.note != "" || ctx.Err() != nil || r.slow() {
				continue
			}
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", round+1, opts.rounds, r.tool.name)
			c, err := measure(ctx, r.tool, tree, opts.limit)
			if err != nil {
				r.note, r.costs = err.Error(), nil
				continue
			}
			r.costs = append(r.costs, c)
		}
	}
	return results
}

func (r result) slow() bool { return len(r.costs) > 0 && r.costs[0].wall > slow }

// measure runs a tool once, with its output thrown away.
func measure(ctx context.Context, t tool, tree string, limit time.Duration) (cost, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	args := slices.Clone(t.command)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "TREE", tree)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = tree
	cmd.Stdout = io.Discard
	var complaint strings.Builder
	cmd.Stderr = &complaint
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return cost{}, fmt.Errorf("more than %s", limit)
	}
	if err != nil && (t.partly == 0 || cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != t.partly) {
		return cost{}, fmt.Errorf("failed: %w: %s", err, firstLine(complaint.String()))
	}
	peak, err := peakMemory(cmd.ProcessState)
	if err != nil {
		return cost{}, err
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return cost{wall: wall, cpu: cpu, peak: peak}, nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// median returns the middle of the values, the lower one of two.
func median[T int64 | time.Duration](costs []cost, of func(cost) T) T {
	values := make([]T, len(costs))
	for i, c := range costs {
		values[i] = of(c)
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}
