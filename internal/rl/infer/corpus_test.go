package infer_test

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// every is the share of the machine's Python files that TestMachinesPython reads.
const every = 7

// TestMachinesPython evaluates Python that nobody wrote for it: the standard
// library and the packages of the machine, torch's own source among them where it
// is installed. Nothing panics, and every evaluation keeps to its bounds.
func TestMachinesPython(t *testing.T) {
	p := parse.New()
	defer p.Close()
	for i, file := range machinesPython(t) {
		if i%every != 0 {
			continue
		}
		if m := parsed(t, p, file); m != nil {
			evaluated(t, file, m)
		}
	}
}

// evaluated evaluates a file and checks that the bounds were kept.
func evaluated(t *testing.T, file string, m *ast.Module) {
	defer func() {
		if e := recover(); e != nil {
			t.Errorf("%s: %v", file, e)
		}
	}()
	res := infer.Evaluate(context.Background(), infer.Config{Module: &infer.Module{Name: "m", Path: file, AST: m}})
	roles.Derive(query.New(res))
	// Once the work is used up no call is followed, but every body is still
	// walked for itself.
	if most := 200_000 + 100*m.NumNodes; res.Stats.Evaluated > most {
		t.Errorf("%s: %d expressions evaluated for %d nodes", file, res.Stats.Evaluated, m.NumNodes)
	}
	for _, v := range res.Values() {
		if v.Q.IsBottom() {
			t.Errorf("%s, byte %d: %s: a value of no quantity at all", file, v.Node.Span().Start, v.Op)
		}
	}
}

func parsed(t testing.TB, p *parse.Parser, file string) *ast.Module {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.Parse(context.Background(), file, text)
	if err != nil {
		return nil // too large, or not text
	}
	return m
}

// machinesPython lists the Python files of the machine's python3: its standard
// library and the packages beside it. Without python3 the test is skipped.
func machinesPython(t testing.TB) []string {
	const where = `import importlib.util as u, os, sysconfig
print(sysconfig.get_path("stdlib"))
s = u.find_spec("torch")
if s: print(os.path.dirname(os.path.dirname(s.origin)))`
	out, err := exec.Command("/usr/bin/python3", "-c", where).Output()
	if err != nil {
		t.Skipf("SKIPPED: no /usr/bin/python3 on this machine, so no Python of others to read: %v", err)
	}
	var files []string
	for _, root := range strings.Fields(string(out)) {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".py") {
				files = append(files, path)
			}
			return err
		})
		if err != nil || len(files) == 0 {
			t.Fatalf("reading %s: %d files, %v", root, len(files), err)
		}
	}
	return files
}

// BenchmarkEvaluate measures inference on every 70th of the machine's files, in
// bytes of source a second.
func BenchmarkEvaluate(b *testing.B) {
	p := parse.New()
	defer p.Close()
	var modules []*ast.Module
	for i, file := range machinesPython(b) {
		if i%(10*every) != 0 {
			continue
		}
		if m := parsed(b, p, file); m != nil {
			modules = append(modules, m)
		}
	}
	size := 0
	for _, m := range modules {
		size += len(m.Text)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, m := range modules {
			infer.Evaluate(context.Background(), infer.Config{Module: &infer.Module{Name: "m", Path: "m.py", AST: m}})
		}
	}
}
