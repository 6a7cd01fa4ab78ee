package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// task is what Slurm says of a task of an array.
type task struct {
	array         int // the number of its array; a later one is greater
	state, reason string
}

// ended are the states in which a task does nothing any more.
var ended = []string{"", "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED", "TIMEOUT"}

func (t task) active() bool { return !slices.Contains(ended, t.state) }

// hopeless reports whether another try would end as this one did, or is not wanted.
func (t task) hopeless() bool {
	return slices.Contains([]string{"CANCELLED", "DEADLINE", "OUT_OF_MEMORY", "TIMEOUT"}, t.state)
}

// String is the state in Slurm's words, with its reason where that says more.
func (t task) String() string {
	switch {
	case t.state == "":
		return "it is not in the queue any more"
	case t.reason == "" || t.reason == "None":
		return t.state
	}
	return t.state + ", " + t.reason
}

// submit submits a script as an array and returns its number.
func submit(script string, args []string) (array int, err error) {
	out, err := command(context.Background(), script, "sbatch", append([]string{"--parsable"}, args...)...)
	if err != nil {
		return 0, err
	}
	lines := strings.Split(strings.TrimSpace(out), "\n") // a site's own words may come first
	number, _, _ := strings.Cut(lines[len(lines)-1], ";")
	if array, err = strconv.Atoi(number); err != nil {
		return 0, fmt.Errorf("sbatch printed %q, where the number of the job should be", out)
	}
	return array, nil
}

// ranges writes ascending numbers as Slurm does: 0-2,5.
func ranges(numbers []int) string {
	var out []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if i == j {
			out = append(out, strconv.Itoa(numbers[i]))
		} else {
			out = append(out, fmt.Sprintf("%d-%d", numbers[i], numbers[j]))
		}
		i = j + 1
	}
	return strings.Join(out, ",")
}

// queued returns what Slurm says of the tasks of some arrays, by index; of an index in
// several arrays, what it says of the last. It forgets tasks some minutes after they end.
func queued(ctx context.Context, arrays []int) (map[int]task, error) {
	tasks := map[int]task{}
	if len(arrays) == 0 {
		return tasks, nil
	}
	out, err := command(ctx, "", "squeue", "--noheader", "--array", "--states=all", "--jobs="+list(arrays, ","), "--format=%F|%K|%T|%r")
	if err != nil && strings.Contains(err.Error(), "Invalid job id") {
		return tasks, nil // all are forgotten
	}
	for line := range strings.Lines(out) {
		fields := strings.Split(strings.TrimSpace(line), "|")
		if len(fields) != 4 {
			continue
		}
		array, _ := strconv.Atoi(fields[0])
		index, err := strconv.Atoi(fields[1])
		if err == nil && array >= tasks[index].array {
			tasks[index] = task{array, fields[2], fields[3]}
		}
	}
	return tasks, err
}

func cancel(arrays []int) error {
	_, err := command(context.Background(), "", "scancel", strings.Fields(list(arrays, " "))...)
	return err
}

func list(numbers []int, separator string) string {
	var out []string
	for _, n := range numbers {
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, separator)
}

// command runs one of Slurm's commands. The error holds what it errorLines, in one line.
func command(ctx context.Context, stdin, name string, args ...string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, 2*time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.SysProcAttr = ownGroup() // out of reach of a terminal's Ctrl-C, which would end a submission in the middle
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	err := cmd.Run()
	switch {
	case err == nil:
		return stdout.String(), nil
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("--launcher slurm needs %s, and it is not on the PATH; run rlvet where you submit jobs", name)
	}
	return "", fmt.Errorf("%s: %s", name, errorLines(name, stderr.String(), err))
}

// errorLines joins the lines that a command wrote to standard error.
func errorLines(name, stderr string, err error) string {
	var out []string
	for line := range strings.Lines(stderr) {
		line = strings.TrimPrefix(strings.TrimSpace(line), name+": ")
		if line = strings.TrimPrefix(line, "error: "); line != "" {
			out = append(out, line)
		}
	}
	if len(out) == 0 {
		return err.Error()
	}
	return strings.Join(out, "; ")
}
