package harness

import (
	"archive/zip"
	"bytes"
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/rlvet/rlvet/internal/harness/protocol"
	"github.com/rlvet/rlvet/internal/paths"
)

// files is the Python side: standard library only.
//
//go:embed py/*.py py/rlvet_harness/*.py py/rlvet_harness/hunt/*.py
var files embed.FS

// runFolder is the private folder of one run: the Python side, the probes, and the copy of
// the project. Only the user may look into it.
type runFolder struct{ dir string }

func newRunFolder(targets []Target) (*runFolder, error) {
	dir, err := paths.Temporary()
	if err != nil {
		return nil, err
	}
	w := &runFolder{dir}
	if err := w.fill(targets); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

func (w *runFolder) close() { os.RemoveAll(w.dir) }

// python is the archive for PYTHONPATH.
func (w *runFolder) python() string { return filepath.Join(w.dir, "py.zip") }

// temporary is the folder in which the run makes its temporary files.
func (w *runFolder) temporary() string { return filepath.Join(w.dir, "tmp") }

// output is the file for what the run prints.
func (w *runFolder) output() string { return filepath.Join(w.dir, "output.txt") }

// events is the path of the pipe on which a run tells what it sees.
func (w *runFolder) events() string { return filepath.Join(w.dir, "events") }

// kept is the folder in which instruments write.
func (w *runFolder) kept() string { return filepath.Join(w.dir, "kept") }

// forkRequest is the file for what a server is asked.
func (w *runFolder) forkRequest() string { return filepath.Join(w.dir, "fork.json") }

func (w *runFolder) probe(code string) string { return filepath.Join(w.dir, "probes", code+".py") }

// fill writes the Python side and the probes.
func (w *runFolder) fill(targets []Target) error {
	if err := writePythonSide(w.python()); err != nil {
		return err
	}
	if err := os.MkdirAll(w.temporary(), 0o700); err != nil {
		return err
	}
	for _, t := range targets {
		if err := write(w.probe(t.Code), []byte(t.Probe)); err != nil {
			return err
		}
	}
	return nil
}

// pythonSide is the Python side as an archive, which Python imports as it does a folder. Each run gets a copy: one file costs a
// fraction of what as many as there are modules do.
var pythonSide = sync.OnceValues(func() ([]byte, error) {
	side, err := fs.Sub(files, "py")
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	if err := fs.WalkDir(side, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(side, path)
		if err != nil {
			return err
		}
		to, err := w.CreateHeader(&zip.FileHeader{Name: path, Method: zip.Store}) // a Python may lack zlib
		if err != nil {
			return err
		}
		_, err = to.Write(text)
		return err
	}); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
})

// writePythonSide writes the Python side to the new file path.
func writePythonSide(path string) error {
	text, err := pythonSide()
	if err != nil {
		return err
	}
	return write(path, text)
}

func write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

// writeRequest writes the request of a run, for the project at root, and returns its path.
func (w *runFolder) writeRequest(u Unit, root string) (string, error) {
	p := u.Plan
	r := protocol.Request{
		Root: root, Module: p.Module, Argv: append([]string{}, p.Args...), Seed: u.Seed, Targets: []protocol.TargetRequest{},
		MaxHits: p.Limits.MaxHits, MaxSteps: p.Limits.MaxSteps, MaxEnvironmentSteps: p.Limits.MaxEnvironmentSteps, RespectSeeds: p.RespectSeeds, InPlace: p.InPlace,
		Instruments: append([]protocol.Instrument{}, p.Instruments...), Kept: w.kept(),
	}
	if p.Script != "" {
		r.Script = filepath.Join(root, p.Script)
	}
	for _, t := range p.Targets {
		rt := protocol.TargetRequest{
			ID: t.ID, Code: t.Code, File: filepath.Join(root, t.File), Start: t.Start, End: t.End, Row: t.Row, EndRow: t.EndRow, Text: t.Text, Probe: w.probe(t.Code), Claimed: t.Claimed, Expression: t.Expression,
		}
		if t.Wider.End > 0 {
			rt.Wider = &t.Wider
		}
		r.Targets = append(r.Targets, rt)
	}
	text, err := r.Text()
	if err != nil {
		return "", err
	}
	path := filepath.Join(w.dir, "request.json")
	return path, write(path, text)
}
