package harness

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// negative confirms at the first negative number. A number that is 0 has no sign and says nothing.
const negative = `"""TST001: the sign of a number."""
from rlvet_harness import Probe


class Negative(Probe):
    enough = 3
    needs = "a number other than 0"

    def hit(self, hit):
        self.show(value=hit.value)
        if hit.value < 0:
            self.confirm("it is negative", value=hit.value)
        elif hit.value:
            self.upheld()

    def failed(self, error):
        return "it cannot be computed" if isinstance(error, ZeroDivisionError) else None
`

// findPython finds it once.
var findPython = sync.OnceValues(func() (*Python, error) {
	given := ""
	if _, err := os.Stat("/usr/bin/python3"); err == nil {
		given = "/usr/bin/python3"
	}
	return FindPython(context.Background(), given, "")
})

// anyPython returns a Python; the harness itself needs no torch.
func anyPython(t testing.TB) *Python {
	t.Helper()
	p, err := findPython()
	if err != nil {
		if os.Getenv("REQUIRE_TORCH") != "" {
			t.Fatal(err)
		}
		t.Skipf("SKIPPED: programs are run with Python, and there is none: %v", err)
	}
	return p
}

// planOf is a plan for one script, of which the text between « and » is watched.
func planOf(t testing.TB, script string) Plan {
	t.Helper()
	root := t.TempDir()
	start := strings.Index(script, "«")
	end := strings.Index(script, "»") - len("«")
	text := strings.NewReplacer("«", "", "»", "").Replace(script)
	if err := os.WriteFile(filepath.Join(root, "main.py"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	p := Plan{Root: root, Script: "main.py", Seeds: []int{0}, Python: anyPython(t), Isolation: NoIsolation, Limits: Limits{Timeout: 2 * time.Minute}}
	if start >= 0 {
		row := 1 + strings.Count(text[:start], "\n")
		p.Targets = []Target{{ID: 0, Code: "TST001", File: "main.py", Start: start, End: end, Row: row, EndRow: row, Text: text[start:end], Probe: negative}}
	}
	return p
}

// TestVerdicts runs small programs: what they do, and what that means.
func TestVerdicts(t *testing.T) {
	const loop = "for i in range(5):\n    x = «"
	for _, c := range []struct {
		name, script string
		verdict      Verdict
		reason       string // a regular expression
	}{
		{"seen", loop + "3 - i*2»\n", Confirmed, "it is negative"},
		{"nothing to look at", loop + "i * 0»\n", Inconclusive, "5 evaluations without what a refutation needs: a number other than 0"},
		{"seldom something to look at", loop + "int(i > 2)»\n", Inconclusive, "only 2 of 5 evaluations had what a refutation needs .a number other than 0., which takes 3: run longer"},
		{"of another type", loop + "str(i)»\n", Inconclusive, "the probe failed: TypeError: '<' not supported between instances of 'str' and 'int'"},
		{"never seen", loop + "i»\n", Refuted, "the mistake was not seen"},
		{"too few", "x = «1 + 1»\n", Inconclusive, "only 1 of the 3 evaluations"},
		{"not reached", "def f():\n    return «1 + 1»\n", NotReached, "never evaluated"},
		{"crash there", "n = 0\nx = «1 / n»\n", Confirmed, "it cannot be computed"},
		{"crash elsewhere", "import nothing_of_this_name\nx = «1 + 1»\n", Inconclusive, "ModuleNotFoundError: No module named 'nothing_of_this_name'"},
		{"wants arguments", "import argparse\np = argparse.ArgumentParser()\np.add_argument('file')\np.parse_args()\nx = «1 + 1»\n", Inconclusive, "exit code 2"},
		{"reads standard input", "input()\nx = «1 + 1»\n", Inconclusive, "EOFError"},
		{"leaves at once", "import os\nos._exit(3)\nx = «1 + 1»\n", Inconclusive, "exit code 3"},
		{"leaves after it was seen", "import os\nx = «1 - 2»\nos._exit(3)\n", Confirmed, "it is negative"},
		{"segfault", "import ctypes\nctypes.string_at(0)\nx = «1 + 1»\n", Inconclusive, "a signal killed it .segmentation fault."},
		{"raises in a thread", "import threading\nthreading.Thread(target=lambda: 1 / 0).start()\nfor i in range(5):\n    x = «i + 1»\n", Refuted, ""},
		{"computes in a thread", "import threading\ndef f():\n    return «1 - 2»\nt = threading.Thread(target=f)\nt.start()\nt.join()\n", Confirmed, ""},
		{"closes what it did not open", "import os\nos.closerange(3, 256)\nkept = [open('/dev/null', 'w') for i in range(20)]\nfor i in range(5):\n    x = «3 - i*2»\n", Confirmed, "it is negative"},
		{"leaves at once after clean evaluations", "import os\nfor i in range(5):\n    x = «i + 1»\nos._exit(0)\n", Refuted, ""},
		{"in a lambda", "f = lambda i: «i - 2»\nfor i in range(4):\n    f(i)\n", Confirmed, ""},
		{"in a comprehension", "x = [«2 - i» for i in range(4)]\n", Confirmed, ""},
		{"main guard", "if __name__ == '__main__':\n    for i in range(4):\n        x = «2 - i»\n", Confirmed, ""},
		{"exit by itself", "import sys\nfor i in range(4):\n    x = «2 + i»\nsys.exit(0)\n", Refuted, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := planOf(t, c.script)
			e := evidence(t, p)
			if e.Verdict != c.verdict || !regexp.MustCompile(c.reason).MatchString(e.Reason) {
				t.Errorf("%s: %s, want %s: %s", e.Verdict, e.Reason, c.verdict, c.reason)
			}
		})
	}
}

func evidence(t *testing.T, p Plan) Evidence {
	t.Helper()
	before := tree(t, p.Root)
	r, err := Run(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	if after := tree(t, p.Root); after != before {
		t.Errorf("the project was changed from\n%s\nto\n%s", before, after)
	}
	t.Logf("%s, exit %d, output:\n%s", r.Runs[0].Status, r.Runs[0].Exit, r.Runs[0].Output)
	return r.Targets[0]
}

// TestChaos runs programs that do what programs should not: each comes to an end
// within its limits, and leaves no process, no file and an unchanged project.
func TestChaos(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, c := range []struct {
		name, script, status string
		limits               Limits
	}{
		{"loops for ever", "while True:\n    x = «1 + 1»\n", "hits", Limits{MaxHits: 100}},
		{"hangs", "import time\ntime.sleep(600)\nx = «1 + 1»\n", "timeout", Limits{Timeout: time.Second}},
		{"ignores the end of its time", "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True:\n    time.sleep(1)\nx = «1»\n", "timeout", Limits{Timeout: time.Second}},
		{"catches everything", "while True:\n    try:\n        while True:\n            x = «1 + 1»\n    except BaseException:\n        pass\n", "hits", Limits{MaxHits: 10}},
		{"prints without end", "line = 'x' * 65536\nfor i in range(4000):\n    print(line)\nx = «1 + 1»\n", "done", Limits{MaxOutput: 1 << 16}},
		{"allocates without bound", "import time\na = []\nwhile True:\n    a.append(bytearray(1 << 24))\n    time.sleep(0.01)\nx = «1»\n", "memory", Limits{MaxMemory: 400 << 20}},
		{"leaves its group", "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(600)\n    os._exit(0)\nx = «1 + 1»\n", "done", Limits{}},
		{"forks without need", "import os, time\nfor i in range(30):\n    if os.fork() == 0:\n        time.sleep(600)\nx = «1 + 1»\n", "done", Limits{}},
		{"writes beside itself", "open('out.txt', 'w').write('x')\nopen(__file__, 'a').write('# more')\nx = «1 + 1»\n", "done", Limits{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := planOf(t, c.script)
			if c.limits.Timeout == 0 {
				c.limits.Timeout = time.Minute
			}
			p.Limits = c.limits
			before := tree(t, p.Root)
			r, err := Run(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			if r.Runs[0].Status != c.status {
				t.Errorf("it ended by %q, want %q\n%.2000s", r.Runs[0].Status, c.status, r.Runs[0].Output)
			}
			if limit := c.limits.MaxOutput; limit > 0 && int64(len(r.Runs[0].Output)) > limit+100 {
				t.Errorf("%d bytes of output were kept, the limit is %d", len(r.Runs[0].Output), limit)
			}
			if after := tree(t, p.Root); after != before {
				t.Errorf("the project was changed from\n%s\nto\n%s", before, after)
			}
			nothingLeft(t)
		})
	}
}

// nothingLeft fails the test if a process of a run or a temporary file is left.
func nothingLeft(t *testing.T) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "rlvet-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v (%v)", left, err)
	}
	for _, pid := range marked("TMPDIR=" + os.TempDir()) {
		t.Errorf("process %d is left", pid)
	}
}

func tree(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		b.WriteString(path + "\n")
		if d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			b.Write(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestChanged: a file that is not what was checked is left alone.
func TestChanged(t *testing.T) {
	p := planOf(t, "for i in range(5):\n    x = «1 - 2»\n")
	p.Targets[0].Text = "2 - 1"
	if e := evidence(t, p); e.Verdict != Inconclusive || e.Reason != "the file has changed since it was checked" {
		t.Errorf("%s: %s", e.Verdict, e.Reason)
	}
}

// TestSeeds: each seed is another run of a program that sets its own seed, the same
// seed is the same run, and a program that takes --seed is given it.
func TestSeeds(t *testing.T) {
	p := planOf(t, "import random\nrandom.seed(7)\nfor i in range(4):\n    x = «random.random() + 0»\n")
	p.Seeds = []int{0, 1, 2, 1}
	r, err := Run(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, s := range r.Targets[0].Seeds {
		var all []string
		for _, o := range s.Observations {
			all = append(all, string(o))
		}
		seen = append(seen, strings.Join(all, " "))
	}
	if seen[0] == seen[1] || seen[1] == seen[2] || seen[1] != seen[3] || seen[0] == "" {
		t.Errorf("seeds 0, 1, 2 and 1 again saw\n%s", strings.Join(seen, "\n"))
	}
	p = planOf(t, "import argparse\np = argparse.ArgumentParser()\np.add_argument('--seed', type=int, default=9)\na = p.parse_args()\nfor i in range(4):\n    x = «a.seed + 0»\n")
	p.Seeds = []int{4}
	if e := evidence(t, p); !strings.Contains(string(e.Seeds[0].Observations[0]), `"value": 4`) && !strings.Contains(string(e.Seeds[0].Observations[0]), `"value":4`) {
		t.Errorf("--seed was %s", e.Seeds[0].Observations[0])
	}
}

// TestModules: modules of the project are watched when they are imported, packages
// started with -m included.
func TestModules(t *testing.T) {
	p := planOf(t, "from pkg import part\npart.f(3)\n")
	write := func(name, text string) {
		path := filepath.Join(p.Root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("pkg/__init__.py", "")
	text := "def f(x):\n    return x - 9\n"
	write("pkg/part.py", text)
	write("pkg/train.py", "from .part import f\n\nif __name__ == '__main__':\n    f(1)\n")
	at := strings.Index(text, "x - 9")
	p.Targets = []Target{{ID: 0, Code: "TST001", File: "pkg/part.py", Start: at, End: at + 5, Row: 2, EndRow: 2, Text: "x - 9", Probe: negative}}
	if e := evidence(t, p); e.Verdict != Confirmed {
		t.Errorf("as a script: %s: %s", e.Verdict, e.Reason)
	}
	p.Script, p.Module = "", "pkg.train"
	if e := evidence(t, p); e.Verdict != Confirmed {
		t.Errorf("as a module: %s: %s", e.Verdict, e.Reason)
	}
}

// TestCancelled: a run that is interrupted ends at once and leaves nothing.
func TestCancelled(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	p := planOf(t, "import time\ntime.sleep(600)\nx = «1 + 1»\n")
	begun := time.Now()
	if _, err := Run(ctx, p); err == nil {
		t.Error("no error")
	}
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
	nothingLeft(t)
}

// TestGPUs: runs at a time share the GPUs out, and a run alone sees them all.
func TestGPUs(t *testing.T) {
	for _, c := range []struct {
		visible string // to rlvet itself
		gpus    int
		local   Local
		device  string
		want    []string // what the runs see, sorted
	}{
		{"", 2, Local{}, "", []string{"0", "1"}},
		{"5,7", 2, Local{Jobs: 2}, "", []string{"5", "7"}},
		{"", 2, Local{Jobs: 1}, "", []string{"", ""}},
		{"", 1, Local{Jobs: 2}, "", []string{"0", "0"}},
		{"", 0, Local{Jobs: 2}, "", []string{"", ""}},
		{"", 2, Local{Jobs: 2}, "cpu", []string{"", ""}},
	} {
		t.Setenv("CUDA_VISIBLE_DEVICES", c.visible)
		// Each waits for the other where there are two at a time.
		p := planOf(t, "import os, time\ntime.sleep(1)\nprint('[%s]' % os.environ.get('CUDA_VISIBLE_DEVICES', ''))\n")
		python := *p.Python
		python.Devices = make([]string, c.gpus)
		p.Python, p.Device, p.Limits = &python, c.device, p.Limits.orDefault()
		results, err := c.local.Launch(t.Context(), []Unit{{Plan: &p, Seed: 0}, {Plan: &p, Seed: 1}})
		if err != nil {
			t.Fatal(err)
		}
		var saw []string
		for _, r := range results {
			saw = append(saw, strings.Trim(r.Run.Output, "[]\n"))
		}
		slices.Sort(saw)
		if !slices.Equal(saw, c.want) {
			t.Errorf("%d GPUs, %d at a time: the runs see %q, want %q", c.gpus, c.local.Jobs, saw, c.want)
		}
	}
}
