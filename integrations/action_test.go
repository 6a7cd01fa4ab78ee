package integrations

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The steps of action.yml, as GitHub's runner runs them: each a process that gets the
// inputs by its environment and writes to the files that the runner names.
func TestAction(t *testing.T) {
	j := newJob(t)
	j.install()
	added, err := os.ReadFile(filepath.Join(j.temp, "path"))
	if err != nil {
		t.Fatal(err)
	}
	j.env = append(j.env, "PATH="+strings.TrimSpace(string(added))+string(os.PathListSeparator)+os.Getenv("PATH"))

	put(t, filepath.Join(j.dir, "my trainers", "grpo.py"), faulty)
	put(t, filepath.Join(j.dir, "sound.py"), sound)
	out, code := j.step("check", "RLVET_PATH=my trainers\nsound.py\n", "RLVET_ARGS=--select ADV --ignore *\n")
	if code != 2 || !strings.HasPrefix(out, `::error title=rlvet::--ignore: unknown rule "*"; `) || strings.Count(out, "\n") != 1 {
		t.Errorf("arguments are expanded, or the error is no annotation: exit %d\n%s", code, out)
	}
	j.holds("summary", "### rlvet\n\nNothing was checked.\n\n    error: --ignore: unknown rule \"*\"; ")
	if out, code := j.step("check", "RLVET_PATH=missing.py"); code != 2 || strings.Count(out, "::error") != 1 {
		t.Errorf("a file that is missing is not said once: exit %d\n%s", code, out)
	}
	out, code = j.step("check", "RLVET_PATH=my trainers\nsound.py\n", "RLVET_ARGS=--select ADV\n--no-preview")
	if code != 1 || !strings.HasPrefix(out, "::warning title=rlvet (ADV009 std-without-eps),file=my trainers/grpo.py,line=5,") || strings.Count(out, "::warning") != 1 {
		t.Errorf("exit %d\n%s", code, out)
	}
	j.holds("summary", "### rlvet\n\nFound 1 warning.\n", "| `my trainers/grpo.py:5:")
	j.holds("rlvet.sarif", `"version": "2.1.0"`, `"ADV009"`)
	j.holds("output", "sarif-file="+filepath.Join(j.temp, "rlvet.sarif")+"\n")
	if out, code := j.step("check", "RLVET_PATH=sound.py", "RLVET_ARGS="); code != 0 || out != "" {
		t.Errorf("of what is right: exit %d\n%s", code, out)
	}
	if out, code := j.step("confirm", "RLVET_CONFIRM=no such.py"); code != 2 || !strings.Contains(out, "error: ") {
		t.Errorf("confirm of what is missing: exit %d\n%s", code, out)
	}
}

// job is a job of GitHub's runner.
type job struct {
	t         *testing.T
	dir, temp string
	action    string // where the action lies
	env       []string
}

func newJob(t *testing.T) *job {
	action, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	j := &job{t: t, dir: t.TempDir(), temp: t.TempDir(), action: action}
	j.env = append(os.Environ(), "RLVET_NO_CACHE=1", "GITHUB_ACTION_PATH="+action, "RUNNER_TEMP="+j.temp, "GITHUB_PATH="+filepath.Join(j.temp, "path"),
		"GITHUB_OUTPUT="+filepath.Join(j.temp, "output"), "GITHUB_STEP_SUMMARY="+filepath.Join(j.temp, "summary"))
	return j
}

// step runs a script of the action, and returns what it prints and its exit code.
func (j *job) step(name string, env ...string) (string, int) {
	j.t.Helper()
	cmd := exec.Command(filepath.Join(j.action, ".github", "action", name))
	cmd.Dir, cmd.Env = j.dir, append(j.env, env...)
	out, err := cmd.CombinedOutput()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		j.t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// built is the program once a job has built it.
var built []byte

// install runs the steps before the check: used as ./, the action is at no release. The first job builds the program; in the others it
// lies where the step would put it.
func (j *job) install() {
	j.t.Helper()
	steps := []string{"install", "build"}
	if built != nil {
		steps = steps[:1]
	}
	for _, name := range steps {
		if out, code := j.step(name); code != 0 || out != "" {
			j.t.Fatalf("%s: exit %d\n%s", name, code, out)
		}
	}
	j.holds("output", "build=true\n")
	program := filepath.Join(j.temp, "rlvet-bin", "rlvet")
	var err error
	if built == nil {
		built, err = os.ReadFile(program)
	} else if err = os.Mkdir(filepath.Dir(program), 0o755); err == nil {
		err = os.WriteFile(program, built, 0o755)
	}
	if err != nil {
		j.t.Fatal(err)
	}
}

// output is what a command prints, whatever it finds.
func (j *job) output(name string, args ...string) []byte {
	j.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = j.dir, j.env
	out, err := cmd.Output()
	if exit, failed := err.(*exec.ExitError); err != nil && (!failed || exit.ExitCode() > 1) {
		j.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

// holds says which texts a file of the runner lacks.
func (j *job) holds(name string, want ...string) {
	j.t.Helper()
	text, err := os.ReadFile(filepath.Join(j.temp, name))
	if err != nil {
		j.t.Error(err)
	}
	for _, w := range want {
		if !strings.Contains(string(text), w) {
			j.t.Errorf("%s does not hold %q:\n%s", name, w, text)
		}
	}
}

// What `rlvet init` writes is what actionlint and pre-commit accept.
func TestInit(t *testing.T) {
	j := newJob(t)
	j.install()
	for _, name := range []string{".git", ".github"} {
		if err := os.Mkdir(filepath.Join(j.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	j.must(j.dir, filepath.Join(j.temp, "rlvet-bin", "rlvet"), "init", "--yes")
	j.must(j.action, "go", "tool", "-modfile=.ci/tools.mod", "actionlint", filepath.Join(j.dir, ".github", "workflows", "rlvet.yml"))
	j.must(j.dir, preCommit(t), "validate-config", ".pre-commit-config.yaml")
}

// What docs/ci.md shows is what actionlint and pre-commit accept.
func TestShownConfigurations(t *testing.T) {
	j := newJob(t)
	page, err := os.ReadFile("../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	hooks, workflows := 0, 0
	for i, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		path := filepath.Join(j.dir, fmt.Sprintf("%d.yml", i))
		put(t, path, block[1])
		switch {
		case strings.Contains(block[1], "repos:"):
			hooks++
			j.must(j.dir, preCommit(t), "validate-config", path)
		case strings.Contains(block[1], "jobs:"):
			workflows++
			j.must(j.action, "go", "tool", "-modfile=.ci/tools.mod", "actionlint", path)
		}
	}
	if hooks != 3 || workflows != 1 {
		t.Errorf("%d configurations of hooks, %d workflows", hooks, workflows)
	}
}

func (j *job) must(dir, name string, args ...string) {
	j.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, j.env
	if out, err := cmd.CombinedOutput(); err != nil {
		j.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}
