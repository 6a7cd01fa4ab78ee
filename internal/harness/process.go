package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// mark is the variable of the environment by which the processes of a run are found,
// wherever they went.
const mark = "RLVET_RUN"

// patience is how long a run may take to end after SIGTERM.
const patience = 5 * time.Second

// process is one run under way.
type process struct {
	plan  *Plan
	seed  int
	token string
	cmd   *exec.Cmd
	run   SeedRun
	saw   map[int]*SeedEvidence
	ended bool // the Python side said goodbye
}

// launch runs the i-th seed to its end. The error is one of ours, not the program's.
func launch(ctx context.Context, p *Plan, w *workshop, isolation Isolation, i int) (*process, error) {
	root, seed := p.Root, p.Seeds[i]
	if !p.InPlace {
		root = filepath.Join(w.dir, fmt.Sprintf("run-%d", i), filepath.Base(p.Root))
		if err := copyProject(p.Root, root, p.Limits.MaxCopy); err != nil {
			return nil, err
		}
		if err := overlay(root, p.Overlay); err != nil {
			return nil, err
		}
	}
	requestPath, err := w.writeRequest(p, i, root)
	if err != nil {
		return nil, err
	}
	pr := &process{plan: p, seed: seed, token: fmt.Sprintf("%s-%d", filepath.Base(w.dir), i), saw: map[int]*SeedEvidence{}}
	pr.run = SeedRun{Seed: seed, Status: "killed", Output: filepath.Join(w.dir, fmt.Sprintf("output-%d.txt", i))}
	for _, t := range p.Targets {
		pr.saw[t.ID] = &SeedEvidence{Seed: seed, Verdict: NotReached, Reason: "the file with the flagged expression was never imported"}
	}
	return pr, pr.start(ctx, w, isolation, root, requestPath)
}

func overlay(root string, files map[string][]byte) error {
	for path, text := range files {
		path = filepath.Join(root, path)
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// start starts the program, listens to it, and waits for its end or its limits'.
func (pr *process) start(ctx context.Context, w *workshop, isolation Isolation, root, requestPath string) error {
	args := []string{pr.plan.Python.Path, "-m", "rlvet_harness", requestPath}
	if isolation == Bubblewrap {
		args = wrap(args, w.dir, root)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = pr.workingDirectory(root)
	cmd.Env = environment(w, pr.plan, pr.seed, pr.token, isolation)
	group(cmd)
	if isolation == UserNamespace {
		separate(cmd)
	}
	out, err := newTail(pr.run.Output, pr.plan.Limits.MaxOutput)
	if err != nil {
		return err
	}
	defer out.Close()
	events, tell, err := os.Pipe()
	if err != nil {
		return err
	}
	defer events.Close()
	printed, print, err := os.Pipe()
	if err != nil {
		return err
	}
	defer printed.Close()
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = print, print, []*os.File{tell}
	pr.cmd = cmd
	begun := time.Now()
	err = cmd.Start()
	tell.Close()
	print.Close()
	if err != nil {
		return fmt.Errorf("cannot start %s: %w", args[0], err)
	}
	var heard sync.WaitGroup
	heard.Go(func() { readEvents(events, pr.hear) })
	heard.Go(func() { io.Copy(out, printed) })
	reason := pr.wait(ctx)
	killMarked(pr.token)
	done := make(chan struct{})
	go func() {
		heard.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(patience): // what could not be found holds the pipes open
		events.Close()
		printed.Close()
		<-done
	}
	pr.run.WallSeconds = time.Since(begun).Seconds()
	pr.conclude(reason)
	return ctx.Err()
}

// workingDirectory is the copy's counterpart of where a user would start the program:
// the script's folder, or the project's for a module.
func (pr *process) workingDirectory(root string) string {
	if pr.plan.Script != "" {
		return filepath.Dir(filepath.Join(root, pr.plan.Script))
	}
	return root
}

// wait waits for the program to end, or ends it; it returns why, "" where it ended by
// itself.
func (pr *process) wait(ctx context.Context) string {
	done := make(chan struct{})
	go func() {
		pr.cmd.Wait()
		close(done)
	}()
	timeout := time.After(pr.plan.Limits.Timeout)
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return ""
		case <-ctx.Done():
			pr.kill(done)
			return "cancelled"
		case <-timeout:
			pr.kill(done)
			return "timeout"
		case <-tick.C:
			used := groupMemory(pr.cmd.Process.Pid)
			pr.run.PeakMemory = max(pr.run.PeakMemory, used)
			if limit := pr.plan.Limits.MaxMemory; limit > 0 && used > limit {
				pr.signal(syscall.SIGKILL)
				<-done
				return "memory"
			}
		}
	}
}

// kill asks the group to end, and ends it.
func (pr *process) kill(done <-chan struct{}) {
	pr.signal(syscall.SIGTERM)
	select {
	case <-done:
	case <-time.After(patience):
	}
	pr.signal(syscall.SIGKILL)
	<-done
}

func (pr *process) signal(s syscall.Signal) { syscall.Kill(-pr.cmd.Process.Pid, s) }

// hear takes an event.
func (pr *process) hear(e Event) {
	e.Seed = pr.seed
	switch e.Kind {
	case "versions":
		pr.run.Torch, pr.run.Device = e.Torch, e.Device
	case "crash":
		pr.run.Crash = &Crash{e.Type, e.Message, e.Traceback}
	case "bye":
		pr.ended = true
		pr.run.Status, pr.run.Steps, pr.run.EnvironmentSteps = e.Status, e.Steps, e.EnvironmentSteps
		pr.run.Losses, pr.run.PeakMemory = e.Losses, max(pr.run.PeakMemory, e.RSS)
		if len(e.Nonfinite) > 0 && string(e.Nonfinite) != "null" {
			pr.run.Nonfinite = new(Nonfinite)
			json.Unmarshal(e.Nonfinite, pr.run.Nonfinite)
		}
	default:
		pr.hearOf(e)
	}
	if pr.plan.Tell != nil {
		pr.plan.Tell(e)
	}
}

// hearOf takes an event about a target. Several processes of a program may tell of the
// same one.
func (pr *process) hearOf(e Event) {
	if e.ID == nil || pr.saw[*e.ID] == nil {
		return
	}
	s := pr.saw[*e.ID]
	switch e.Kind {
	case "target":
		s.Reason = "the flagged expression was never evaluated"
		if e.Status == "refused" {
			s.Verdict, s.Reason = Inconclusive, e.Reason
		}
	case "count":
		s.Hits = max(s.Hits, e.Hits)
		if s.Verdict == NotReached {
			s.Verdict, s.Reason = Inconclusive, "the run ended before it could be judged"
		}
	case "confirm":
		s.Verdict, s.Reason = Confirmed, e.Reason
		if s.Confirmation == nil {
			s.Confirmation = &Confirmation{e.Reason, e.Hit, e.Step, e.Seen, e.Stack}
		}
	case "points":
		s.Points = e.Points
	case "saw":
		s.Hits = max(s.Hits, e.Hits)
		s.Observations = e.Observations
		if s.Verdict != Confirmed {
			s.Verdict, s.Reason = Verdict(e.Verdict), e.Reason
		}
	}
}

// conclude settles how the run ended, and what that means for what it saw.
func (pr *process) conclude(reason string) {
	state := pr.cmd.ProcessState
	if state != nil {
		pr.run.Exit = state.ExitCode()
	}
	switch {
	case reason != "":
		pr.run.Status = reason
	case !pr.ended && state != nil && !state.Exited():
		pr.run.Status = "killed"
	case !pr.ended:
		pr.run.Status = "exit"
	}
	ended := map[string]string{
		"timeout": "its time was over; give more with --timeout", "memory": "it used more memory than --max-memory allows",
		"killed": "it was killed by a signal" + signalOf(state), "exit": "it ended with exit code " + strconv.Itoa(pr.run.Exit),
	}[pr.run.Status]
	if pr.run.Status == "crash" && pr.run.Crash != nil {
		ended = "it raised " + pr.run.Crash.Type + ": " + pr.run.Crash.Message
	}
	for _, s := range pr.saw {
		if ended != "" && (s.Verdict == NotReached || s.Verdict == Inconclusive && !pr.ended) {
			s.Verdict, s.Reason = Inconclusive, fmt.Sprintf("the run ended before it could be judged: %s", ended)
		}
	}
}

func signalOf(state *os.ProcessState) string {
	if state == nil {
		return ""
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return " (" + ws.Signal().String() + ")"
	}
	return ""
}
