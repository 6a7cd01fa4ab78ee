package integrations

import (
	"archive/zip"
	"debug/buildinfo"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// The package for pip, as people get it: of a tag an sdist, the wheel that is built of it,
// and that wheel in an empty environment.
func TestWheel(t *testing.T) {
	w := &wheel{job: newJob(t), python: wheelPython(t), dist: filepath.Join(t.TempDir(), "v9.8.7")}
	w.env = append(w.env, "PYTHONDONTWRITEBYTECODE=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_INDEX=1", "PIP_FIND_LINKS="+w.dist)
	source := &project{t: t, dir: hooks(t)}
	source.git("tag", "v9.8.7")
	w.must(w.dir, w.python, "-m", "build", "--no-isolation", "--skip-dependency-check", "--outdir", w.dist, filepath.Join(source.dir, "packaging", "pypi"))
	w.must(w.dir, "twine", "check", "--strict", w.built("rlvet-9.8.7-*.whl"), w.built("rlvet-9.8.7.tar.gz"))
	w.contents()
	for _, pattern := range []string{"*.whl", "*.tar.gz"} {
		if info, err := os.Stat(w.built(pattern)); err != nil || info.Mode().Perm() != 0o644 {
			t.Errorf("%s is not for everybody to read: %v, %v", pattern, info.Mode(), err)
		}
	}

	here, err := filepath.EvalSymlinks(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	venv := filepath.Join(here, "venv")
	w.must(w.dir, w.python, "-m", "venv", venv)
	w.python = filepath.Join(venv, "bin", "python")
	w.must(w.dir, w.python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", "rlvet")
	put(t, filepath.Join(w.dir, "train.py"), faulty)
	w.finds(venv)
	w.says(0, filepath.Join(venv, "bin", "rlvet")+"\n", w.python, "-c", "import rlvet; print(rlvet.find_rlvet_bin())")

	t.Run("Magic", func(t *testing.T) { w.magic(t, venv) })

	target := filepath.Join(here, "target")
	w.must(w.dir, w.python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", "--target", target, "rlvet")
	w.must(w.dir, w.python, "-m", "pip", "uninstall", "--quiet", "--yes", "rlvet")
	w.env = append(w.env, "PYTHONPATH="+target)
	w.says(0, filepath.Join(target, "bin", "rlvet")+"\n", w.python, "-c", "import rlvet; print(rlvet.find_rlvet_bin())")
	w.broken(venv, filepath.Join(target, "bin", "rlvet"))
	w.archive()
	t.Run("PreCommit", func(t *testing.T) {
		p := &project{t: t, dir: t.TempDir(), program: preCommit(t), home: t.TempDir()}
		p.asWheel(w.dist)
	})
}

// session runs cells as IPython does. Its torch is none: what is checked is not run, and
// what is run is not checked.
const session = `
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for cell in ("%load_ext rlvet", "import torch\nrewards = torch.ones(4)", "%%rlvet\nprint('begun')\ny = rewards / rewards.std()\nprint('ran')",
             "%%rlvet\nprint('begun again')", "%%rlvet --selct ADV\nprint('all the same')",
             "%%rlvet --fix\nprint('not fixed')", "%%rlvet a.ipynb\nprint('no file')", "%%rlvet --ignore\nprint('no value')", "%%rlvet 'a\nprint('no quote')",
             "%%rlvet --config=fix=true --select DIST --extend-select OBJ --preview --show-hints --isolated --target-torch 2.0\nx = rewards / rewards.std()\nprint('not selected')",
             "%%rlvet --config 'fix = true' --ignore DIST\n%time z = rewards / rewards.std()", "%%rlvet\nraise SystemError('own')\n"):
    failed = not shell.run_cell(cell, store_history=True).success
print("stopped", failed)
`

// magic tries %%rlvet in an IPython that finds the package in an environment.
func (w *wheel) magic(t *testing.T, venv string) {
	t.Helper()
	packages, err := filepath.Glob(filepath.Join(venv, "lib", "python*", "site-packages"))
	if err != nil || len(packages) != 1 {
		t.Fatal(packages, err)
	}
	const python = "/usr/bin/python3" // which has Debian's IPython
	if err := exec.Command(python, "-c", "import IPython").Run(); err != nil {
		lack(t, "REQUIRE_WHEEL", "IPython is not installed", "the magic in notebooks is NOT tried")
	}
	stub := filepath.Join(w.dir, "stub")
	put(t, filepath.Join(stub, "torch.py"), "class Ones:\n    def std(self):\n        return 1\n    def __truediv__(self, other):\n        return self\ndef ones(n):\n    return Ones()\n")
	put(t, filepath.Join(w.dir, "session.py"), session)
	cmd := exec.Command(python, "session.py")
	cmd.Dir, cmd.Env = w.dir, append(slices.Clone(w.env), "PYTHONPATH="+packages[0]+":"+stub, "IPYTHONDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"line 2: warning ADV009: division by a std that can be zero\n    y = rewards / rewards.std()\n  why: ", "begun\nran\nbegun again\n",
		"error: %%rlvet takes no --selct; it takes --select, --extend-select, --ignore, --preview, --show-hints, --config, --isolated, --target-torch\n", "all the same\n",
		"error: %%rlvet cannot change a cell; use `rlvet check --fix notebook.ipynb`\n", "not fixed\n",
		"error: %%rlvet checks its own cell; for a file, use `!rlvet check a.ipynb`\n", "no file\n",
		"error: --ignore needs a value; see `rlvet check --help`\n", "no value\n", "error: No closing quotation\n", "no quote\n",
		"not selected\n", "line 1: warning ADV009: division by a std that can be zero\n    %time z = rewards / rewards.std()\n",
		": own\n", "stopped True\n",
	} {
		if strings.Count(string(out), want) != 1 {
			t.Errorf("want once %q in\n%s", want, out)
		}
	}
}

// Where there is no wheel, pip builds of the sdist: what that needs is said in one line.
func TestSdistWithoutGo(t *testing.T) {
	w := &wheel{job: newJob(t), python: wheelPython(t), dist: t.TempDir()}
	w.must(w.dir, w.python, "-m", "build", "--no-isolation", "--skip-dependency-check", "--sdist", "--outdir", w.dist, filepath.Join(w.action, "packaging", "pypi"))
	w.must(w.dir, "tar", "--strip-components=1", "-xf", w.built("*.tar.gz"))
	build := []string{w.python, "-m", "build", "--no-isolation", "--skip-dependency-check", "--wheel", "."}
	const needs = "error: rlvet has no wheel for this platform or Python; to build it takes Go 1.26 (https://go.dev/dl) and a C compiler: "

	env := w.env
	w.env = append(env, "CC=no-such-compiler -m64")
	w.fails(needs+"there is no no-such-compiler -m64", build...)
	w.env = append(env, "PATH="+t.TempDir())
	w.fails(needs+"there is no go", build...)
}

// `make wheel` says, before it builds anything, what it lacks and where to get it.
func TestMakeWheelNeeds(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil || runtime.GOOS != "linux" {
		t.Skip("SKIPPED: there is no make, or this is no Linux: what make wheel lacks is NOT tried")
	}
	for variable, want := range map[string]string{
		"PYTHON=/no/such/python":   "and /no/such/python lacks them: apt-get install python3-build python3-hatchling, or pip install build hatchling ",
		"MUSL_CC=no-such-gcc -m64": "and there is no no-such-gcc: apt-get install musl-tools, or give another as MUSL_CC",
	} {
		args := []string{"-C", "..", "wheel", variable}
		if !strings.HasPrefix(variable, "PYTHON=") {
			args = append(args, "PYTHON="+wheelPython(t))
		}
		out, err := exec.Command("make", args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), want) || strings.Contains(string(out), "pyproject") {
			t.Errorf("make wheel %s: %v, without %q in\n%s", variable, err, want, out)
		}
	}
}

// The platforms of which the wheels of a release are, in the words of pip.
func TestWheelPlatforms(t *testing.T) {
	w := &wheel{job: newJob(t), python: wheelPython(t)}
	w.dir = filepath.Join(w.action, "packaging", "pypi")
	for _, p := range platforms {
		w.env = append(w.env, "PYTHONDONTWRITEBYTECODE=1", "RLVET_STATIC=1")
		w.says(0, p.tag+"\n", w.python, "-c", "import hatch_build; print(hatch_build.platform(*'"+p.build+"'.split()))")
	}
}

// wheel is a package that is built and tried.
type wheel struct {
	*job
	python string // which builds it, and later has it
	dist   string // where it is put
}

// wheelPython returns a Python that builds wheels, or skips.
func wheelPython(t *testing.T) string {
	t.Helper()
	_, why := exec.LookPath("twine")
	if why == nil {
		_, why = exec.LookPath("unzip")
	}
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		path, err := exec.LookPath(python)
		if err == nil {
			err = exec.Command(path, "-c", "import build, hatchling, ensurepip").Run()
		}
		if err == nil && why == nil {
			return path
		}
	}
	lack(t, "REQUIRE_WHEEL", "one of build, hatchling, venv, twine and unzip is not installed", "the package for pip is NOT tried")
	return ""
}

// built is the one file in dist of a pattern.
func (w *wheel) built(pattern string) string {
	w.t.Helper()
	names, err := filepath.Glob(filepath.Join(w.dist, pattern))
	if err != nil || len(names) != 1 {
		w.t.Fatalf("%s: %v, %v", pattern, names, err)
	}
	return names[0]
}

// contents holds the wheel to what it is to contain.
func (w *wheel) contents() {
	w.t.Helper()
	archive, err := zip.OpenReader(w.built("*.whl"))
	if err != nil {
		w.t.Fatal(err)
	}
	defer archive.Close()
	var names []string
	for _, f := range archive.File {
		_, name, _ := strings.Cut(f.Name, "/") // without the folder, which has the version
		if f.Name == "rlvet/"+name || !strings.HasPrefix(name, "licenses/") {
			names = append(names, name)
		}
		if name == "scripts/rlvet" && f.Mode().Perm() != 0o755 {
			w.t.Errorf("%s has the mode %v", f.Name, f.Mode())
		}
	}
	slices.Sort(names)
	want := []string{"METADATA", "RECORD", "WHEEL", "__init__.py", "__main__.py", "_find_rlvet.py", "_magic.py", "py.typed", "scripts/rlvet"}
	if !slices.Equal(names, want) {
		w.t.Errorf("the wheel holds %q, not %q", names, want)
	}
	info := w.member(archive, ".dist-info/WHEEL")
	machine := map[string]string{"linux/amd64": "linux_x86_64", "linux/arm64": "linux_aarch64", "darwin/arm64": "macosx_12_0_arm64", "darwin/amd64": "macosx_12_0_x86_64"}
	for _, want := range []string{"Root-Is-Purelib: false\n", "\nTag: py3-none-" + machine[runtime.GOOS+"/"+runtime.GOARCH] + "\n"} {
		if !strings.Contains(info, want) {
			w.t.Errorf("WHEEL lacks %q:\n%s", want, info)
		}
	}
	program, err := buildinfo.Read(strings.NewReader(w.member(archive, ".data/scripts/rlvet")))
	if err != nil {
		w.t.Fatal(err)
	}
	notices := w.member(archive, ".dist-info/licenses/THIRD_PARTY_LICENSES")
	for _, module := range append(program.Deps, &debug.Module{Path: "Go"}) {
		if !strings.Contains(notices, "\n"+module.Path+"\n") {
			w.t.Errorf("the wheel lacks the license of %s", module.Path)
		}
	}
	w.member(archive, ".dist-info/licenses/LICENSE")
}

// member reads the file of an archive whose name ends so.
func (w *wheel) member(archive *zip.ReadCloser, end string) string {
	w.t.Helper()
	i := slices.IndexFunc(archive.File, func(f *zip.File) bool { return strings.HasSuffix(f.Name, end) })
	if i < 0 {
		w.t.Fatalf("the wheel holds no %s", end)
	}
	r, err := archive.File[i].Open()
	if err != nil {
		w.t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// asOnWindows is `python -m rlvet` as it is on Windows.
const asOnWindows = "import sys; sys.platform = 'win32'; from rlvet.__main__ import main; sys.exit(main())"

// finds tries the program of an environment, by its name and by `python -m`.
func (w *wheel) finds(venv string) {
	w.t.Helper()
	program := filepath.Join(venv, "bin", "rlvet")
	for _, command := range [][]string{{program}, {w.python, "-m", "rlvet"}, {w.python, "-c", asOnWindows}} {
		out, code := w.run(append(command, "check", "--output-format", "concise", "train.py")...)
		if want := "train.py:5:12: ADV009 [*] division by a std that can be zero"; code != 1 || !strings.HasPrefix(out, want) {
			w.t.Errorf("%q: exit %d, not 1 and %q:\n%s", command, code, want, out)
		}
		w.says(0, "rlvet 9.8.7\n", append(command, "--version")...)
	}
	w.says(2, "error: this program is rlvet 9.8.7, the Python package is 9.8.6; run `pip install --force-reinstall rlvet`\n",
		"env", "RLVET_PACKAGE_VERSION=9.8.6", program, "--version")
}

// broken tries `python -m rlvet` where the program at path is something else, no program, or not there.
func (w *wheel) broken(venv, path string) {
	w.t.Helper()
	put(w.t, path, "#!/bin/sh\necho $VIRTUAL_ENV $RLVET_PACKAGE_VERSION $*\nexit 7\n")
	w.says(7, venv+" 9.8.7 check a b\n", w.python, "-m", "rlvet", "check", "a b")
	put(w.t, path, "\x7fELF")
	w.says(2, "error: "+path+" cannot be run: Exec format error; run `pip install --force-reinstall rlvet`\n", w.python, "-m", "rlvet", "check")
	if err := os.Remove(path); err != nil {
		w.t.Fatal(err)
	}
	w.says(2, "error: the program is missing from the package rlvet; run `pip install --force-reinstall rlvet`\n", w.python, "-m", "rlvet", "check")
}

// archive holds the archive for those without pip to the wheel: the same program, sums that
// are right, and what the action installs.
func (w *wheel) archive() {
	w.t.Helper()
	w.must(w.dir, filepath.Join(w.action, ".ci", "archives"), w.dist)
	w.must(w.dist, "sha256sum", "--check", "--strict", "SHA256SUMS")
	w.must(w.dir, "tar", "-xf", w.built("rlvet-9.8.7-*-*.tar.gz"), "--strip-components=1")
	w.says(0, "rlvet 9.8.7\n", "./rlvet", "--version")
	for _, name := range []string{"LICENSE", "THIRD_PARTY_LICENSES"} {
		if _, err := os.Stat(filepath.Join(w.dir, name)); err != nil {
			w.t.Error(err)
		}
	}
	platform := map[string]string{"linux/amd64": "Linux-X64", "linux/arm64": "Linux-ARM64", "darwin/arm64": "macOS-ARM64", "darwin/amd64": "macOS-X64"}
	out, code := w.installs(platform[runtime.GOOS+"/"+runtime.GOARCH], "RLVET_RELEASES=file://"+filepath.Dir(w.dist), "RLVET_ACTION_REF="+w.initialised())
	if code != 0 || out != "rlvet 9.8.7\n" {
		w.t.Errorf("the action does not install it: exit %d\n%s", code, out)
	}
}

// initialised is where the workflow that `rlvet init` writes uses the action.
func (w *wheel) initialised() string {
	w.t.Helper()
	if err := os.Mkdir(filepath.Join(w.dir, ".github"), 0o755); err != nil {
		w.t.Fatal(err)
	}
	w.must(w.dir, "./rlvet", "init", "--yes")
	text, err := os.ReadFile(filepath.Join(w.dir, ".github", "workflows", "rlvet.yml"))
	if err != nil {
		w.t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "uses: rlvet/rlvet@")
	at, _, _ := strings.Cut(after, "\n")
	return at
}

// run runs a command, and returns what it prints and its exit code.
func (w *wheel) run(command ...string) (string, int) {
	w.t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = w.dir, w.env
	out, err := cmd.CombinedOutput()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		w.t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (w *wheel) says(code int, want string, command ...string) {
	w.t.Helper()
	if out, got := w.run(command...); got != code || out != want {
		w.t.Errorf("%q: exit %d, not %d:\n%swant:\n%s", command, got, code, out, want)
	}
}

// fails runs a build that has to fail, with this line and without a traceback.
func (w *wheel) fails(want string, command ...string) {
	w.t.Helper()
	if out, code := w.run(command...); code == 0 || !strings.Contains(out, want+"\n") || strings.Contains(out, "Traceback") {
		w.t.Errorf("%q: exit %d, not %q:\n%s", command, code, want, out)
	}
}
