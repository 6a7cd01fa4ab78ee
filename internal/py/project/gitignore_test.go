package project_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/py/project"
	"github.com/rlvet/rlvet/internal/source"
)

// TestGitignoreAgainstGit compares Discover with git's own listing on random
// trees under random .gitignore files.
func TestGitignoreAgainstGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("SKIPPED: no git on this machine to compare with")
	}
	r := rand.New(rand.NewPCG(5, 6))
	const trees = 25
	files, wrong := 0, 0
	for range trees {
		root := realPath(t, t.TempDir())
		ignores := plant(t, r, root)
		if out, err := exec.Command(git, "init", "-q", root).CombinedOutput(); err != nil {
			t.Fatalf("git init: %v %s", err, out)
		}
		cmd := exec.Command(git, "-c", "core.excludesFile=", "ls-files", "-z", "--others", "--exclude-standard")
		cmd.Dir = root
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, f := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			if source.LanguageOf(f) == source.Python {
				want = append(want, f)
			}
		}
		slices.Sort(want)
		found, _ := project.Discover(project.OS{}, []string{root}, project.Options{Exclude: []string{".git"}})
		got := relative(t, root, found)
		files += len(want)
		if !slices.Equal(got, want) {
			wrong++
			t.Errorf("git keeps %v, Discover %v\n%s", want, got, ignores)
		}
	}
	t.Logf("%d trees with %d files kept, %d differ", trees, files, wrong)
	if files < 3*trees {
		t.Errorf("only %d files kept: the patterns ignore nearly everything", files)
	}
}

// plant makes a tree of Python files with .gitignore files and returns the latter.
func plant(t *testing.T, r *rand.Rand, root string) string {
	names := []string{"a", "b", "ab", "run1", "run2"}
	dirs := []string{"", "a", "b", "a/b", "a/ab", "b/run1", "a/b/a"}
	for _, d := range dirs {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, n := range names {
			if r.IntN(2) == 0 {
				write(t, filepath.Join(root, d, n+".py"), "")
			}
		}
	}
	var all strings.Builder
	for _, d := range dirs {
		if d != "" && r.IntN(3) > 0 {
			continue
		}
		var lines []string
		for range 1 + r.IntN(4) {
			lines = append(lines, pattern(r))
		}
		text := strings.Join(lines, []string{"\n", "\r\n"}[r.IntN(8)/7])
		write(t, filepath.Join(root, d, ".gitignore"), text)
		fmt.Fprintf(&all, "%s/.gitignore: %q\n", d, text)
	}
	return all.String()
}

func pattern(r *rand.Rand) string {
	part := func() string {
		return []string{"a", "b", "ab", "a.py", "b.py", "run*", "run?.py", "run[1].py", "run[!1].py", "*b", "*.py", "?", "**", "{a,b}.py", "a[b", `\a.py`}[r.IntN(16)]
	}
	p := part()
	for r.IntN(3) == 0 {
		p += "/" + part()
	}
	if r.IntN(4) == 0 {
		p = "/" + p
	}
	if r.IntN(4) == 0 {
		p += "/"
	}
	if r.IntN(5) == 0 {
		p = "!" + p
	}
	if r.IntN(12) == 0 {
		p = []string{"# " + p, p + " ", "", "\\" + p, " " + p}[r.IntN(5)]
	}
	return p
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
