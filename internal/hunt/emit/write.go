package emit

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2/maybe"

	"github.com/rlvet/rlvet/internal/hunt"
)

// ours stands in each file that may be replaced.
const ours = "rlvet hunt"

// write writes the test, its record, the note and the workflow, and tells the result where.
func (e *Emitter) write(c *candidate) error {
	test := filepath.Join(e.Dir, c.file())
	if old, err := os.ReadFile(test); err == nil && !bytes.Contains(old, []byte(ours)) {
		return fmt.Errorf("%s exists, and rlvet did not write it; rename it or name another folder", test)
	}
	top := repository(e.Plan.Root)
	files := e.Result.Files
	files["test"], files["test-note"] = test, filepath.Join(e.Dir, "test_"+c.name+".md")
	texts := map[string][]byte{test: c.text}
	if c.record != nil {
		files["record"] = filepath.Join(e.Dir, c.recordFile())
		texts[files["record"]] = c.record
	}
	texts[files["test-note"]] = e.note(c, top)
	flow := filepath.Join(top, ".github", "workflows", "rlvet-hunt.yml")
	if _, err := os.Lstat(flow); errors.Is(err, os.ErrNotExist) {
		texts[flow] = e.workflow(c, top)
		files["workflow"] = flow
	} else {
		e.Result.Notes = append(e.Result.Notes, fmt.Sprintf("%s exists and was not changed", e.Result.Shown(flow)))
	}
	for path, text := range texts {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := maybe.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// repository is the folder of the project's git, or the project itself.
func repository(root string) string {
	for dir := root; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return root
		}
	}
}

// from is a path as one writes it from the top of the repository.
func from(top, path string) string {
	if rel, err := filepath.Rel(top, path); err == nil {
		return filepath.ToSlash(rel)
	}
	return path
}

// notes is what notes.qtpl shows.
type notes struct{ File, Why, Proof, Path, Revision, Hook string }

func (e *Emitter) note(c *candidate, top string) []byte {
	r := e.Result
	why := "a gradient is wrong"
	if r.Failure != nil {
		why = docstring(r.Failure.Detail)
	}
	v := notes{
		c.file(), why, proofOf(r.Test, c), from(top, filepath.Join(e.Dir, c.file())), e.Revision, strings.ReplaceAll(c.name, "_", "-"),
	}
	return []byte(v.text())
}

// proofOf says what is known of the test.
func proofOf(t *hunt.Test, c *candidate) string {
	out := "It replays " + c.what + ". Tried in copies of the project: " + t.Reason + "."
	if len(t.Tried) > 0 {
		out += " Tried before it: " + strings.Join(t.Tried, "; ") + "."
	}
	if !t.Pytest {
		out += " pytest is not installed, so its functions were called one by one."
	}
	return out
}

// workflow is what workflow.qtpl shows: a job that checks, and runs the test.
type workflow struct{ Revision, Python, Requirements, Tests string }

func (e *Emitter) workflow(c *candidate, top string) []byte {
	v := workflow{Revision: e.Revision, Python: "3.11", Tests: from(top, filepath.Join(e.Dir, c.file()))}
	if p := e.Plan.Python; p != nil {
		if parts := strings.SplitN(p.Version, ".", 3); len(parts) == 3 {
			v.Python = parts[0] + "." + parts[1]
		}
	}
	for _, dir := range []string{e.Plan.Root, top} {
		if path := filepath.Join(dir, "requirements.txt"); fileExists(path) {
			v.Requirements = from(top, path)
			break
		}
	}
	return []byte(v.text())
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
