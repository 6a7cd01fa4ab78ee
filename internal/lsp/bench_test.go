package lsp_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rlvet/rlvet/internal/benchtest"
	"github.com/rlvet/rlvet/internal/lsp"
)

// BenchmarkKeystroke types into a file of 2,000 lines, twelve trainers one after the
// other, and waits for the diagnostics each time: ns/op is their mean, p50 and p99
// say how long one keystroke takes, cpu how much of the machine it uses.
func BenchmarkKeystroke(b *testing.B) {
	root := b.TempDir()
	text := longProgram(b, 2000)
	write(b, filepath.Join(root, "train.py"), text)
	e := connect(b, root, lsp.Options{}, `{}`, "")
	e.open("train.py")
	e.diagnostics("train.py")
	at := bytes.LastIndex(text, []byte("\n    return "))
	var took []time.Duration
	cpu := benchtest.ProcessorTime()
	for b.Loop() {
		start := time.Now()
		e.replace("train.py", at, at, "\n    x = 1")
		e.diagnostics("train.py")
		took = append(took, time.Since(start))
		e.replace("train.py", at, at+len("\n    x = 1"), "")
		e.diagnostics("train.py")
		took = append(took, time.Since(start)-took[len(took)-1])
	}
	report(b, took, benchtest.ProcessorTime()-cpu)
}

// BenchmarkOpenProject opens a file in a project of 500 modules that nobody has
// looked at, and waits for its diagnostics.
func BenchmarkOpenProject(b *testing.B) {
	root := b.TempDir()
	bigProject(b, root, 500)
	var took []time.Duration
	cpu := benchtest.ProcessorTime()
	for b.Loop() {
		start := time.Now()
		e := connect(b, root, lsp.Options{}, `{}`, "")
		e.open("train_7.py")
		e.diagnostics("train_7.py")
		took = append(took, time.Since(start))
		b.StopTimer()
		e.leave()
		b.StartTimer()
	}
	report(b, took, benchtest.ProcessorTime()-cpu)
}

// BenchmarkTypeInProject types into that file, after all was checked. MB is the
// memory in use at the end, that of the client's side included.
func BenchmarkTypeInProject(b *testing.B) {
	root := b.TempDir()
	bigProject(b, root, 500)
	e := connect(b, root, lsp.Options{}, `{}`, "")
	e.open("train_7.py")
	e.diagnostics("train_7.py")
	var all any
	e.call("workspace/diagnostic", map[string]any{}, &all)
	var took []time.Duration
	cpu := benchtest.ProcessorTime()
	for b.Loop() {
		start := time.Now()
		e.replace("train_7.py", 0, 0, "#")
		e.diagnostics("train_7.py")
		took = append(took, time.Since(start))
	}
	report(b, took, benchtest.ProcessorTime()-cpu)
	e.call("workspace/diagnostic", map[string]any{}, &all)
	all = nil
	b.ReportMetric(float64(inUse())/1e6, "MB")
}

func report(b *testing.B, took []time.Duration, cpu time.Duration) {
	slices.Sort(took)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
	b.ReportMetric(ms(took[min(len(took)*99/100, len(took)-1)]), "p99-ms")
	b.ReportMetric(ms(cpu)/float64(len(took)), "cpu-ms")
	b.ReportMetric(float64(runtime.GOMAXPROCS(0)), "cores")
}

// longProgram returns trainers one after the other, so many lines.
func longProgram(b *testing.B, lines int) []byte {
	b.Helper()
	files, _ := filepath.Glob("../../testdata/ok/*.py")
	var out []string
	for _, path := range append([]string{"../../testdata/trainers/grpo_hf.py"}, files...) {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		out = append(out, strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")...)
		if len(out) > lines {
			break
		}
	}
	end := lines
	for end < len(out) && !strings.HasPrefix(out[end], "def ") { // a whole statement
		end++
	}
	return []byte(strings.Join(out[:end], "\n") + "\n")
}

// bigProject writes a project: trainers that import helpers, which import others.
func bigProject(b *testing.B, root string, modules int) {
	b.Helper()
	files, _ := filepath.Glob("../../testdata/ok/*.py")
	if len(files) < 40 {
		b.Fatal("the trainers of testdata are missing")
	}
	write(b, filepath.Join(root, ".git", "HEAD"), nil)
	for i := range modules {
		text, err := os.ReadFile(files[i%len(files)])
		if err != nil {
			b.Fatal(err)
		}
		head := fmt.Sprintf("import helper_%d\nfrom helper_%d import scale\n", i/10, i/20)
		if i%10 == 0 {
			head = "import torch\n\ndef scale(x):\n    return torch.log_softmax(x, -1)\n\n"
			if i > 0 {
				head += fmt.Sprintf("import helper_%d\n", i/10/2)
			}
			write(b, filepath.Join(root, fmt.Sprintf("helper_%d.py", i/10)), []byte(head))
			continue
		}
		write(b, filepath.Join(root, fmt.Sprintf("train_%d.py", i)), append([]byte(head), text...))
	}
}

func write(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
