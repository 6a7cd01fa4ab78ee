package harness

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rlvet/rlvet/internal/harness/protocol"
)

// TestEveryEvent has the Python side send each event from each place of its code that sends one:
// all of it is of the protocol, and no place is left out.
func TestEveryEvent(t *testing.T) {
	python := anyPython(t)
	pipe := filepath.Join(t.TempDir(), "events")
	reader, writer, err := openPipe(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	sent := map[string]int{}
	fault := make(chan *protocol.Fault)
	go func() {
		fault <- protocol.Read(reader, []int{0, 1}, func(e protocol.Event) {
			sent[strings.TrimPrefix(fmt.Sprintf("%T", e), "*protocol.")]++
		})
	}()
	cmd := exec.Command(python.Path, "testdata/events/send.py")
	cmd.Env = append(os.Environ(), "PYTHONPATH=py", "PYTHONDONTWRITEBYTECODE=1", "RLVET_EVENTS="+pipe)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	writer.Close()
	if f := <-fault; f != nil {
		t.Error(f)
	}
	var places struct{ All, Missed []string }
	if err == nil {
		err = json.Unmarshal(out, &places)
	}
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, said.String())
	}
	if len(places.All) < 12 || len(places.Missed) > 0 {
		t.Errorf("of %d places that send events these were not tried: %v", len(places.All), places.Missed)
	}
	for _, name := range protocol.Names() {
		typ := strings.ReplaceAll(name, "-", "")
		if !slices.ContainsFunc(slices.Collect(maps.Keys(sent)), func(s string) bool { return strings.EqualFold(s, typ) }) {
			t.Errorf("no %q event was sent", name)
		}
	}
}

// TestForeignEvents: whatever else comes through the pipe, the run ends, proves nothing, and one
// line says why; what the same program proves without it is confirmed.
func TestForeignEvents(t *testing.T) {
	const program = `import os, signal, sys, time
def write(data):
    pipe = os.open(os.environ["RLVET_EVENTS"], os.O_WRONLY)
    os.write(pipe, data)
    os.close(pipe)
for i in range(9):
    x = «1 - i»
%s
`
	for name, c := range map[string]struct {
		line    string
		verdict Verdict
		want    string
	}{
		"nothing else":      {"pass", Confirmed, "it is negative"},
		"a line of a log":   {`write(b"step 3: loss 0.5\n")`, Inconclusive, `is no JSON object: "step 3: loss 0.5"; the program, or a library, writes to rlvet's pipe`},
		"foreign bytes":     {`write(bytes(range(128, 256)) + b"\n")`, Inconclusive, "is not UTF-8"},
		"a line too long":   {`write(b"x" * 70000 + b"\n")`, Inconclusive, "is longer than 65536 bytes"},
		"a line cut off":    {"write(b'{\"event\": \"hi')\nos.kill(os.getpid(), signal.SIGKILL)", Inconclusive, "was cut off after 13 bytes; a process died while it wrote"},
		"another version":   {`write(b'{"event": "hello", "pid": 1, "process": "", "protocol": 99}\n')`, Inconclusive, "is of version 99 of the protocol; this rlvet speaks version 1; Python imports another rlvet_harness"},
		"an event too soon": {`write(b'{"event": "hits", "pid": 1, "process": "5", "id": 0, "hits": 1, "step": 0}\n')`, Inconclusive, `is out of order: process "5" has not said hello`},
		"no such target":    {`write(b'{"event": "hits", "pid": %d, "process": "", "id": 8, "hits": 1, "step": 0}\n' % os.getpid())`, Inconclusive, "speaks of target 8, which is not in the request"},
		"NaN":               {`write(b'{"event": "hits", "pid": %d, "process": "", "id": 0, "hits": NaN, "step": 0}\n' % os.getpid())`, Inconclusive, "holds NaN, which JSON does not have"},
		"a false verdict":   {`write(b'{"event": "saw", "pid": %d, "process": "", "id": 0, "verdict": "refuted"}\n' % os.getpid())`, Inconclusive, "is no event that rlvet knows"},
		"and no end":        {"write(b'loss 0.5\\n')\ntime.sleep(600)", Inconclusive, "is no JSON object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := planOf(t, strings.Replace(program, "%s", c.line, 1))
			p.Limits.Timeout = time.Minute
			r, err := Run(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			e, run := r.Targets[0], r.Runs[0]
			if e.Verdict != c.verdict || !strings.Contains(e.Reason, c.want) || strings.Contains(e.Reason, "\n") {
				t.Errorf("%s: %s; want %s: %s\n%s", e.Verdict, e.Reason, c.verdict, c.want, run.Output)
			}
			if run.WallSeconds >= p.Limits.Timeout.Seconds() {
				t.Error("only its time limit ended it")
			}
			if faulty := c.verdict == Inconclusive; faulty != (run.Status == "protocol-error") || faulty != strings.Contains(run.Fault, c.want) {
				t.Errorf("it ended by %q: %s", run.Status, run.Fault)
			}
		})
	}
}

// TestAnotherHarness: a Python side of another version is not believed, and is told apart from a
// program that fails.
func TestAnotherHarness(t *testing.T) {
	p := planOf(t, "for i in range(9):\n    x = «1 - i»\n")
	other := filepath.Join(p.Root, "rlvet_harness")
	if err := os.CopyFS(other, os.DirFS("py/rlvet_harness")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(other, "events.py")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "VERSION = 1 ", "VERSION = 2 ", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	e := evidence(t, p) // Python finds the package of the working directory first
	if want := "is of version 2 of the protocol; this rlvet speaks version 1; Python imports another rlvet_harness"; e.Verdict != Inconclusive || !strings.Contains(e.Reason, want) {
		t.Errorf("%s: %s; want %s", e.Verdict, e.Reason, want)
	}
}

// TestLateThreads: what threads evaluate after the main module has ended counts, and a pool of
// idle threads keeps no run from its end.
func TestLateThreads(t *testing.T) {
	for _, script := range []string{
		"import threading, time\ndef f():\n    time.sleep(0.5)\n    for i in range(9):\n        x = «1 - i»\nthreading.Thread(target=f).start()\n",
		"import time\nfrom concurrent.futures import ThreadPoolExecutor\ndef f():\n    time.sleep(0.5)\n    for i in range(9):\n        x = «1 - i»\npool = ThreadPoolExecutor(2)\npool.submit(f)\n",
	} {
		p := planOf(t, script)
		p.Limits.Timeout = 30 * time.Second
		if e := evidence(t, p); e.Verdict != Confirmed {
			t.Errorf("%s: %s", e.Verdict, e.Reason)
		}
	}
}

// TestUnnumberedChild: a child that Python does not know of, as from os.system, is told apart
// from its parent.
func TestUnnumberedChild(t *testing.T) {
	p := planOf(t, "import os, sys\nif len(sys.argv) == 1:\n    os.system('%s main.py child' % sys.executable)\nelse:\n    for i in range(9):\n        x = «1 - i»\n")
	e := evidence(t, p)
	if e.Verdict != Confirmed || e.Seeds[0].Confirmation.Process != "x" {
		t.Errorf("%s: %s; %+v", e.Verdict, e.Reason, e.Seeds[0].Confirmation)
	}
}
