package project_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/py/parsetest"
	"github.com/rlvet/rlvet/internal/py/project"
)

// extract writes an archive's files below a new directory and returns it.
func extract(t *testing.T, archive string) string {
	t.Helper()
	root := realPath(t, t.TempDir())
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(root, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func realPath(t *testing.T, path string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// relative returns paths relative to the root, slash separated.
func relative(t *testing.T, root string, paths []string) []string {
	t.Helper()
	out := []string{}
	for _, p := range paths {
		rel, err := filepath.Rel(root, p)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, filepath.ToSlash(rel))
	}
	return out
}

// TestProjects runs the questions of each archive in testdata: the section
// "questions" holds one a line, with its answer behind "=>". Files of other
// sections make up the project.
//
//	name FILE => dotted name [package]
//	resolve FILE ..dotted => file, or nothing for external
//	imports FILE => files; deferred ones with a "?"
//	order => components in order, separated by ";"
//	root FILE => directory
func TestProjects(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(archive)
			if err != nil {
				t.Fatal(err)
			}
			answer(t, string(data))
		})
	}
}

func answer(t *testing.T, archive string) {
	root := extract(t, archive)
	a := asker{t: t, root: root, resolver: project.NewResolver(project.OS{}, root)}
	questions, err := os.ReadFile(filepath.Join(root, "questions"))
	if err != nil {
		t.Fatal("the archive has no questions")
	}
	for _, line := range strings.Split(strings.TrimSpace(string(questions)), "\n") {
		question, want, ok := strings.Cut(line, " =>")
		if !ok {
			t.Fatalf("cannot read the question %q", line)
		}
		if got := a.ask(strings.Fields(question)); got != strings.TrimSpace(want) {
			t.Errorf("%s => %s, want %s", question, got, strings.TrimSpace(want))
		}
	}
}

type asker struct {
	t        *testing.T
	root     string
	resolver *project.Resolver
}

func (a asker) ask(words []string) string {
	var m *project.Module
	if len(words) > 1 {
		m = a.module(words[1])
	}
	switch words[0] {
	case "name":
		if m.IsPackage {
			return m.Name + " package"
		}
		return m.Name
	case "resolve":
		dotted := strings.TrimLeft(words[2], ".")
		path, ok := a.resolver.Resolve(m, len(words[2])-len(dotted), dotted)
		if !ok {
			return ""
		}
		return a.rel(path)
	case "imports":
		var out []string
		for _, in := range m.Imports {
			out = append(out, a.rel(in.Path)+map[bool]string{true: "?"}[in.Tie != project.Needed])
		}
		return strings.Join(out, " ")
	case "root":
		return a.rel(project.Root(project.OS{}, m.Path))
	case "order":
		return a.order()
	}
	a.t.Fatalf("no such question: %v", words)
	return ""
}

func (a asker) rel(path string) string { return relative(a.t, a.root, []string{path})[0] }

func (a asker) module(file string) *project.Module {
	path := filepath.Join(a.root, filepath.FromSlash(file))
	text, err := os.ReadFile(path)
	if err != nil {
		text = nil // a folder, or a script that is only thought of
	}
	return newModule(a.resolver, path, parsetest.Parse(a.t, string(text)))
}

func (a asker) order() string {
	files, problems := project.Discover(project.OS{}, []string{a.root}, project.Options{})
	if len(problems) > 0 {
		a.t.Fatal(problems)
	}
	var mods []*project.Module
	for _, f := range files {
		mods = append(mods, a.module(a.rel(f)))
	}
	forward := a.orderText(project.Order(mods))
	slices.Reverse(mods)
	if backward := a.orderText(project.Order(mods)); backward != forward {
		a.t.Errorf("the order depends on the input's: %s, reversed %s", forward, backward)
	}
	return forward
}

func (a asker) orderText(groups [][]*project.Module) string {
	var out []string
	for _, g := range groups {
		var names []string
		for _, m := range g {
			names = append(names, m.Name)
		}
		out = append(out, strings.Join(names, " "))
	}
	return strings.Join(out, "; ")
}

const discoverProject = `
-- .git/info/exclude --
private.py
-- .gitignore --
# outputs
/runs/
*.log.py
!keep.log.py
data
[!a-y]ebra.py
-- pyproject.toml --
-- train.py --
-- notebook.ipynb --
-- window.pyw --
-- readme.md --
-- private.py --
-- zebra.py --
-- yebra.py --
-- x.log.py --
-- keep.log.py --
-- runs/a.py --
-- sub/runs/a.py --
-- sub/data/b.py --
-- sub/.gitignore --
local.py
/anchored.py
-- sub/local.py --
-- sub/anchored.py --
-- sub/deep/local.py --
-- sub/deep/anchored.py --
-- .venv/lib/x.py --
-- build/x.py --
-- pkg/__pycache__/x.py --
-- pkg/site-packages/x.py --
-- pkg/__init__.py --
-- empty/readme.md --
`

func TestDiscover(t *testing.T) {
	root := extract(t, discoverProject)
	at := func(names ...string) []string {
		var out []string
		for _, n := range names {
			out = append(out, filepath.Join(root, n))
		}
		return out
	}
	all := []string{
		"keep.log.py", "notebook.ipynb", "pkg/__init__.py", "sub/deep/anchored.py", "sub/runs/a.py",
		"train.py", "window.pyw", "yebra.py",
	}
	for _, c := range []struct {
		name  string
		paths []string
		opts  project.Options
		want  []string
	}{
		{"whole project", at("."), project.Options{}, all},
		{"twice the same", at("train.py", ".", "train.py", "sub/.."), project.Options{}, all},
		{"subdirectory under outer patterns", at("sub"), project.Options{}, []string{"sub/deep/anchored.py", "sub/runs/a.py"}},
		{"named directory that is ignored", at("runs", "sub/data"), project.Options{}, []string{"runs/a.py", "sub/data/b.py"}},
		{"named directory that is excluded", at("build"), project.Options{}, []string{"build/x.py"}},
		{"named files always", at("private.py", "readme.md", ".venv/lib/x.py"), project.Options{}, []string{".venv/lib/x.py", "private.py", "readme.md"}},
		{"named files under force-exclude", at("train.py", ".venv/lib/x.py"), project.Options{ExtendExclude: []string{"x.py"}, ForceExclude: true}, []string{"train.py"}},
		{"without gitignore", at("sub"), project.Options{NoGitignore: true}, []string{
			"sub/anchored.py", "sub/data/b.py", "sub/deep/anchored.py", "sub/deep/local.py", "sub/local.py", "sub/runs/a.py",
		}},
		{"exclude replaces defaults", at("."), project.Options{Exclude: []string{"sub", "*.ipynb", "*.log.py", ".*"}}, []string{
			"build/x.py", "pkg/__init__.py", "pkg/__pycache__/x.py", "pkg/site-packages/x.py", "train.py", "window.pyw", "yebra.py",
		}},
		{"paths from the base", at("."), project.Options{ExtendExclude: []string{"sub/deep", "./pkg/*.py", "**/runs/a.py", "*ebra.py/"}, Base: root}, []string{
			"keep.log.py", "notebook.ipynb", "train.py", "window.pyw",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files, problems := project.Discover(project.OS{}, c.paths, c.opts)
			if diff := cmp.Diff(c.want, relative(t, root, files)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(problems) > 0 {
				t.Errorf("problems: %v", problems)
			}
		})
	}
}

func TestDiscoverProblems(t *testing.T) {
	root := extract(t, "-- ok/a.py --\n-- empty/readme.md --\n-- locked/a.py --\n-- links/target.py --\n")
	links := filepath.Join(root, "links")
	for name, target := range map[string]string{
		"dangling.py": "nowhere.py", "loop.py": "loop.py", "good.py": "target.py", "up": "..", "dangling.txt": "nowhere",
	} {
		if err := os.Symlink(target, filepath.Join(links, name)); err != nil {
			t.Skipf("SKIPPED: no symbolic links here: %v", err)
		}
	}
	paths := []string{"ok", "missing.py", "missing", "empty", "links", "links/goood.py"}
	want := []string{"links/good.py", "links/target.py", "ok/a.py"}
	wantProblems := []string{
		"empty: no Python files here, and no .yaml, .toml, .json or .sh; name a directory that holds some, or check exclude and .gitignore (fatal false)",
		"links/dangling.py: no such file or directory; check the spelling (or is it a broken link?) (fatal true)",
		"links/goood.py: no such file or directory; did you mean links/good.py? (fatal true)",
		"links/loop.py: too many levels of symbolic links; fix the path, or exclude it (fatal true)",
		"missing: no such file or directory; check the spelling (or is it a broken link?) (fatal true)",
		"missing.py: no such file or directory; check the spelling (or is it a broken link?) (fatal true)",
	}
	if os.Getuid() != 0 {
		if err := os.Chmod(filepath.Join(root, "locked"), 0); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, "locked")
		wantProblems = slices.Insert(wantProblems, 4, "locked: permission denied; make it readable, or exclude it (fatal true)")
	}
	t.Chdir(root)
	files, problems := project.Discover(project.OS{}, paths, project.Options{})
	if diff := cmp.Diff(want, slashed(files)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	var got []string
	for _, p := range problems {
		got = append(got, fmt.Sprintf("%s: %s (fatal %v)", filepath.ToSlash(p.File), p.Message, p.Fatal))
	}
	if diff := cmp.Diff(wantProblems, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// slashed returns paths with slashes: relative ones must have stayed relative.
func slashed(paths []string) []string {
	var out []string
	for _, p := range paths {
		out = append(out, filepath.ToSlash(p))
	}
	return out
}

// A directory whose reading fails is a problem of its own and hides no other; a
// file system double stands in, since root may read everything.
func TestDiscoverUnreadableDirectory(t *testing.T) {
	root := extract(t, "-- a/x.py --\n-- b/y.py --\n")
	files, problems := project.Discover(locked{project.OS{}, filepath.Join(root, "b")}, []string{root}, project.Options{})
	if got := relative(t, root, files); !slices.Equal(got, []string{"a/x.py"}) {
		t.Errorf("files %v", got)
	}
	if len(problems) != 1 || !problems[0].Fatal || problems[0].Message != "permission denied; make it readable, or exclude it" {
		t.Errorf("problems %v", problems)
	}
}

// locked refuses to list one directory.
type locked struct {
	project.FS
	dir string
}

func (l locked) ReadDir(path string) ([]os.DirEntry, error) {
	if path == l.dir {
		return nil, &os.PathError{Op: "open", Path: path, Err: syscall.EACCES}
	}
	return l.FS.ReadDir(path)
}

func TestOverlay(t *testing.T) {
	root := extract(t, "-- train.py --\nold\n-- pkg/__init__.py --\n")
	buffers := map[string][]byte{
		filepath.Join(root, "train.py"):         []byte("new"),
		filepath.Join(root, "pkg/losses.py"):    []byte("unsaved"),
		filepath.Join(root, "fresh/deep/mo.py"): []byte("unsaved"),
	}
	fsys := project.Overlay(project.OS{}, buffers)
	if data, err := fsys.ReadFile(filepath.Join(root, "train.py")); err != nil || string(data) != "new" {
		t.Errorf("train.py reads %q, %v", data, err)
	}
	files, problems := project.Discover(fsys, []string{root}, project.Options{})
	want := []string{"fresh/deep/mo.py", "pkg/__init__.py", "pkg/losses.py", "train.py"}
	if diff := cmp.Diff(want, relative(t, root, files)); diff != "" || len(problems) > 0 {
		t.Errorf("(-want +got):\n%s%v", diff, problems)
	}
	r := project.NewResolver(fsys, root)
	for dotted, want := range map[string]string{"pkg.losses": "pkg/losses.py", "fresh.deep.mo": "fresh/deep/mo.py"} {
		path, ok := r.Resolve(&project.Module{Path: filepath.Join(root, "train.py")}, 0, dotted)
		if !ok || relative(t, root, []string{path})[0] != want {
			t.Errorf("%s resolves to %q, %v", dotted, path, ok)
		}
	}
}

func TestRootWithoutMarkers(t *testing.T) {
	root := extract(t, "-- a/pkg/__init__.py --\n-- a/pkg/sub/__init__.py --\n-- a/pkg/sub/x.py --\n-- a/b/y.py --\n")
	for at := root; filepath.Dir(at) != at; at = filepath.Dir(at) {
		for _, marker := range []string{"pyproject.toml", "setup.py", "setup.cfg", ".git"} {
			if _, err := os.Stat(filepath.Join(at, marker)); err == nil {
				t.Skipf("SKIPPED: the temporary directory lies in a project: %s has %s", at, marker)
			}
		}
	}
	for file, want := range map[string]string{"a/pkg/sub/x.py": "a", "a/pkg/sub": "a", "a/b/y.py": "a/b", "a/b/new.py": "a/b"} {
		if got := relative(t, root, []string{project.Root(project.OS{}, filepath.Join(root, file))})[0]; got != want {
			t.Errorf("the root of %s is %s, want %s", file, got, want)
		}
	}
}

// TestNamedAround: without a mark of the project's root, a folder that bears the first name of an
// import is where the module is looked for.
func TestNamedAround(t *testing.T) {
	root := extract(t, "-- src/train.py --\n-- src/model.py --\n-- src/nets/heads.py --\n-- src/nets/deep/use.py --\n-- other/model.py --\n")
	r := project.NewResolver(project.OS{}, filepath.Join(root, "src"))
	deep := project.NewResolver(project.OS{}, filepath.Join(root, "src", "nets", "deep"))
	for _, c := range []struct {
		r                  *project.Resolver
		from, dotted, want string
	}{
		{r, "src/train.py", "src.model", "src/model.py"},
		{r, "src/train.py", "src.nets.heads", "src/nets/heads.py"},
		{deep, "src/nets/deep/use.py", "src.model", "src/model.py"},
		{deep, "src/nets/deep/use.py", "nets.heads", "src/nets/heads.py"},
		{r, "src/train.py", "other.model", "other/model.py"}, // beside the folder that is taken for the root
		{r, "src/train.py", "src.missing", ""},
		{r, "src/train.py", "src", ""},
	} {
		path, ok := c.r.Resolve(&project.Module{Path: filepath.Join(root, c.from)}, 0, c.dotted)
		got := ""
		if ok {
			got = relative(t, root, []string{path})[0]
		}
		if got != c.want {
			t.Errorf("%s in %s is %q, want %q", c.dotted, c.from, got, c.want)
		}
	}
}

// TestScriptAbove: without a mark of the project's root, a name of several parts leads to the folders next above, and a single one
// where a script there says that the program starts in it.
func TestScriptAbove(t *testing.T) {
	const files = "-- main.py --\n-- utils.py --\n-- algo/ppo.py --\n-- algo/deep/er/use.py --\n-- nets/policy.py --\n-- apart/algo/ppo.py --\n-- apart/nets/policy.py --\n-- apart/alone/x.py --\n-- apart/alone/one/y.py --\n"
	root := extract(t, files)
	for _, c := range []struct{ from, dotted, want string }{
		{"algo/ppo.py", "nets.policy", "nets/policy.py"},
		{"algo/ppo.py", "utils", "utils.py"},
		{"algo/ppo.py", "nets.missing", ""},
		{"algo/ppo.py", "random", ""},
		{"algo/deep/er/use.py", "nets.policy", ""}, // too far above
		{"apart/algo/ppo.py", "nets.policy", "apart/nets/policy.py"},
		{"apart/alone/one/y.py", "x", ""}, // nothing but what is sought
	} {
		r := project.NewResolver(project.OS{}, filepath.Dir(filepath.Join(root, c.from)))
		path, ok := r.Resolve(&project.Module{Path: filepath.Join(root, c.from)}, 0, c.dotted)
		got := ""
		if ok {
			got = relative(t, root, []string{path})[0]
		}
		if got != c.want {
			t.Errorf("%s in %s is %q, want %q", c.dotted, c.from, got, c.want)
		}
	}
	marked := extract(t, files+"-- algo/pyproject.toml --\n")
	r := project.NewResolver(project.OS{}, filepath.Join(marked, "algo"))
	if path, ok := r.Resolve(&project.Module{Path: filepath.Join(marked, "algo", "ppo.py")}, 0, "nets.policy"); ok {
		t.Errorf("out of a marked project an import leads to %s", path)
	}
}
