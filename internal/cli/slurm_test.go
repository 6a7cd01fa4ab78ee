//go:build linux

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/renameio/v2"

	"github.com/rlvet/rlvet/internal/torchtest"
)

// gated makes a trainer wait at its start until it may go on: the n-th start of all goes on
// once the file GATE says n or more. STARTS gets a line for each.
const gated = `import os, time, torch
def wait():
    starts = os.open(os.environ["STARTS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    line = ("%-20s %3d\n" % (os.path.basename(__file__), torch.initial_seed())).encode()
    os.write(starts, line)
    number = os.lseek(starts, 0, os.SEEK_CUR) // len(line)
    while number > int(open(os.environ["GATE"]).read()):
        time.sleep(0.05)
wait()
`

// arrayStory is a plan of three scripts under four seeds, on a cluster.
type arrayStory struct {
	*cluster
	root, work, python string
}

func newArrayStory(t *testing.T) *arrayStory {
	python := torchtest.Python(t, "arrays of Slurm are NOT tried")
	s := &arrayStory{cluster: newCluster(t), root: copyOf(t, filepath.Join("testdata", "trainers")), work: t.TempDir(), python: python}
	for _, path := range s.scripts() {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append([]byte(gated), text...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("STARTS", s.path("starts"))
	t.Setenv("GATE", s.path("gate"))
	s.gate(0)
	return s
}

func (s *arrayStory) scripts() []string {
	paths, err := filepath.Glob(filepath.Join(s.root, "*.py"))
	if err != nil || len(paths) != 3 {
		s.t.Fatalf("%v: %v", paths, err)
	}
	return paths
}

// gate lets the first n starts go on.
func (s *arrayStory) gate(n int) {
	if err := renameio.WriteFile(s.path("gate"), []byte(fmt.Sprint(n)), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// starts counts the starts of trainers.
func (s *arrayStory) starts() int {
	text, _ := os.ReadFile(s.path("starts"))
	return bytes.Count(text, []byte("\n"))
}

// results counts the runs of which the job folder has the result.
func (s *arrayStory) results() int {
	paths, _ := filepath.Glob(filepath.Join(s.work, "*", "batch-*", "result-*.json"))
	return len(paths)
}

// submit starts the program.
func (s *arrayStory) submit(more ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	s.t.Helper()
	args := []string{"confirm", "--launcher", "slurm", "--work-dir", s.work, "--isolated", "--isolation", "none", "--python", s.python,
		"--seeds", "0,1,2,3", "--no-fix-check", "--output-format", "json"}
	cmd = exec.Command("rlvet-real", slices.Concat(args, more, s.scripts())...)
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	return cmd, stdout, stderr
}

// TestSlurm: an array of three scripts under four seeds, and the first seed of each once
// more, survives the loss of its node and of the program that submitted it. What is done is
// not done again, and the report is complete.
func TestSlurm(t *testing.T) {
	s := newArrayStory(t)
	before := snapshot(t, s.root)
	cmd, _, stderr := s.submit()
	s.gate(5)
	s.until("two runs wait, and five are done", func() bool { return s.starts() == 7 && s.results() == 5 })
	s.crash()
	s.gate(7 + 4)
	s.boot()
	s.until("two more wait, and nine are done", func() bool { return s.starts() == 13 && s.results() == 9 })
	s.interrupt(cmd, stderr)

	s.gate(100)
	cmd, stdout, stderr := s.submit()
	cmd.Wait()
	t.Logf("%s", stderr)
	if code := cmd.ProcessState.ExitCode(); code != exitFailure || !strings.Contains(stderr.String(), "ended.py: no run reached a finding: it ended with exit code 3") {
		t.Errorf("exit code %d, want %d since one trainer always fails", code, exitFailure)
	}
	if !strings.Contains(stderr.String(), "resuming: 9 of 15 runs are done") {
		t.Error("it does not say that it resumes")
	}
	if n := s.starts(); n != 13+6 {
		t.Errorf("there were %d starts, want 13 and then the 6 that were not done", n)
	}
	s.complete(stdout.Bytes())
	s.nothingLeft()
	if after := snapshot(t, s.root); after != before {
		t.Errorf("the project has changed:\n%s\nwas\n%s", after, before)
	}
}

// interrupt ends the program as Ctrl-C does: its array is cancelled.
func (s *arrayStory) interrupt(cmd *exec.Cmd, stderr *bytes.Buffer) {
	s.t.Helper()
	cmd.Process.Signal(syscall.SIGINT)
	cmd.Wait()
	s.t.Logf("%s", stderr)
	if code := cmd.ProcessState.ExitCode(); code != exitFailure || !strings.HasSuffix(stderr.String(), "error: interrupted\n") {
		s.t.Errorf("exit code %d", code)
	}
	for _, want := range []string{": 15 runs, in ", ": 2 runs again, since the last try ended without a result (NODE_FAIL, NodeDown)", "9 of 15 runs are done"} {
		if !strings.Contains(stderr.String(), want) {
			s.t.Errorf("it does not say %q", want)
		}
	}
	s.until("the queue is empty", func() bool { return s.ask("squeue", "--noheader") == "" })
}

// complete checks that the report has every run of every script.
func (s *arrayStory) complete(text []byte) {
	s.t.Helper()
	var out []confirmed
	if err := json.Unmarshal(text, &out); err != nil {
		s.t.Fatalf("%v\n%s", err, text)
	}
	got := map[string]string{}
	for _, o := range out {
		verdict := ""
		for _, f := range o.Findings {
			verdict += fmt.Sprintf("%s %s under %d seeds", f.Code, f.Confirmation.Verdict, len(f.Confirmation.Seeds))
		}
		for _, r := range o.Runs {
			verdict += " " + r.Status
		}
		got[filepath.Base(o.Script)] = verdict
	}
	want := map[string]string{
		"ended.py":  "ADV009 inconclusive under 4 seeds exit exit exit exit",
		"flat.py":   "ADV009 confirmed under 4 seeds done done done done",
		"varied.py": "ADV009 refuted under 4 seeds done done done done",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Error(diff)
	}
}

// nothingLeft checks that no process of a job and no job folder is left.
func (s *arrayStory) nothingLeft() {
	s.t.Helper()
	left, err := os.ReadDir(s.work)
	if err != nil || len(left) > 0 {
		s.t.Errorf("left behind: %v (%v)", left, err)
	}
	s.until("no process is left", func() bool { return len(s.processes()) == 0 })
}

// TestSlurmAsHere: an array sees what processes of this machine see, fixes included, and
// what Slurm does not take is one line.
func TestSlurmAsHere(t *testing.T) {
	s := newArrayStory(t)
	s.gate(100)
	cmd, _, stderr := s.submit("--slurm-args", "--partition=nowhere")
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitFailure {
		t.Errorf("exit code %d, want %d", code, exitFailure)
	}
	want := "error: sbatch: invalid partition specified: nowhere; Batch job submission failed: Invalid partition name specified\n"
	if stderr.String() != want {
		t.Errorf("it says\n%s, want\n%s", stderr, want)
	}
	flat := filepath.Join(s.root, "flat.py")
	here, code := confirmScripts(t, "--isolation", "none", "--seeds", "3", "--jobs", "2", flat)
	there, again := confirmScripts(t, "--isolation", "none", "--seeds", "3", "--launcher", "slurm", "--work-dir", s.work, flat)
	if diff := cmp.Diff(here, there); diff != "" || code != again {
		t.Errorf("here it exits with %d, there with %d; here -, there +:\n%s", code, again, diff)
	}
	if fix := there.Findings[0].Confirmation.Fix; fix.Verdict != "fixed" {
		t.Errorf("the fix: %s: %s", fix.Verdict, fix.Reason)
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "rlvet-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
	s.nothingLeft()
}
