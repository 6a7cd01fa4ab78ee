package cfg_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/py/cfg"
	"github.com/rlvet/rlvet/internal/py/parsetest"
)

var update = flag.Bool("update", false, "rewrite the golden sections of testdata")

// TestGraphs compares the graphs of testdata/graphs.txt with their text form.
func TestGraphs(t *testing.T) {
	golden(t, "testdata/graphs.txt", ".graph", func(t *testing.T, text string) string {
		m := parsetest.Parse(t, text)
		return cfg.New(m.Body).Text(m)
	})
}

// golden runs f over each .py section of an archive and compares the result with
// the section of the same name and the given extension.
func golden(t *testing.T, archive, ext string, f func(t *testing.T, text string) string) {
	t.Helper()
	data, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	a := txtar.Parse(data)
	want := map[string]string{}
	for _, s := range a.Files {
		want[s.Name] = string(s.Data)
	}
	out := &txtar.Archive{Comment: a.Comment}
	for _, s := range a.Files {
		name, ok := strings.CutSuffix(s.Name, ".py")
		if !ok {
			continue
		}
		var got string
		t.Run(name, func(t *testing.T) {
			got = f(t, string(s.Data))
			if diff := cmp.Diff(want[name+ext], got); diff != "" && !*update {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
		out.Files = append(out.Files, s, txtar.File{Name: name + ext, Data: []byte(got)})
	}
	if *update {
		if err := os.WriteFile(archive, txtar.Format(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
