package harness

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"
)

// startedBy are programs that start processes in all the ways that training programs
// do. The expression between « and » is evaluated in children only, eight times in all.
var startedBy = []struct{ name, script string }{
	{"spawn", processes("spawn")},
	{"fork", processes("fork")},
	{"forkserver", processes("forkserver")},
	{"pool", `import multiprocessing

def work(i):
    return «i + 1»

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(work, range(8)))
`},
	{"executor", `import multiprocessing
from concurrent.futures import ProcessPoolExecutor

def work(i):
    return «i + 1»

if __name__ == "__main__":
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        print(list(pool.map(work, range(8))))
`},
	{"workers that talk over pipes", `import multiprocessing

def worker(pipe):
    while True:
        command, value = pipe.recv()
        if command == "close":
            break
        pipe.send(«value + 1»)

if __name__ == "__main__":
    context, pipes = multiprocessing.get_context(), []
    for i in range(2):
        ours, theirs = context.Pipe()
        context.Process(target=worker, args=(theirs,), daemon=True).start()
        pipes.append(ours)
    for i in range(4):
        for pipe in pipes:
            pipe.send(("step", i))
        print([pipe.recv() for pipe in pipes])
    for pipe in pipes:
        pipe.send(("close", None))
`},
	{"a worker that is terminated", `import multiprocessing, time

def work(queue):
    for i in range(8):
        x = «i + 1»
    queue.put(x)
    while True:  # Python sleeps on where a signal comes just before a long sleep begins
        time.sleep(0.1)

if __name__ == "__main__":
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=work, args=(queue,))
    process.start()
    print(queue.get())
    process.terminate()
    process.join()
`},
	{"fork without multiprocessing", `import os

for n in range(2):
    if os.fork() == 0:
        for i in range(4):
            x = «i + n»
        os._exit(0)
for n in range(2):
    os.wait()
`},
	{"another script", `import subprocess, sys

if len(sys.argv) == 1:
    for n in range(2):
        subprocess.run([sys.executable, __file__, str(n)], check=True)
else:
    for i in range(4):
        x = «i + int(sys.argv[1])»
`},
	{"a module in another process", `import subprocess, sys

if len(sys.argv) == 1:
    for n in range(2):
        subprocess.run([sys.executable, "-m", "main", str(n)], check=True)
else:
    for i in range(4):
        x = «i + int(sys.argv[1])»
`},
}

// processes starts two children by one of the start methods of multiprocessing.
func processes(method string) string {
	return fmt.Sprintf(`import multiprocessing

def work(n):
    for i in range(4):
        x = «n + i»

if __name__ == "__main__":
    context = multiprocessing.get_context("%s")
    children = [context.Process(target=work, args=(n,)) for n in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join()
`, method)
}

// TestChildren: an expression is watched in the process that evaluates it, and the
// evaluations of several processes count together. No child alone evaluates it often
// enough to refute.
func TestChildren(t *testing.T) {
	for _, c := range startedBy {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := planOf(t, c.script)
			p.Targets[0].Probe = regexp.MustCompile(`enough = \d+`).ReplaceAllString(negative, "enough = 7")
			e := evidence(t, p)
			if e.Verdict != Refuted || e.Seeds[0].Hits != 8 {
				t.Errorf("%s after %d evaluations: %s; want refuted after 8", e.Verdict, e.Seeds[0].Hits, e.Reason)
			}
		})
	}
}

// TestChildrenConfirm: what one child sees confirms.
func TestChildrenConfirm(t *testing.T) {
	for _, c := range startedBy {
		switch c.name {
		case "spawn", "fork", "forkserver", "another script":
		default:
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := planOf(t, c.script)
			p.Targets[0].Probe = regexp.MustCompile(`hit.value < 0`).ReplaceAllString(negative, "hit.value == 3")
			if e := evidence(t, p); e.Verdict != Confirmed || e.Seeds[0].Confirmation == nil || e.Seeds[0].Confirmation.Process == "" {
				t.Errorf("%s: %s; want confirmed, with the process", e.Verdict, e.Reason)
			}
		})
	}
}

// TestChildrenThatFail: children that end badly, and what that means.
func TestChildrenThatFail(t *testing.T) {
	const pool = "import multiprocessing\ndef work(n):\n    return «1 / n»\nif __name__ == '__main__':\n    with multiprocessing.get_context(%q).Pool(1) as pool:\n        pool.map(work, [0])\n"
	for _, c := range []struct {
		name, script string
		verdict      Verdict
		reason       string
		limits       Limits
	}{
		{"the mistake itself, in a pool", fmt.Sprintf(pool, "spawn"), Confirmed, "it cannot be computed", Limits{}},
		{"the mistake itself, in a forked pool", fmt.Sprintf(pool, "fork"), Confirmed, "it cannot be computed", Limits{}},
		{"the mistake itself, in a process", "import multiprocessing\ndef work(n):\n    return «1 / n»\nif __name__ == '__main__':\n    p = multiprocessing.get_context('spawn').Process(target=work, args=(0,))\n    p.start()\n    p.join()\n", Confirmed, "it cannot be computed", Limits{}},
		{"the mistake itself, in a script", "import subprocess, sys\nif len(sys.argv) == 1:\n    subprocess.run([sys.executable, __file__, '0'])\nelse:\n    x = «1 / int(sys.argv[1])»\n", Confirmed, "it cannot be computed", Limits{}},
		{"killed in its tracks", "import os, signal\nif os.fork() == 0:\n    for i in range(8):\n        x = «i + 1»\n    os.kill(os.getpid(), signal.SIGKILL)\nos.wait()\n", Inconclusive, "ended without sending its evidence", Limits{}},
		{"looping for ever", "import multiprocessing\ndef work():\n    while True:\n        x = «1 + 1»\nif __name__ == '__main__':\n    p = multiprocessing.Process(target=work)\n    p.start()\n    p.join()\n", Refuted, "", Limits{MaxHits: 100, Timeout: time.Minute}},
		{"out of time", "import multiprocessing, time\ndef work():\n    for i in range(8):\n        x = «1 + 1»\n    time.sleep(600)\nif __name__ == '__main__':\n    p = multiprocessing.Process(target=work)\n    p.start()\n    p.join()\n", Refuted, "", Limits{Timeout: 3 * time.Second}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := planOf(t, c.script)
			if c.limits.Timeout > 0 {
				p.Limits = c.limits
			}
			e := evidence(t, p)
			if e.Verdict != c.verdict || !regexp.MustCompile(c.reason).MatchString(e.Reason) {
				t.Errorf("%s: %s, want %s: %s", e.Verdict, e.Reason, c.verdict, c.reason)
			}
		})
	}
}

// TestChildrenSeeds: what children draw without a seed of their own differs from child to
// child and is the same from run to run.
func TestChildrenSeeds(t *testing.T) {
	for _, method := range []string{"spawn", "fork", "forkserver"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			p := planOf(t, fmt.Sprintf(`import multiprocessing, random

def work(n):
    x = «random.random() + 2 * n»

if __name__ == "__main__":
    context = multiprocessing.get_context("%s")
    for n in range(3):
        child = context.Process(target=work, args=(n,))
        child.start()
        child.join()
`, method))
			p.Seeds = []int{3, 3}
			e := evidence(t, p)
			first, second := drawn(t, e.Seeds[0]), drawn(t, e.Seeds[1])
			if len(first) != 3 || first[0] == first[1]-2 || first[1] == first[2]-2 {
				t.Errorf("the children drew %v", first)
			}
			if fmt.Sprint(first) != fmt.Sprint(second) {
				t.Errorf("the children drew %v and, under the same seed, %v", first, second)
			}
		})
	}
}

// drawn are the values that the observations show.
func drawn(t *testing.T, s SeedEvidence) []float64 {
	t.Helper()
	var out []float64
	for _, o := range s.Observations {
		var seen struct{ Value float64 }
		if err := json.Unmarshal(o, &seen); err != nil {
			t.Fatal(err)
		}
		out = append(out, seen.Value)
	}
	return out
}

// TestOwnSitecustomize: the program's environment may have a sitecustomize of its own.
func TestOwnSitecustomize(t *testing.T) {
	own := t.TempDir()
	if err := os.WriteFile(filepath.Join(own, "sitecustomize.py"), []byte("import builtins\nbuiltins.customized = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", own)
	p := planOf(t, "import subprocess, sys\nif len(sys.argv) == 1:\n    sys.exit(subprocess.run([sys.executable, __file__, 'child']).returncode)\nfor i in range(4):\n    x = «customized + i»\n")
	if e := evidence(t, p); e.Verdict != Refuted {
		t.Errorf("%s: %s", e.Verdict, e.Reason)
	}
}
