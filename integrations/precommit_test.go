package integrations

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	sound  = "import torch\n\n\ndef scale(rewards: torch.Tensor) -> torch.Tensor:\n    return rewards / (rewards.std() + 1e-8)\n"
	faulty = "import torch\n\n\ndef scale(rewards: torch.Tensor) -> torch.Tensor:\n    return rewards / rewards.std()\n"
	excuse = "import torch\n\n\ndef scale(rewards: torch.Tensor) -> torch.Tensor:\n    return rewards / rewards.std()  # rlvet: ignore[ADV009] noise is never constant\n"
)

// A project that uses the hooks commits: the real pre-commit builds rlvet from this
// source and runs it on what is staged.
func TestPreCommit(t *testing.T) {
	program := preCommit(t)
	p := &project{t: t, dir: t.TempDir(), program: program, home: t.TempDir()}
	p.git("init", "-q", "-b", "main")
	p.configure(hooks(t), "rlvet")

	p.put("train.py", sound)
	p.put("README.md", "x.std()\n")
	p.passes("nothing is wrong")

	p.put("train.py", faulty)
	p.put("Pfad mit Leerzeichen/größe 報酬.py", faulty)
	p.fails("train.py:5:", "Pfad mit Leerzeichen/größe 報酬.py:5:", "ADV009", "Found 2 warnings.")

	p.put("train.py", excuse)
	p.put("Pfad mit Leerzeichen/größe 報酬.py", sound)
	p.passes("a suppression with its reason")

	p.put("generated/net.py", faulty)
	p.put("rlvet.toml", "extend-exclude = ['generated']\n")
	p.passes("an excluded file")

	p.put("book.ipynb", `{"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": ["import torch\n", "rewards = torch.ones(3)\n", "y = rewards / rewards.std()"]}], "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}`)
	p.fails("book.ipynb:cell 1:3:")
	p.put("book.ipynb", "{}")
	p.fails("error: book.ipynb:1: this is JSON, but no notebook of nbformat 4; ")
	p.git("rm", "-q", "-f", "book.ipynb")

	p.configure(p.hooks, "rlvet-fix")
	p.put("train.py", faulty)
	p.put("a b.py", faulty)
	p.fails("files were modified by this hook", "(2 fixed, 0 remaining)")
	for _, name := range []string{"train.py", "a b.py"} {
		if text, err := os.ReadFile(filepath.Join(p.dir, name)); err != nil || string(text) != sound {
			t.Errorf("%s is now %q (%v)", name, text, err)
		}
	}
	p.passes("what was fixed")
}

// asWheel tries the hooks with the package of dist, which pip takes from there: those of the
// repository that .ci/mirror makes, and the one that docs/ci.md shows without a repository.
func (p *project) asWheel(dist string) {
	p.t.Helper()
	const wheels = "/usr/share/python-wheels" // of Debian, for what pip builds with
	if _, err := os.Stat(wheels); err != nil {
		lack(p.t, "REQUIRE_WHEEL", "there is no "+wheels, "the hooks with the package for pip are NOT tried")
	}
	p.t.Setenv("PIP_NO_INDEX", "1")
	p.t.Setenv("PIP_FIND_LINKS", dist+" "+wheels)
	mirror := &project{t: p.t, dir: p.t.TempDir()}
	if out, err := exec.Command("../.ci/mirror", "9.8.7", mirror.dir).CombinedOutput(); err != nil {
		p.t.Fatalf("%v\n%s", err, out)
	}
	mirror.git("init", "-q", "-b", "main")
	mirror.git("add", "-A")
	mirror.git("commit", "-q", "-m", "9.8.7")
	p.git("init", "-q", "-b", "main")

	p.put("train.py", faulty)
	p.configure(mirror.dir, "rlvet")
	p.fails("train.py:5:", "ADV009", "Found 1 warning.")
	p.configure(mirror.dir, "rlvet-fix")
	p.fails("files were modified by this hook", "(1 fixed, 0 remaining)")
	p.passes("what was fixed")

	page, err := os.ReadFile("../docs/ci.md")
	if err != nil {
		p.t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(page), "```yaml\nrepos:\n  - repo: local\n")
	shown, _, _ = strings.Cut(shown, "```")
	p.put(".pre-commit-config.yaml", "repos:\n  - repo: local\n"+strings.Replace(shown, "rlvet==0.1.0", "rlvet==9.8.7", 1))
	p.passes("what is right, by a local hook")
	p.put("train.py", faulty)
	p.fails("train.py:5:", "ADV009", "Found 1 warning.")
}

// preCommit returns the program, or skips.
func preCommit(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("pre-commit")
	if err == nil {
		return program
	}
	lack(t, "REQUIRE_PRECOMMIT", "pre-commit is not installed", "the hooks are NOT tried")
	return ""
}

// hooks makes a repository of this source, as it is now, from which pre-commit builds.
func hooks(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	list, err := exec.Command("git", "-C", "..", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		t.Fatalf("git ls-files: %v", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			continue // removed, and git was not told
		}
		put(t, filepath.Join(dir, name), string(data))
	}
	p := &project{t: t, dir: dir}
	p.git("init", "-q", "-b", "main")
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "source")
	return dir
}

// project is a repository with hooks.
type project struct {
	t             *testing.T
	dir           string
	program, home string // of pre-commit
	hooks         string // the repository of the hooks
}

func put(t *testing.T, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// put writes a file and stages it.
func (p *project) put(name, text string) {
	p.t.Helper()
	put(p.t, filepath.Join(p.dir, name), text)
	p.git("add", "-A")
}

func (p *project) git(args ...string) string {
	p.t.Helper()
	out, err := p.command("git", args...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// command runs in the project, as its author, with the modules that this machine has. pre-commit installs ./..., the developers'
// eleven tools too; without what debuggers read they are linked in half the time.
func (p *project) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = p.dir
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	modules, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd.Env = append(cmd.Env, "GOMODCACHE="+strings.TrimSpace(string(modules)), "GOFLAGS=-mod=mod -buildvcs=false -trimpath -ldflags=-s", "PRE_COMMIT_HOME="+p.home, "PRE_COMMIT_COLOR=never", "RLVET_NO_CACHE=1",
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org")
	return cmd
}

// configure lets the project use one hook of a repository.
func (p *project) configure(source, hook string) {
	p.t.Helper()
	p.hooks = source
	rev := (&project{t: p.t, dir: source}).git("rev-parse", "HEAD")
	p.put(".pre-commit-config.yaml", "repos:\n  - repo: "+source+"\n    rev: "+rev+"\n    hooks:\n      - id: "+hook+"\n")
}

// run runs the hook on all files.
func (p *project) run() (string, bool) {
	p.t.Helper()
	out, err := p.command(p.program, "run", "--all-files").CombinedOutput()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		p.t.Fatal(err)
	}
	return string(out), err == nil
}

func (p *project) passes(why string) {
	p.t.Helper()
	p.git("add", "-A")
	if out, ok := p.run(); !ok {
		p.t.Fatalf("%s: the hook fails:\n%s", why, out)
	}
}

func (p *project) fails(want ...string) {
	p.t.Helper()
	out, ok := p.run()
	if ok {
		p.t.Fatalf("the hook passes:\n%s", out)
	}
	for _, w := range want {
		if !strings.Contains(out, w) {
			p.t.Errorf("the hook does not say %q:\n%s", w, out)
		}
	}
}

// lack skips a test of what needs something that is not here, or fails it where a variable
// says that it has to be.
func lack(t *testing.T, require, what, untried string) {
	t.Helper()
	if os.Getenv(require) != "" {
		t.Fatalf("%s, and %s is set", what, require)
	}
	t.Skipf("SKIPPED: %s: %s", what, untried)
}
