package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/benchtest"
	"github.com/rlvet/rlvet/internal/hunt"
)

// The tools that are measured.
const (
	rlvet    = "rlvet hunt"
	anomaly  = "detect_anomaly"
	overflow = "underflow/overflow hooks"
)

var tools = []string{rlvet, anomaly, overflow}

// verdict is what a tool said of a program.
type verdict struct {
	detected bool   // the tool said that something is wrong
	crash    bool   // it did not, but the program ended with an error of its own
	file     string // where; the base of its name
	row, end int    // the lines from row to end, both of them included
	said     string // in words
}

// localised reports whether a verdict names the marked line.
func (v verdict) localised(p program) bool {
	return v.file == p.file && v.row <= p.row && p.row <= v.end
}

// machine runs tools.
type machine struct {
	opts     options
	harness  string // folder of the harness's Python
	work     string
	versions string
	quick    bool // whether to try gradients only where the fault is one
}

func newMachine(ctx context.Context, opts options) (*machine, error) {
	work, err := os.MkdirTemp("", "benchhunt")
	if err != nil {
		return nil, err
	}
	m := &machine{opts: opts, work: work}
	if m.harness, err = filepath.Abs(filepath.Join(opts.root, "internal", "harness", "py")); err == nil {
		err = m.prepare(ctx)
	}
	if err != nil {
		m.close()
	}
	return m, err
}

func (m *machine) close() { os.RemoveAll(m.work) }

// prepare builds rlvet where none was named, and asks for versions.
func (m *machine) prepare(ctx context.Context) error {
	if m.opts.rlvet == "" {
		m.opts.rlvet = filepath.Join(m.work, "rlvet")
		build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", m.opts.rlvet, "./cmd/rlvet")
		build.Dir = m.opts.root
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("building rlvet: %w: %s", err, out)
		}
	}
	var err error
	m.versions, err = benchtest.Versions(ctx, m.opts.python)
	return err
}

// measure runs a tool on a copy of a program, rlvet under seeds, the others under the
// first that fails.
func (m *machine) measure(ctx context.Context, tool string, p program, seeds []int) (verdict, error) {
	dir, err := os.MkdirTemp(m.work, "")
	if err != nil {
		return verdict{}, err
	}
	defer os.RemoveAll(dir)
	if err := stage(p, dir); err != nil {
		return verdict{}, err
	}
	script := filepath.Join(dir, p.script)
	if tool == rlvet {
		return m.hunt(ctx, p, script, seeds)
	}
	return m.peer(ctx, map[string]string{anomaly: "anomaly.py", overflow: "underflow_overflow.py"}[tool], p, script)
}

// stage copies a program: a fault with its modules, a correct program alone, a twin with what is right.
func stage(p program, dir string) error {
	pattern := p.script
	if p.kind != "" || p.twin {
		pattern = "*.py"
	}
	files, err := filepath.Glob(filepath.Join(p.folder, pattern))
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return err
		}
		if p.twin && p.kind == "" {
			text = right.ReplaceAll(text, []byte("$1$2"))
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(f)), text, 0o600); err != nil {
			return err
		}
	}
	// A root of its own: what is copied and searched is the program alone.
	return errors.Join(err, os.WriteFile(filepath.Join(dir, "pyproject.toml"), nil, 0o600))
}

// hunt is what rlvet says: a wrong gradient where the fault is one, and else the first bad value.
func (m *machine) hunt(ctx context.Context, p program, script string, seeds []int) (verdict, error) {
	var list []string
	for _, s := range seeds {
		list = append(list, strconv.Itoa(s))
	}
	cmd := exec.CommandContext(ctx, m.opts.rlvet, "hunt", script, "--seeds", strings.Join(list, ","), "--no-fix-check",
		fmt.Sprintf("--no-gradients=%v", m.quick && p.kind != "gradient" && p.kind != ""), "--python", m.opts.python, "--output-format", "json", "--quiet")
	var stderr bytes.Buffer
	cmd.Stderr, cmd.Dir = &stderr, filepath.Dir(script)
	out, err := cmd.Output()
	if exit := new(exec.ExitError); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return verdict{}, fmt.Errorf("%w: %s", err, stderr.String())
	}
	if m.opts.keep != "" {
		if err := os.WriteFile(filepath.Join(m.opts.keep, p.name+".json"), out, 0o600); err != nil {
			return verdict{}, err
		}
	}
	var r hunt.Result
	if err := json.Unmarshal(out, &r); err != nil {
		return verdict{}, err
	}
	return heard(&r, p.kind), nil
}

func heard(r *hunt.Result, kind string) verdict {
	v := verdict{detected: r.Found()}
	if r.Failure != nil {
		v.said = fmt.Sprintf("seed %d, step %d: %s", r.Failure.Seed, r.Failure.Step, r.Failure.Detail)
	}
	if b := r.FirstBad; b != nil {
		v.file, v.row, v.end = filepath.Base(b.Filename), b.Row, b.Row
		v.said = b.Phase + " " + b.Op
	}
	if g := wrongGradient(r); g != nil && (kind == "gradient" || r.FirstBad == nil) {
		v.file, v.row, v.end, v.said = filepath.Base(g.Filename), g.Row, g.Row, "gradient of "+g.Function
		if g.Pattern != nil {
			v.said += ": " + *g.Pattern
		}
	}
	return v
}

// wrongGradient is the first function of the program whose gradient is wrong. What is
// wrong because of it, a module around it or the loss, comes later and has no line.
func wrongGradient(r *hunt.Result) *hunt.Gradient {
	for i, g := range r.Gradients {
		if g.Verdict == "wrong" && g.Row > 0 {
			return &r.Gradients[i]
		}
	}
	return nil
}

// peer is what a script of testdata/hunt/peers says.
func (m *machine) peer(ctx context.Context, name string, p program, script string) (verdict, error) {
	seed := p.seeds[0]
	if len(p.failing) > 0 {
		seed = p.failing[0]
	}
	cmd := exec.CommandContext(ctx, m.opts.python, filepath.Join(m.opts.root, "testdata", "hunt", "peers", name), "--pin", strconv.Itoa(seed), script)
	cmd.Env = append(os.Environ(), "RLVET_HARNESS="+m.harness, "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "PYTHONDONTWRITEBYTECODE=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return verdict{}, fmt.Errorf("%w: %s", err, stderr.String())
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	var said struct {
		How, Filename, Message string
		Row                    int
		EndRow                 int `json:"end_row"`
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &said); err != nil {
		return verdict{}, err
	}
	return verdict{detected: said.How == "tool", crash: said.How == "crash", file: filepath.Base(said.Filename), row: said.Row, end: said.EndRow, said: said.Message}, nil
}
