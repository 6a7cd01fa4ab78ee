package editors

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const program = `import torch


def advantages(rewards: torch.Tensor) -> torch.Tensor:
    """Größen, 😀: what comes before must not move columns."""
    std = rewards.std(dim=1, keepdim=True)
    return (rewards - rewards.mean(dim=1, keepdim=True)) / std
`

// story is what every editor shows, in this order.
var story = []string{
	"diagnostic 7:12 ADV009 division by a std that can be zero; add `+ 1e-8` to the denominator",
	"hover **ADV009** division by a std that can be zero", "",
	"Why: a group of equal rewards gives NaN advantages, and one optimizer step later every weight is NaN", "",
	"Help: add `+ 1e-8` to the denominator", "",
	"---", "",
	"`std`: standard deviation, at least 0, since line 6: torch.std",
	"action rlvet: Add an epsilon to the denominator (ADV009)",
	"action rlvet: Explain ADV009 (std-without-eps)",
	"action rlvet: Suppress ADV009 on this line (say why)",
	"action rlvet: Confirm ADV009 by running the script",
	"action rlvet: Apply all safe fixes of this file",
	"line     return (rewards - rewards.mean(dim=1, keepdim=True)) / (std + 1e-8)",
	"stopped",
}

func TestNeovim(t *testing.T) {
	tell(t, "nvim", "--clean", "--headless", "-u", "NONE", "-n", "-l", "testdata/neovim.lua")
}

func TestEmacs(t *testing.T) {
	tell(t, "emacs", "--batch", "-q", "--eval", "(package-initialize)", "-l", "testdata/eglot.el")
}

// tell runs an editor with its script on a file with a mistake, and compares what it
// shows with the story, and the file with the fixed one.
func tell(t *testing.T, editor string, args ...string) {
	path, err := exec.LookPath(editor)
	if err != nil {
		if os.Getenv("REQUIRE_EDITORS") != "" {
			t.Fatalf("%s is not installed, and REQUIRE_EDITORS is set", editor)
		}
		t.Skipf("SKIPPED: %s is not installed, so that rlvet was not tried in it", editor)
	}
	file := folder(t)
	for i, arg := range args {
		if strings.HasPrefix(arg, "testdata/") {
			args[i], _ = filepath.Abs(arg)
		}
	}
	if editor == "nvim" {
		args = withoutDashL(args)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = filepath.Dir(file)
	cmd.Env = append(os.Environ(), "RLVET="+build(t), "FILE="+file, "HOME="+t.TempDir())
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", editor, err, out.String(), errs.String())
	}
	if got, want := strings.TrimSpace(out.String()), strings.Join(story, "\n"); got != want {
		t.Errorf("%s shows\n%s\nnot\n%s\n%s", editor, got, want, errs.String())
	}
	fixed := strings.Replace(program, "/ std\n", "/ (std + 1e-8)\n", 1)
	if text, err := os.ReadFile(file); err != nil || string(text) != fixed {
		t.Errorf("the file is now %q (%v), not %q", text, err, fixed)
	}
}

// withoutDashL turns -l FILE, which Neovim has from 0.9, into what older ones have.
func withoutDashL(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		if args[i] == "-l" && i+1 < len(args) {
			out = append(out, "-c", "luafile "+args[i+1])
			i++
			continue
		}
		out = append(out, args[i])
	}
	return out
}

// folder makes a project with one file.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "train.py")
	if err := os.WriteFile(file, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// build builds the program.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "rlvet")
	if out, err := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, "../cmd/rlvet").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}
