package lsp_test

import (
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/lsp"
)

// TestLowerDrive: a folder holds a file whose drive is written otherwise.
func TestLowerDrive(t *testing.T) {
	for path, want := range map[string]string{"C:/W/x.py": "c:/W/x.py", "d:/W": "d:/W", "//Server/W": "//Server/W", "C": "C", "": ""} {
		if got := lsp.LowerDrive(path); got != want {
			t.Errorf("%q is %q, not %q", path, got, want)
		}
	}
}

const scaled = `import torch


def scale(rewards: torch.Tensor):
    return rewards / rewards.std()
`

// Folders have settings of their own; one that is added is looked at, one that is
// removed no more than its open files. A file outside of all folders is checked by
// the settings above it.
func TestFolders(t *testing.T) {
	root := folder(t, &txtar.Archive{Files: []txtar.File{
		{Name: "a/train.py", Data: []byte(scaled)},
		{Name: "b/rlvet.toml", Data: []byte("ignore = [\"ADV009\"]\n")},
		{Name: "b/train.py", Data: []byte(scaled)},
		{Name: "c/train.py", Data: []byte(scaled)},
	}})
	e := connect(t, root+"/a", lsp.Options{}, `{"textDocument": {"diagnostic": {}}}`, "")
	e.root = root
	want := func(path string, findings int) {
		t.Helper()
		if got := e.pull(path); len(got) != findings {
			t.Errorf("%s has %d findings, not %d: %v", path, len(got), findings, got)
		}
	}
	for _, path := range []string{"a/train.py", "b/train.py", "c/train.py"} {
		e.open(path)
	}
	want("a/train.py", 1)
	want("b/train.py", 0)
	want("c/train.py", 1)
	files := func(want int) {
		t.Helper()
		var report struct{ Items []struct{ URI string } }
		e.call("workspace/diagnostic", map[string]any{}, &report)
		if len(report.Items) != want {
			t.Errorf("the workspace has %v, not %d files", report.Items, want)
		}
	}
	files(3) // that of a, and what is open elsewhere
	change := func(added, removed string) {
		list := func(path string) []any {
			if path == "" {
				return []any{}
			}
			return []any{map[string]any{"uri": e.uri(path), "name": path}}
		}
		e.notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": list(added), "removed": list(removed)}})
	}
	e.close("b/train.py")
	e.close("c/train.py")
	files(1)
	change("b", "")
	change("c", "a")
	files(3) // a's is still open
	want("a/train.py", 1)
	want("b/train.py", 0)
	e.leave()
}
