package since

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rlvet/rlvet/internal/source"
)

// repository makes a repository, with one commit of the files, and goes there.
func repository(t testing.TB, files map[string]string) {
	t.Helper()
	for _, v := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"} {
		t.Setenv(v, "")
		os.Unsetenv(v)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Chdir(t.TempDir())
	run(t, "init", "-q", "-b", "main")
	run(t, "config", "user.email", "a@b.c")
	run(t, "config", "user.name", "A")
	for name, text := range files {
		put(t, name, text)
	}
	commit(t, "first")
}

func run(t testing.TB, args ...string) {
	t.Helper()
	if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func commit(t testing.TB, message string) {
	t.Helper()
	run(t, "add", "-A")
	run(t, "commit", "-q", "--allow-empty", "-m", message)
}

func put(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// fresh says which lines of a file on the disk are new, as "2 3", or "all".
func fresh(t testing.TB, rev, path string) string {
	t.Helper()
	f, err := source.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(context.Background(), ".", rev)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := b.Rows(context.Background(), []*source.File{f})
	if err != nil {
		t.Fatal(err)
	}
	return written(rows[path], f.Lines().Count())
}

func written(r Rows, count int) string {
	if r.all {
		return "all"
	}
	var out []string
	for row := 1; row <= count; row++ {
		if r.Touch(row, row) {
			out = append(out, fmt.Sprint(row))
		}
	}
	return strings.Join(out, " ")
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line_%d = %d\n", i+1, i+1)
	}
	return b.String()
}

// A branch with a commit, staged changes, changes that are not staged, and new files;
// main went on meanwhile.
func TestBranch(t *testing.T) {
	old := numbered(9)
	names := []string{"train.py", "sub dir/été \"q\".py", "same.py", "lines\nend.py", "moved.py", "crlf.py"}
	files := map[string]string{}
	for _, name := range names {
		files[name] = old
	}
	repository(t, files)
	run(t, "checkout", "-q", "-b", "work")
	put(t, "train.py", strings.Replace(old, "line_2 = 2", "line_2 = 22", 1))
	put(t, names[3], old+"end = 1\n")
	commit(t, "second")
	put(t, "train.py", strings.NewReplacer("line_2 = 2", "line_2 = 22", "line_5 = 5\n", "", "line_8 = 8", "line_8 = 88").Replace(old))
	run(t, "add", "train.py")
	put(t, names[1], "first = 1\n"+old)
	put(t, "crlf.py", strings.ReplaceAll(old, "\n", "\r\n")+"x = 1\r\n")
	put(t, "new.py", "import os\n")
	put(t, "lib/renamed.py", old+"more = 1\n")
	if err := os.Remove("moved.py"); err != nil { // renamed, and git was not told
		t.Fatal(err)
	}
	run(t, "checkout", "-q", "--detach")
	run(t, "stash", "-q", "-u")
	run(t, "checkout", "-q", "main")
	put(t, "same.py", "on_main = 1\n"+old)
	commit(t, "third")
	run(t, "checkout", "-q", "work")
	run(t, "stash", "pop", "-q")

	for path, want := range map[string]string{"train.py": "2 7", names[1]: "1", "same.py": "", names[3]: "10", "new.py": "all", "lib/renamed.py": "10", "crlf.py": "10"} {
		if got := fresh(t, "main", path); got != want {
			t.Errorf("%q since main: %q, want %q", path, got, want)
		}
	}
	if got := fresh(t, "HEAD", "train.py"); got != "7" {
		t.Errorf("since HEAD: %q, want 7", got)
	}
	outside := filepath.Join(t.TempDir(), "other.py")
	put(t, outside, old)
	if got := fresh(t, "main", outside); got != "all" {
		t.Errorf("a file elsewhere: %q, want all", got)
	}
	t.Chdir("sub dir")
	if got := fresh(t, "main", "été \"q\".py"); got != "1" {
		t.Errorf("from a folder within: %q, want 1", got)
	}
}

const book = `{"cells": [{"cell_type": "code", "metadata": {}, "outputs": [%s], "source": ["a = 1\n", "b = %d"]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`

// Of a notebook only the code counts.
func TestNotebook(t *testing.T) {
	repository(t, map[string]string{"book.ipynb": fmt.Sprintf(book, "", 2)})
	put(t, "book.ipynb", fmt.Sprintf(book, `{"output_type": "stream", "name": "stdout", "text": ["x"]}`, 2))
	if got := fresh(t, "HEAD", "book.ipynb"); got != "" {
		t.Errorf("after a run: %q", got)
	}
	put(t, "book.ipynb", fmt.Sprintf(book, "", 3))
	if got := fresh(t, "HEAD", "book.ipynb"); got != "2" {
		t.Errorf("after an edit: %q, want 2", got)
	}
}

// The settings of a user's git change nothing, and nothing is left behind.
func TestSettingsOfGit(t *testing.T) {
	repository(t, map[string]string{"a.py": "x = 1\n"})
	for _, s := range [][2]string{{"diff.noprefix", "true"}, {"diff.external", "false"}, {"color.ui", "always"}, {"diff.renames", "false"}, {"diff.context", "9"}} {
		run(t, "config", s[0], s[1])
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	put(t, "a.py", "x = 1\ny = 2\n")
	if got := fresh(t, "HEAD", "a.py"); got != "2" {
		t.Errorf("got %q, want 2", got)
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// What is wrong is said in one line, with what to do.
func TestMistakes(t *testing.T) {
	repository(t, map[string]string{"a.py": "x = 1\n"})
	run(t, "checkout", "-q", "--orphan", "other")
	commit(t, "unrelated")
	commit(t, "second")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	shallow, bare := t.TempDir(), t.TempDir()
	run(t, "clone", "-q", "--depth", "1", "--no-single-branch", "file://"+here, shallow)
	for _, c := range []struct{ dir, rev, want string }{
		{here, "nothing", `git knows no commit "nothing"; `}, {here, "--help", `git knows no commit "--help"; `}, {here, "main:a.py", "git knows no commit"},
		{here, "main", `HEAD and "main" have no commit in common; `}, {bare, "main", "is in no git repository; "},
		{shallow, "origin/main", "this clone is shallow: run `git fetch --unshallow`"}, {shallow, "0123456789", "this clone is shallow"},
	} {
		_, err := Open(context.Background(), c.dir, c.rev)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.rev, err, c.want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Open(context.Background(), here, "main"); err == nil || !strings.Contains(err.Error(), "git is not installed") {
		t.Errorf("without git: %v", err)
	}
}

// Lines that are not new stand in the old text in the same order; so without the new
// ones, nothing is left that the old text does not hold.
func TestRowsProperties(t *testing.T) {
	repository(t, nil)
	line := rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n", "@@ -1 +1 @@\n", "--- a/x\n", "\\ No newline at end of file\n", "diff --git a/then/0 b/now/0\n"})
	rapid.Check(t, func(r *rapid.T) {
		text := func(name string) []string { return rapid.SliceOfN(line, 0, 12).Draw(r, name) }
		then, now := text("then"), text("now")
		rows, err := compare(context.Background(), map[string]string{"x": strings.Join(then, "")}, map[string]string{"x": strings.Join(now, "")})
		if err != nil {
			r.Fatal(err)
		}
		at := 0
		for i, l := range now {
			if rows["x"].Touch(i+1, i+1) {
				continue
			}
			for at < len(then) && then[at] != l {
				at++
			}
			if at++; at > len(then) {
				r.Fatalf("line %d, %q, is called old", i+1, l)
			}
		}
	})
}

// A submodule that is as it was is old; where its pointer moved, or its files were changed,
// the lines count.
func TestSubmodule(t *testing.T) {
	repository(t, map[string]string{"a.py": numbered(3)})
	library, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	repository(t, map[string]string{"train.py": numbered(2)})
	run(t, "-c", "protocol.file.allow=always", "submodule", "add", "-q", library, "third/lib")
	run(t, "-C", "third/lib", "config", "user.email", "a@b.c")
	run(t, "-C", "third/lib", "config", "user.name", "A")
	commit(t, "second")
	for _, c := range []struct {
		text string
		want string
	}{
		{numbered(3), ""},
		{"first = 1\n" + numbered(3), "1"},
	} {
		put(t, "third/lib/a.py", c.text)
		if got := fresh(t, "HEAD", "third/lib/a.py"); got != c.want {
			t.Errorf("lines %q are new, want %q", got, c.want)
		}
	}
	put(t, "third/lib/b.py", numbered(1))
	run(t, "-C", "third/lib", "add", "-A")
	run(t, "-C", "third/lib", "commit", "-q", "-m", "third")
	run(t, "checkout", "-q", "-b", "work")
	commit(t, "the pointer moves")
	for path, want := range map[string]string{"third/lib/a.py": "1", "third/lib/b.py": "all", "train.py": ""} {
		if got := fresh(t, "main", path); got != want {
			t.Errorf("%s: lines %q are new, want %q", path, got, want)
		}
		if got := fresh(t, "HEAD", path); got != "" {
			t.Errorf("%s: lines %q are new since HEAD", path, got)
		}
	}

	// In a hook, variables name the outer repository.
	outer, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_DIR", filepath.Join(outer, ".git"))
	if got := fresh(t, "main", "third/lib/a.py"); got != "1" {
		t.Errorf("in a hook: lines %q are new", got)
	}
}
