package integrations

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/rlvet/rlvet/internal/report/sarif"
	"github.com/rlvet/rlvet/internal/vet"
)

// Of every program in testdata the command line, the hook and the action say the same.
func TestParity(t *testing.T) {
	j := newJob(t)
	j.install()
	program := filepath.Join(j.temp, "rlvet-bin", "rlvet")
	j.env = append(j.env, "PATH="+filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
	files := j.programs()

	want := j.found(program, "check", "--output-format", "json")
	if len(want) < 20 {
		t.Fatalf("%d findings are too few to compare", len(want))
	}
	entry := hookEntry(t)
	hook := j.found(program, slices.Concat(entry[1:], []string{"--output-format", "json"}, files)...)
	j.step("check", "RLVET_PATH=.", "RLVET_ARGS=")
	for place, got := range map[string][]string{"hook": hook, "action": j.sarif()} {
		for _, f := range want {
			if !slices.Contains(got, f) {
				t.Errorf("the %s lacks %s", place, f)
			}
		}
		for _, f := range got {
			if !slices.Contains(want, f) {
				t.Errorf("the %s adds %s", place, f)
			}
		}
	}
}

// programs copies testdata into the job's folder, and lists what pre-commit would hand over.
func (j *job) programs() (files []string) {
	j.t.Helper()
	if err := os.CopyFS(j.dir, os.DirFS("../testdata")); err != nil {
		j.t.Fatal(err)
	}
	err := filepath.WalkDir(j.dir, func(path string, d fs.DirEntry, err error) error {
		if ext := filepath.Ext(path); err == nil && (ext == ".py" || ext == ".ipynb") {
			name, _ := filepath.Rel(j.dir, path)
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		j.t.Fatal(err)
	}
	return files
}

// hookEntry is the command of the hook.
func hookEntry(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct{ ID, Entry string }
	if err := yaml.Unmarshal(text, &hooks); err != nil || hooks[0].ID != "rlvet" {
		t.Fatalf("%v: %+v", err, hooks)
	}
	return strings.Fields(hooks[0].Entry)
}

// found runs the program and lists what it finds.
func (j *job) found(program string, args ...string) []string {
	j.t.Helper()
	text := j.output(program, args...)
	var list []vet.FindingJSON
	if err := json.Unmarshal(text, &list); err != nil {
		j.t.Fatalf("%v: %s", err, text)
	}
	var out []string
	for _, f := range list {
		name, _ := filepath.Rel(j.dir, f.Filename)
		out = append(out, fmt.Sprintf("%s %s:%d:%d %s", f.Code, filepath.ToSlash(name), f.Location.Row, f.Location.Column, f.Fingerprint))
	}
	return out
}

// sarif lists what the action uploads.
func (j *job) sarif() []string {
	j.t.Helper()
	text, err := os.ReadFile(filepath.Join(j.temp, "rlvet.sarif"))
	if err != nil {
		j.t.Fatal(err)
	}
	var log sarif.Log
	if err := json.Unmarshal(text, &log); err != nil {
		j.t.Fatal(err)
	}
	var out []string
	for _, r := range log.Runs[0].Results {
		if len(r.Suppressions) == 0 {
			at := r.Locations[0].PhysicalLocation
			out = append(out, fmt.Sprintf("%s %s:%d:%d %s", r.RuleID, at.ArtifactLocation.URI, at.Region.StartLine, at.Region.StartColumn, r.PartialFingerprints["rlvet/v1"]))
		}
	}
	return out
}
