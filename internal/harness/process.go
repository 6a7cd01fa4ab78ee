package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/rlvet/rlvet/internal/harness/protocol"
)

// mark is the variable of the environment by which the processes of a run are found,
// wherever they went.
const mark = "RLVET_RUN"

// patience is how long a run may take to end after SIGTERM.
const patience = 5 * time.Second

// process is one run under way.
type process struct {
	unit     Unit
	token    string
	program  *childProcess
	run      SeedRun
	evidence map[int]*runEvidence // by target
	progress func(Progress)
	lossesOf string      // the process whose losses stand for the run
	over     chan string // a child has used up what the plan allows
	ended    bool        // the first process sent its end
	alone    bool        // it is to have a process of its own
	peak     int64       // of the group's memory, as it was seen from outside
}

func newProcess(u Unit, w *runFolder, isolation Isolation) *process {
	pr := &process{unit: u, token: filepath.Base(w.dir), evidence: map[int]*runEvidence{}, progress: u.Plan.Progress, over: make(chan string, 1)}
	pr.run = SeedRun{Seed: u.Seed, Status: "killed", Isolation: isolation}
	for _, t := range u.Plan.Targets {
		pr.evidence[t.ID] = &runEvidence{}
	}
	return pr
}

// tell tells whoever listens what the run does.
func (pr *process) tell(p Progress) {
	if pr.progress != nil {
		p.Seed = pr.unit.Seed
		pr.progress(p)
	}
}

// result is what came of the run.
func (pr *process) result() Result {
	r := Result{Run: pr.run}
	for _, t := range pr.unit.Plan.Targets {
		saw := pr.evidence[t.ID].judge(&pr.run, pr.ended)
		r.Saw = append(r.Saw, saw)
		pr.tell(Progress{Kind: "judged", Target: t.ID, Verdict: saw.Verdict})
	}
	pr.tell(Progress{Kind: "ended", Target: -1, Status: pr.run.Status})
	return r
}

// start starts the program, listens to it, and waits for its end or its limits'.
func (pr *process) start(ctx context.Context, w *runFolder, root, request string) error {
	out, err := newTail(w.output(), pr.unit.Plan.Limits.MaxOutput)
	if err != nil {
		return err
	}
	defer func() { pr.run.Output = out.text() }()
	events, tell, err := openPipe(w.events())
	if err != nil {
		return err
	}
	defer events.Close()
	defer tell.Close()
	printed, print, err := os.Pipe()
	if err != nil {
		return err
	}
	defer printed.Close()
	release, err := pr.launch(ctx, w, root, request, print)
	print.Close()
	if err != nil {
		return err
	}
	defer release()
	begun := time.Now()
	var heard sync.WaitGroup
	heard.Go(func() {
		pr.fail(protocol.Read(events, pr.targets(), pr.take))
		io.Copy(io.Discard, events) // nobody waits to write while the run is ended
	})
	heard.Go(func() { io.Copy(out, printed) })
	reason := pr.wait(ctx)
	killMarked(pr.token)
	tell.Close()
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
	if pr.program.lost && ctx.Err() == nil {
		return errNotServed
	}
	pr.conclude(reason)
	return ctx.Err()
}

// launch starts the program: from a server where one serves it, or else in a process of its
// own. It prints to print.
func (pr *process) launch(ctx context.Context, w *runFolder, root, request string, print *os.File) (release func(), err error) {
	env := environment(w, pr.unit, pr.token, pr.run.Isolation)
	if !pr.alone && pr.unit.served(pr.run.Isolation) {
		if s := acquireServer(ctx, pr.unit.Plan.Python.Path, env, w); s != nil {
			r := forkRequest{
				Folder: pr.workingDirectory(root), Python: w.python(), Request: request, Environment: asMap(env),
				Separate: pr.run.Isolation == UserNamespace,
			}
			if pr.program, err = s.fork(w, r, print); err == nil {
				return func() { servers.release(s) }, nil
			}
			servers.release(s)
			if !errors.Is(err, errNotServed) || errors.Is(err, errServerLost) {
				return nil, err
			}
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	args := []string{pr.unit.Plan.Python.Path, "-m", "rlvet_harness", request}
	if pr.run.Isolation == Bubblewrap {
		args = wrap(args, w.dir, root)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = pr.workingDirectory(root), env, print, print
	group(cmd)
	if pr.run.Isolation == UserNamespace {
		separate(cmd)
	}
	if pr.program, err = startAlone(cmd); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", args[0], err)
	}
	return func() {}, nil
}

// workingDirectory is the copy's counterpart of where a user would start the program:
// the script's folder, or the project's for a module.
func (pr *process) workingDirectory(root string) string {
	if pr.unit.Plan.Script != "" {
		return filepath.Dir(filepath.Join(root, pr.unit.Plan.Script))
	}
	return root
}

// wait waits for the program to end, or ends it; it returns why, "" where it ended by
// itself.
func (pr *process) wait(ctx context.Context) string {
	done := pr.program.done
	timeout := time.After(pr.unit.Plan.Limits.Timeout)
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
		case why := <-pr.over:
			pr.kill(done)
			return why
		case <-tick.C:
			used := groupMemory(pr.program.pid)
			pr.peak = max(pr.peak, used)
			if limit := pr.unit.Plan.Limits.MaxMemory; limit > 0 && used > limit {
				pr.signal(syscall.SIGKILL)
				<-done
				return "memory"
			}
		}
	}
}

// kill asks the group to end, and ends it.
func (pr *process) kill(done <-chan struct{}) {
	askToEnd(pr.program.pid, pr.token)
	select {
	case <-done:
		pr.awaitChildren()
	case <-time.After(patience):
	}
	pr.signal(syscall.SIGKILL)
	<-done
}

// awaitChildren gives those who were asked to end with the first process a moment to tell
// what they saw.
func (pr *process) awaitChildren() {
	for begun := time.Now(); time.Since(begun) < time.Second && len(marked(mark+"="+pr.token+"\x00")) > 0; {
		time.Sleep(20 * time.Millisecond)
	}
}

func (pr *process) signal(s syscall.Signal) { signalGroup(pr.program.pid, s) }

// conclude settles how the run ended.
func (pr *process) conclude(reason string) {
	run := &pr.run
	run.PeakMemory = max(run.PeakMemory, pr.peak)
	run.Exit = pr.program.exitCode()
	switch {
	case reason != "":
		run.Status = reason
	case !pr.ended && !pr.program.status.Exited():
		run.Status, run.Signal = "killed", signalOf(pr.program.status)
	case !pr.ended:
		run.Status = "exit"
	}
	if run.Fault != "" {
		run.Status = "protocol-error"
	}
}

func (pr *process) targets() (ids []int) {
	for id := range pr.evidence {
		ids = append(ids, id)
	}
	return ids
}

// signalOf names the signal that ended a process, "" for none.
func signalOf(status syscall.WaitStatus) string {
	if status.Signaled() {
		return status.Signal().String()
	}
	return ""
}
