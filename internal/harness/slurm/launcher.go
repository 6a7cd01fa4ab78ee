package slurm

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/rlvet/rlvet/internal/harness"
)

// Launcher runs units as tasks of arrays. One program uses it for the plans of one
// command, from one goroutine.
type Launcher struct {
	// Work is the folder for job folders, absolute; all nodes must see it.
	Work string
	// GPUs is the number that each unit gets; 0 asks for none.
	GPUs int
	// Jobs is the number of units at a time; 0 leaves that to Slurm.
	Jobs int
	// Args are more arguments for sbatch. They hold against what rlvet gives itself.
	Args []string
	// Say is told what happens to the arrays, a line at a time.
	Say func(string)

	folder *folder
}

// Launch submits the units that have no result yet and waits for all of them. Where ctx
// ends, or anything else goes wrong, its arrays are cancelled.
func (l *Launcher) Launch(ctx context.Context, units []harness.Unit) ([]harness.Result, error) {
	if l.folder == nil {
		f, err := openFolder(l.Work, units)
		if err != nil {
			return nil, err
		}
		l.folder = f
	}
	b, err := l.folder.batch(units)
	if err != nil {
		return nil, err
	}
	w := newWatch(l, b)
	if err := w.wait(ctx); err != nil {
		return nil, cmp.Or(w.cancel(), err) // what still runs is what matters most
	}
	var out []harness.Result
	for _, r := range b.results {
		out = append(out, *r)
	}
	return out, nil
}

// Close ends the launcher's work. The results are removed, unless they are kept so that the
// same plan can go on with them another time.
func (l *Launcher) Close(keep bool) error {
	if l.folder == nil {
		return nil
	}
	return l.folder.close(keep)
}

// submit submits units as one array.
func (l *Launcher) submit(b *batch, indexes []int) (int, error) {
	script := fmt.Sprintf("#!/bin/sh\nexec %s run-unit %s \"$SLURM_ARRAY_TASK_ID\"\n", quoted(filepath.Join(l.folder.path, "rlvet")), quoted(b.dir))
	which := "--array=" + ranges(indexes)
	if l.Jobs > 0 {
		which += fmt.Sprintf("%%%d", l.Jobs)
	}
	array, err := submit(script, append([]string{which}, l.arguments(b)...))
	if err != nil {
		return 0, err
	}
	return array, b.note(array)
}

// slack is what a task may take beyond the time of its run: to load, to copy, to end.
const slack = 5 * time.Minute

// arguments are those of sbatch. A task that ends without a result is submitted again by
// us and not by Slurm, so that the number of tries is bounded and can be told.
func (l *Launcher) arguments(b *batch) []string {
	limit := slack
	for _, u := range b.units {
		limit = max(limit, u.Plan.Limits.Timeout+slack)
	}
	args := []string{
		"--job-name=rlvet", "--chdir=/", "--output=" + filepath.Join(b.dir, "log-%a.txt"), "--open-mode=append", "--no-requeue",
		"--ntasks=1", fmt.Sprintf("--time=%d", int(limit/time.Minute)+1),
	}
	if l.GPUs > 0 {
		args = append(args, fmt.Sprintf("--gres=gpu:%d", l.GPUs))
	}
	return append(args, l.Args...)
}

// quoted is a word for the shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
