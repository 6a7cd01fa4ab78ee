package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// bothWays runs a plan's first seed in a process of its own and forked, and returns the
// results and what was told meanwhile.
func bothWays(t *testing.T, p Plan) (alone, forked Result, told [2][]Progress) {
	t.Helper()
	var results [2]Result
	p.Limits = p.Limits.orDefault()
	for i, l := range []Local{{Alone: true}, {}} {
		p.Progress = func(e Progress) { told[i] = append(told[i], e) }
		r, err := l.Launch(t.Context(), []Unit{{Plan: &p, Seed: p.Seeds[0]}})
		if err != nil || r[0].Failure != "" {
			t.Fatal(err, r[0].Failure)
		}
		results[i] = r[0]
	}
	return results[0], results[1], told
}

// forkedSoFar is the number of programs that were forked for a plan's seed.
func forkedSoFar(t *testing.T, p Plan) int {
	t.Helper()
	w := &runFolder{"/rlvet-0"}
	isolation, err := p.Isolation.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	s := acquireServer(t.Context(), p.Python.Path, environment(w, Unit{Plan: &p, Seed: p.Seeds[0]}, "rlvet-0", isolation), w)
	if s == nil {
		t.Fatal("there is no server")
	}
	defer servers.release(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// TestForked: a forked program cannot tell that it is none in a fresh process: it sees the
// same arguments, paths, modules, descriptors, handlers, rights and random numbers, starts
// processes that see the same, and tells the same events.
func TestForked(t *testing.T) {
	text, err := os.ReadFile("testdata/self.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args      []string
		seed      int
		isolation Isolation
	}{
		{[]string{"--no-torch"}, 0, NoIsolation}, {[]string{"torch"}, 0, NoIsolation}, {[]string{"numpy", "torch"}, 3, NoIsolation},
		{[]string{"torch", "numpy"}, 3, UserNamespace},
	} {
		t.Run(fmt.Sprint(c.args, c.seed, c.isolation), func(t *testing.T) {
			if _, err := c.isolation.Resolve(); err != nil {
				t.Skipf("SKIPPED: programs are NOT run under %s: %v", c.isolation, err)
			}
			p := planOf(t, string(text))
			if p.Python.Torch == "" && len(c.args) > 0 && !strings.HasPrefix(c.args[0], "-") {
				t.Skip("SKIPPED: there is no torch to fork with")
			}
			p.Args, p.Seeds, p.Isolation, p.Targets[0].Probe = c.args, []int{c.seed}, c.isolation, regexp.MustCompile(`enough = \d+`).ReplaceAllString(negative, "enough = 7")
			t.Setenv("ENDS_WITH", "3")
			before := forkedSoFar(t, p)
			alone, forked, told := bothWays(t, p)
			if n := forkedSoFar(t, p) - before; n != 1 {
				t.Fatalf("%d programs were forked, want 1\n%s", n, forked.Run.Output)
			}
			if diff := cmp.Diff(seen(t, alone), seen(t, forked)); diff != "" {
				t.Errorf("a program in a process of its own (-) and a forked one (+) differ:\n%s", diff)
			}
			if diff := cmp.Diff(told[0], told[1]); diff != "" {
				t.Errorf("their progress differs:\n%s", diff)
			}
			for _, r := range []*Result{&alone, &forked} {
				r.Run.WallSeconds, r.Run.PeakMemory, r.Run.Output = 0, 0, ""
			}
			if diff := cmp.Diff(alone, forked); diff != "" || alone.Run.Exit != 3 {
				t.Errorf("they end with exit code %d, and what was seen differs:\n%s", alone.Run.Exit, diff)
			}
		})
	}
}

// seen is what the program of testdata/self.py printed, but for what may differ: modules of
// the standard library that came with torch, and that of the server.
func seen(t *testing.T, r Result) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(r.Run.Output), &out); err != nil {
		t.Fatalf("%v\n%s", err, r.Run.Output)
	}
	return out
}

// TestForkedEnds: how a forked program ends is how a fresh one does.
func TestForkedEnds(t *testing.T) {
	for _, c := range []struct {
		name, script string
		limits       Limits
	}{
		{"done", "print('done')\n", Limits{}},
		{"exit code", "import sys\nsys.exit(300)\n", Limits{}},
		{"exit at once", "import os\nos._exit(7)\n", Limits{}},
		{"raises", "import torch\ndef f():\n    raise ValueError('no')\nf()\n", Limits{}},
		{"killed", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", Limits{}},
		{"out of time", "import time\nprint('going')\ntime.sleep(600)\n", Limits{Timeout: 5 * time.Second}},
		{"at exit", "import atexit, threading, time\natexit.register(print, 'last')\nthreading.Thread(target=lambda: (time.sleep(0.2), print('thread'))).start()\nprint('main', end='')\n", Limits{}},
		{"too deep", "def f(n):\n    return f(n + 1)\ntry:\n    f(0)\nexcept RecursionError as error:\n    print(error)\n", Limits{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := planOf(t, c.script)
			p.Limits = c.limits
			alone, forked, _ := bothWays(t, p)
			runFolder := regexp.MustCompile(`rlvet-[0-9]+`)
			for _, r := range []*Result{&alone, &forked} {
				r.Run.WallSeconds, r.Run.PeakMemory = 0, 0
				r.Run.Output = runFolder.ReplaceAllString(r.Run.Output, "RUN")
				if r.Run.Crash != nil {
					r.Run.Crash.Traceback = runFolder.ReplaceAllString(r.Run.Crash.Traceback, "RUN")
				}
			}
			if diff := cmp.Diff(alone, forked); diff != "" {
				t.Errorf("alone (-), forked (+):\n%s", diff)
			}
		})
	}
}

// TestServerDies: a program whose server ends during its run is run again in a process of its own.
func TestServerDies(t *testing.T) {
	p := planOf(t, "import os, signal\nwith open('/proc/%d/cmdline' % os.getppid()) as file:\n    forked = 'Forks programs' in file.read()\nif forked:\n    os.kill(os.getppid(), signal.SIGKILL)\n    os.kill(os.getpid(), signal.SIGSTOP)\nprint('alone')\n")
	p.Seeds = []int{77}
	r, err := Run(t.Context(), p)
	if err != nil || r.Runs[0].Status != "done" || r.Runs[0].Output != "alone\n" {
		t.Fatalf("%v %+v", err, r)
	}
	// The next one has a new server.
	p = planOf(t, "print('after')\n")
	p.Seeds = []int{77}
	if forkedSoFar(t, p) != 0 {
		t.Error("the dead server is still used")
	}
	if _, forked, _ := bothWays(t, p); forked.Run.Output != "after\n" || forkedSoFar(t, p) != 1 {
		t.Errorf("%+v", forked.Run)
	}
}

// TestNotForked: where a fork would not be a fresh process, there is one.
func TestNotForked(t *testing.T) {
	const who = "import os\nwith open('/proc/%d/cmdline' % os.getppid()) as file:\n    print('forked' if 'Forks programs' in file.read() else 'alone')\n"
	run := func(p Plan) string {
		r, err := Run(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(r.Runs[0].Output)
	}
	p := planOf(t, who)
	if got := run(p); got != "forked" {
		t.Errorf("a plain program is %s", got)
	}
	gpu := *p.Python
	gpu.Devices = []string{"a GPU"}
	p.Python = &gpu
	if got := run(p); got != "alone" {
		t.Errorf("a program that may use a GPU is %s", got)
	}
	p.Device = "cpu"
	if got := run(p); got != "forked" {
		t.Errorf("a program that may not use the GPU is %s", got)
	}
	if p.Python.Torch == "" {
		return
	}
	for _, name := range []string{"torch.py", "random.py", "numpy/__init__.py"} {
		p := planOf(t, who+"import torch\n")
		write(p.Root+"/"+name, []byte("print('ours')\n"+strings.Repeat("# \n", 2)))
		if got := run(p); !strings.Contains(got, "alone") && !strings.Contains(got, "ours") {
			t.Errorf("beside %s it is %s", name, got)
		}
	}
	own := t.TempDir()
	t.Setenv("PYTHONPATH", own)
	write(own+"/torch.py", []byte("print('torch prints')\n"))
	if got := run(planOf(t, who+"import torch\n")); !strings.HasPrefix(got, "alone\ntorch prints") {
		t.Errorf("with a torch that prints: %s", got)
	}
	write(own+"/torch.py", []byte("raise ImportError('broken')\n"))
	t.Setenv("PYTHONPATH", own+":"+own)
	if got := run(planOf(t, who+"try:\n    import torch\nexcept ImportError as e:\n    print(e)\n")); got != "alone\nbroken" {
		t.Errorf("with a broken torch: %s", got)
	}
	t.Setenv("PYTHONPATH", "relative")
	if got := run(planOf(t, who)); got != "alone" {
		t.Errorf("with a relative path it is %s", got)
	}
}

// TestServerEnds: a server ends when rlvet does not need it any more, or has ended itself, and
// with it the programs that it forked.
func TestServerEnds(t *testing.T) {
	t.Setenv("OF_THIS_TEST", t.TempDir()) // so that the server is one of its own
	p := planOf(t, "import os, time\nwith open('/proc/%d/cmdline' % os.getppid()) as file:\n    forked = 'Forks programs' in file.read()\nprint('forked' if forked else 'alone')\ntime.sleep(600 if forked else 0)\n")
	own := func() int { return len(marked("OF_THIS_TEST=" + os.Getenv("OF_THIS_TEST") + "\x00")) }
	if forkedSoFar(t, p) != 0 || own() != 1 {
		t.Fatalf("%d processes, want a server", own())
	}
	ended := make(chan string)
	go func() {
		r, err := Run(context.Background(), p)
		if err != nil {
			ended <- err.Error()
			return
		}
		ended <- r.Runs[0].Output
	}()
	for own() < 2 {
		time.Sleep(10 * time.Millisecond)
	}
	w := &runFolder{"/rlvet-0"}
	s := acquireServer(t.Context(), p.Python.Path, environment(w, Unit{Plan: &p}, "rlvet-0", NoIsolation), w)
	s.conn.Close()
	if got := <-ended; got != "alone\n" {
		t.Errorf("the run ended with %q, want that it went on in a process of its own", got)
	}
	servers.release(s)
	for begun := time.Now(); own() > 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatalf("%d processes are left", own())
		}
	}
}
