package config

import (
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/source"
)

func registry(t testing.TB) *rule.Registry {
	t.Helper()
	doc := func(code, name, family string, status rule.Status) rule.Entry {
		return rule.Entry{Doc: &rule.Doc{Meta: rule.Meta{Code: code, Name: name, Family: family, Status: status, Severity: finding.Error, Evidence: finding.Derived, Fix: rule.FixSafe}, Path: name}}
	}
	r, err := rule.NewRegistry([]rule.Entry{
		doc("ADV009", "std-without-eps", "advantage", rule.Stable), doc("KL016", "kl-missing-in-loss", "kl", rule.Stable),
		doc("OBJ001", "log-ratio-as-ratio", "objective", rule.Preview), doc("RLV001", "unused-suppression", "suppression", rule.Stable),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// tree writes a txtar archive into a folder, makes that the working directory
// and returns it.
func tree(t testing.TB, archive string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.(*testing.T).Chdir(dir)
	return dir
}

func codes(s rule.Set) string {
	var out []string
	for c := range s {
		out = append(out, c)
	}
	sort.Strings(out)
	return strings.Join(out, " ")
}

// Each key of the files is explained, with an example that is accepted, and
// nothing else is.
func TestKeysAgreeWithValues(t *testing.T) {
	tags := tagsOf(reflect.TypeFor[Values](), "")
	names := KeyNames()
	sort.Strings(tags)
	sort.Strings(names)
	if diff := cmp.Diff(tags, names); diff != "" {
		t.Error(diff)
	}
	for _, k := range Keys {
		layer, _, err := parseLayer("rlvet.toml", "/", false, []byte(k.Example))
		if err != nil {
			t.Errorf("%s: its example is refused: %v", k.Name, err)
			continue
		}
		if layer.lines[k.Name] != 1 || !strings.HasPrefix(k.Example, k.Name+" = ") {
			t.Errorf("%s: its example %q sets something else", k.Name, k.Example)
		}
	}
}

// tagsOf returns the names of the values, those in tables with the name of the table.
func tagsOf(values reflect.Type, prefix string) (out []string) {
	for i := range values.NumField() {
		f := values.Field(i)
		if f.Type.Kind() == reflect.Struct {
			out = append(out, tagsOf(f.Type, prefix+f.Tag.Get("toml")+".")...)
			continue
		}
		out = append(out, prefix+f.Tag.Get("toml"))
	}
	return out
}

// The settings page says what holds when nothing is set.
func TestDefaultsAreAsDocumented(t *testing.T) {
	s, err := build("/", nil, registry(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range Keys {
		if got := s.Value(k.Name); got != k.Default || s.Origin(k.Name) != "default" {
			t.Errorf("%s is %s from %s, documented is %s", k.Name, got, s.Origin(k.Name), k.Default)
		}
	}
}

// Every mistake in a settings file is one line with its place and what to write.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ name, file, text, want string }{
		{"unknown key", "rlvet.toml", "preview = true\nslect = ['ADV']\n", `rlvet.toml:2: unknown setting "slect"; did you mean "select"?`},
		{"unknown key, nothing near", "rlvet.toml", "colour-of-bikeshed = 1\n", "rlvet.toml:1: unknown setting \"colour-of-bikeshed\"; `rlvet config` lists all"},
		{"unknown table", "rlvet.toml", "[lint]\nselect = []\n", `rlvet.toml:1: unknown setting "lint"`},
		{"in pyproject", "pyproject.toml", "[project]\nname = 'x'\n\n[tool.rlvet]\nfixx = true\n", `pyproject.toml:5: unknown setting "fixx"; did you mean "fix"?`},
		{"subtable in pyproject", "pyproject.toml", "[tool.rlvet]\n[tool.rlvet.lint]\nx = 1\n", `pyproject.toml:2: unknown setting "lint"`},
		{"wrong type", "rlvet.toml", "fix = 'yes'\n", "rlvet.toml:1: fix must be a boolean, as in: fix = true"},
		{"list expected", "rlvet.toml", "\nselect = 'ADV'\n", `rlvet.toml:2: select must be a list of rules, as in: select = ["ADV", "KL"]`},
		{"wrong element", "rlvet.toml", "select = [\n  'ADV',\n  3,\n]\n", "rlvet.toml:3: select must be a list of rules"},
		{"table expected", "rlvet.toml", "per-file-ignores = ['a']\n", "rlvet.toml:1: per-file-ignores must be a table"},
		{"not a table at all", "pyproject.toml", "[tool]\nrlvet = 3\n", "pyproject.toml:2: "},
		{"no TOML", "rlvet.toml", "select = [\n", "rlvet.toml:"},
		{"key twice", "rlvet.toml", "fix = true\nfix = false\n", "rlvet.toml:2: not valid TOML"},
		{"unknown rule", "rlvet.toml", "fix = true\nignore = ['ADV0009']\n", `rlvet.toml:2: unknown rule "ADV0009"; did you mean ADV009 (std-without-eps)?`},
		{"unknown rule for files", "rlvet.toml", "[per-file-ignores]\n'*.py' = ['XX']\n", `rlvet.toml:1: unknown rule "XX"`},
		{"unknown format", "rlvet.toml", "output-format = 'xml'\n", `rlvet.toml:1: unknown output format "xml"; the formats are concise, full`},
		{"unknown quantity", "rlvet.toml", "[audit.metrics]\nfine = 'reward'\n\"my/score\" = 'heldout'\n", `rlvet.toml:3: "my/score": unknown quantity "heldout"; did you mean "held_out"?`},
		{"unknown quantity, nothing near", "pyproject.toml", "[tool.rlvet.audit.metrics]\nx = 'bikeshed-colour-number'\n", `pyproject.toml:2: "x": unknown quantity "bikeshed-colour-number"; the quantities are reward, `},
		{"percent", "rlvet.toml", "audit = { metrics = { x = 'held_out:percent' } }\n", `rlvet.toml:1: "x": unknown unit "percent"; a share is logged as 0 to 1, not in percent: divide it by 100 and write held_out:share, or for a score write held_out:points`},
		{"unknown unit", "rlvet.toml", "audit = { metrics = { x = 'kl_reference:nats-per-tokn' } }\n", `rlvet.toml:1: "x": unknown unit "nats-per-tokn"; did you mean "nats-per-token"?`},
		{"unknown setting of audit", "rlvet.toml", "[audit]\nmetrix = {}\n", `rlvet.toml:2: unknown setting "audit.metrix"; did you mean "audit.metrics"?`},
		{"audit is no table", "rlvet.toml", "audit = 3\n", "rlvet.toml:1: "},
		{"metrics of numbers", "rlvet.toml", "fix = true\n[audit.metrics]\nx = 3\n", `rlvet.toml:3: audit.metrics must be a table from names of metrics to what they measure, as in: audit.metrics = `},
		{"no version", "rlvet.toml", "target-torch = 'latest'\n", `rlvet.toml:1: "latest" is not a version of torch`},
		{"no glob", "rlvet.toml", "exclude = ['a[']\n", `rlvet.toml:1: "a[" is not a glob`},
		{"include that is no glob", "rlvet.toml", "include = ['configs/[a']\n", `rlvet.toml:1: "configs/[a" is not a glob`},
		{"negated exclude", "rlvet.toml", "extend-exclude = ['!a']\n", `rlvet.toml:1: "!a" is not a glob`},
		{"extend nothing", "rlvet.toml", "extend = 'base.toml'\n", "rlvet.toml:1: extend: base.toml: cannot read settings: no such file"},
		{"extend itself", "rlvet.toml", "extend = './rlvet.toml'\n", "rlvet.toml:1: extend leads back to rlvet.toml"},
		{"extend foreign pyproject", "rlvet.toml", "extend = 'sub/pyproject.toml'\n-- sub/pyproject.toml --\n[project]\n", "sub/pyproject.toml: there is no [tool.rlvet] table in this file"},
		{"not UTF-8", "rlvet.toml", "select = ['\xff']\n", "rlvet.toml:1: not valid TOML"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree(t, "-- "+c.file+" --\n"+c.text)
			_, err := (&Resolver{Rules: registry(t)}).For("train.py")
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v\nwant  %s", err, c.want)
			}
		})
	}
}

const layered = `
-- rlvet.toml --
select = ["ADV", "KL"]
target-torch = "2.0"
exclude = ["skip"]
-- a/pyproject.toml --
[project]
name = "a"
[tool.other]
slect = 1
-- b/pyproject.toml --
[tool.rlvet]
extend = "../base.toml"
ignore = ["KL"]
preview = true
-- base.toml --
extend-select = ["OBJ"]
fix = true
baseline = "known.json"
-- c/.rlvet.toml --
fix = true
-- c/rlvet.toml --
broken
`

// The nearest file that has settings holds; pyproject.toml without our table
// does not count, and other people's tables are not read.
func TestNearestFileHolds(t *testing.T) {
	dir := tree(t, layered)
	r := &Resolver{Rules: registry(t)}
	for path, want := range map[string][2]string{
		"train.py":           {dir, "ADV009 KL016"},
		"a/deep/er/train.py": {dir, "ADV009 KL016"},
		"b/train.py":         {filepath.Join(dir, "b"), "ADV009 OBJ001 RLV001"},
		"c/train.py":         {filepath.Join(dir, "c"), "ADV009 KL016 RLV001"},
	} {
		s, err := r.For(path)
		if err != nil {
			t.Fatal(err)
		}
		if s.Root != want[0] || codes(s.Enabled) != want[1] {
			t.Errorf("%s: root %s, rules %s; want %v", path, s.Root, codes(s.Enabled), want)
		}
	}
}

func TestOriginsOfExtendedSettings(t *testing.T) {
	dir := tree(t, layered)
	fix := false
	s, err := (&Resolver{Rules: registry(t), Override: Values{Fix: &fix}}).For("b")
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"extend-select": "base.toml:1", "ignore": "b/pyproject.toml:3", "fix": "--fix", "preview": "b/pyproject.toml:4", "select": "default"} {
		if got := s.Origin(key); got != want {
			t.Errorf("%s comes from %s, want %s", key, got, want)
		}
	}
	if s.Fix || s.Baseline != filepath.Join(dir, "known.json") {
		t.Errorf("fix %v, baseline %s", s.Fix, s.Baseline)
	}
}

func TestCommandLineWins(t *testing.T) {
	tree(t, layered)
	inline, err := ParseInline(`ignore = ["ADV"]`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		r    Resolver
		want string
	}{
		{"select replaces", Resolver{Override: Values{Select: []string{"RLV"}}}, "RLV001"},
		{"extend-select adds", Resolver{Override: Values{ExtendSelect: []string{"RLV"}}}, "ADV009 KL016 RLV001"},
		{"ignore takes away", Resolver{Override: Values{Ignore: []string{"ADV009"}}}, "KL016"},
		{"inline settings", Resolver{Inline: []*Layer{inline}}, "KL016"},
		{"isolated", Resolver{Isolated: true}, "ADV009 KL016 RLV001"},
		{"another file", Resolver{File: "base.toml"}, "ADV009 KL016 RLV001"},
	} {
		c.r.Rules = registry(t)
		s, err := c.r.For("train.py")
		if err != nil {
			t.Fatal(err)
		}
		if got := codes(s.Enabled); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if _, err := (&Resolver{Rules: registry(t), Override: Values{Select: []string{"NOPE"}}}).For("."); err == nil || !strings.HasPrefix(err.Error(), "--select: unknown rule") {
		t.Errorf("error %v, want one about --select", err)
	}
	if _, err := ParseInline("selct = 1"); err == nil || !strings.HasPrefix(err.Error(), "--config:1: unknown setting") {
		t.Errorf("error %v, want one about --config", err)
	}
}

func TestPerFileIgnores(t *testing.T) {
	dir := tree(t, `
-- rlvet.toml --
[per-file-ignores]
"test_*.py" = ["ADV"]
"scripts/**" = ["KL016", "std-without-eps"]
"!src/*" = ["RLV"]
`)
	s, err := (&Resolver{Rules: registry(t)}).For(".")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"src/a.py": "ADV009 KL016 RLV001", "src/test_a.py": "KL016 RLV001", "scripts/x/y.py": "", "other.py": "ADV009 KL016",
	} {
		for _, p := range []string{path, filepath.Join(dir, path)} {
			if got := codes(s.EnabledFor(p)); got != want {
				t.Errorf("%s: %s, want %s", p, got, want)
			}
		}
	}
	if got := codes(s.Enabled); got != "ADV009 KL016 RLV001" {
		t.Errorf("the settings themselves changed: %s", got)
	}
}

// The version of torch for which fixes must hold.
func TestFindTorch(t *testing.T) {
	for _, c := range []struct{ name, archive, version, from string }{
		{"nothing", "-- a.py --\n", "", ""},
		{"requirements", "-- requirements.txt --\n# torch==9.9\nnumpy>=1.20\ntorch >= 1.13, < 3 ; python_version > '3.8'\n", "1.13", "requirements.txt"},
		{"exact", "-- requirements-dev.txt --\ntorch==2.1.0+cu118\n", "2.1.0", "requirements-dev.txt"},
		{"compatible", "-- requirements/base.txt --\ntorch~=2.2\ntorchvision==0.1\n", "2.2", "requirements/base.txt"},
		{"without version", "-- requirements.txt --\ntorch\ntorchvision==0.17\n", "", ""},
		{"upper bound only", "-- requirements.txt --\ntorch<2.3\n", "", ""},
		{"not torchvision", "-- requirements.txt --\ntorchvision>=0.17\npytorch-lightning==2.0\n", "", ""},
		{"pyproject", "-- pyproject.toml --\n[project]\ndependencies = [\n  \"numpy\",\n  \"torch>=2.0\",\n]\n", "2.0", "pyproject.toml"},
		{"one line", "-- pyproject.toml --\n[project]\ndependencies = [\"torchaudio>=9\", \"torch[opt]>=2.4.1,!=2.5\"]\n", "2.4.1", "pyproject.toml"},
		{"poetry", "-- pyproject.toml --\n[tool.poetry.dependencies]\npython = \"^3.9\"\ntorch = \"^2.3\"\n", "2.3", "pyproject.toml"},
		{"poetry table", "-- pyproject.toml --\n[tool.poetry.dependencies]\ntorch = { version = \">=1.12\", source = \"x\" }\n", "1.12", "pyproject.toml"},
		{"setup.py", "-- setup.py --\nsetup(install_requires=['torch>=1.11', 'gym'])\n", "1.11", "setup.py"},
		{"conda", "-- environment.yml --\ndependencies:\n  - python=3.9\n  - pytorch=1.9\n  - pip:\n    - torch==1.10.1\n", "1.10.1", "environment.yml"},
		{"lock wins", "-- pyproject.toml --\n[project]\ndependencies = [\"torch>=2.0\"]\n-- uv.lock --\n[[package]]\nname = \"torch\"\nversion = \"2.6.0\"\n", "2.6.0", "uv.lock"},
		{"oldest of a lock", "-- uv.lock --\n[[package]]\nname = \"torch\"\nversion = \"2.6.0+cu124\"\n\n[[package]]\nname = \"torch\"\nversion = \"2.2.2\"\n", "2.2.2", "uv.lock"},
		{"poetry.lock", "-- poetry.lock --\n[[package]]\nname = \"torch\"\nversion = \"2.1.2\"\ndescription = \"\"\n", "2.1.2", "poetry.lock"},
		{"Pipfile.lock", "-- Pipfile.lock --\n{\"default\": {\"torch\": {\"hashes\": [\"a\"], \"index\": \"pypi\", \"version\": \"==2.0.1\"}}}\n", "2.0.1", "Pipfile.lock"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := tree(t, c.archive+"\n-- .git/HEAD --\n")
			if version, from := findTorch(dir); version != c.version || from != c.from {
				t.Errorf("%q from %q, want %q from %q", version, from, c.version, c.from)
			}
		})
	}
}

func TestTargetTorchIsFoundAbove(t *testing.T) {
	tree(t, "-- .git/HEAD --\n-- requirements.txt --\ntorch>=1.13\n-- sub/rlvet.toml --\nfix = true\n-- set/rlvet.toml --\ntarget-torch = '2.2'\n")
	r := &Resolver{Rules: registry(t)}
	for path, want := range map[string]string{"sub": "1.13 requirements.txt", "set": "2.2 set/rlvet.toml:1"} {
		s, err := r.For(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.TargetTorch + " " + s.TorchFrom; got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

const files = `
-- rlvet.toml --
extend-exclude = ["gen/*.py", "old"]
-- .git/HEAD --
-- .gitignore --
scratch/
-- train.py --
-- a.ipynb --
-- notes.txt --
-- gen/made.py --
-- gen/sub/kept.py --
-- old/train.py --
-- venv/lib.py --
-- scratch/try.py --
-- pkg/rlvet.toml --
exclude = ["private.py"]
-- pkg/private.py --
-- pkg/public.py --
`

func TestDiscover(t *testing.T) {
	tree(t, files)
	force := true
	for _, c := range []struct {
		name  string
		over  Values
		paths []string
		want  string
	}{
		{"the project", Values{}, []string{"."}, "a.ipynb gen/sub/kept.py pkg/public.py train.py"},
		{"each once", Values{}, []string{"train.py", ".", "./train.py"}, "a.ipynb gen/sub/kept.py pkg/public.py train.py"},
		{"named files always", Values{}, []string{"old/train.py", "scratch/try.py", "notes.txt"}, "notes.txt old/train.py scratch/try.py"},
		{"unless forced", Values{ForceExclude: &force}, []string{"old/train.py", "train.py"}, "train.py"},
		{"only some", Values{Include: []string{"*.ipynb", "gen/**/*.py"}}, []string{".", "train.py"}, "a.ipynb gen/sub/kept.py train.py"},
		{"other excludes", Values{Exclude: []string{"*.ipynb"}, ExtendExclude: []string{}}, []string{"pkg", "a.ipynb"}, "a.ipynb pkg/private.py pkg/public.py"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := Discover(&Resolver{Rules: registry(t), Override: c.over}, c.paths)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, in := range out.Inputs {
				got = append(got, in.Path)
			}
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" || len(out.Problems) > 0 {
				t.Errorf("%s\nproblems %v", diff, out.Problems)
			}
		})
	}
}

// A file that links lead to is checked once, and what is said of one of its
// paths holds for the file. The order of the paths does not matter.
func TestDiscoverLinks(t *testing.T) {
	dir := tree(t, "-- real.py --\n-- sub/other.py --\n-- elsewhere/far.py --\n")
	for name, target := range map[string]string{
		"a_link.py": "real.py", "sub/b_link.py": "../a_link.py", "far1.py": "elsewhere/far.py", "far2.py": "elsewhere/far.py", ".#real.py": "me@here.1",
	} {
		if err := os.Symlink(target, name); err != nil {
			t.Skipf("SKIPPED: no symbolic links here: %v", err)
		}
	}
	abs := filepath.Join(dir, "real.py")
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{[]string{"."}, "elsewhere/far.py real.py sub/other.py"},
		{[]string{"far1.py", "far2.py"}, "far1.py!"},
		{[]string{".", "a_link.py"}, "elsewhere/far.py real.py! sub/other.py"},
		{[]string{"real.py", "sub", abs}, abs + "! sub/other.py"},
	} {
		for range c.paths {
			c.paths = append(c.paths[1:], c.paths[0])
			out, err := Discover(&Resolver{Rules: registry(t)}, c.paths)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, in := range out.Inputs {
				if in.Named {
					in.Path += "!"
				}
				got = append(got, in.Path)
			}
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" || len(out.Problems) > 0 {
				t.Errorf("%v: %s\nproblems %v", c.paths, diff, out.Problems)
			}
		}
	}
}

// What Excludes says of a file is what the walk does with it.
func TestExcludesAgreesWithDiscover(t *testing.T) {
	dir := tree(t, files)
	s, err := (&Resolver{Rules: registry(t)}).For(".")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{"gen/made.py": true, "gen/sub/kept.py": false, "old/train.py": true, "venv/lib.py": true, "train.py": false, "a/old/b.py": true} {
		if got := s.Excludes(filepath.Join(dir, path)); got != want {
			t.Errorf("Excludes(%s) = %v", path, got)
		}
	}
}

// Judge is the one place where settings and comments meet findings.
func TestJudge(t *testing.T) {
	tree(t, "-- rlvet.toml --\nignore = ['KL']\n[per-file-ignores]\n'other.py' = ['ADV']\n")
	s, err := (&Resolver{Rules: registry(t)}).For(".")
	if err != nil {
		t.Fatal(err)
	}
	text := "a.std()\nb.std()  # rlvet: ignore[ADV009] b never ties\n"
	file, err := source.FromBytes("train.py", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	at := func(code string, start int, e finding.Evidence) finding.Finding {
		_, from, to := file.Span(start, start+7)
		return finding.Finding{Code: code, Evidence: e, NoqaRow: from.Row, Range: finding.Range{File: "train.py", Start: from, End: to, StartByte: start, EndByte: start + 7}}
	}
	list := []finding.Finding{at("ADV009", 8, ""), at("KL016", 0, ""), at("ADV009", 0, ""), at("ADV009", 2, finding.NameOnly)}
	j := s.Judge(registry(t), Checked{Path: "train.py", File: file, Findings: list})
	if len(j.Findings) != 1 || j.Findings[0].Range.StartByte != 0 || j.Findings[0].Name != "std-without-eps" || len(j.Suppressed) != 1 || j.Hidden != 1 {
		t.Errorf("judgement %+v", j)
	}
	if j := s.Judge(registry(t), Checked{Path: "other.py", Findings: list}); len(j.Findings)+len(j.Suppressed) != 0 {
		t.Errorf("per-file-ignores did not hold: %+v", j)
	}
	s.ShowHints = true
	if j := s.Judge(registry(t), Checked{Path: "train.py", File: file, Findings: list}); len(j.Findings) != 2 || j.Hidden != 0 {
		t.Errorf("hints are not shown: %+v", j)
	}
}

// No settings file crashes the reader; a mistake is one line with its place.
func FuzzParseLayer(f *testing.F) {
	for _, k := range Keys {
		f.Add([]byte(k.Example+"\n"), false)
	}
	f.Add([]byte("[tool.rlvet]\nselect = ['ADV']\n[tool.rlvet.per-file-ignores]\n\"*\" = []\n"), true)
	f.Add([]byte("\ufeff[[tool.rlvet]]\n"), true)
	f.Add([]byte("fix.x = 1\n'select' = [1, [2]]\n"), false)
	f.Add([]byte("per-file-ignores.a = ['x']\nper-file-ignores.'b.c' = []"), false)
	rules := registry(f)
	f.Fuzz(func(t *testing.T, data []byte, pyproject bool) {
		layer, present, err := parseLayer("rlvet.toml", "/", pyproject, data)
		if err == nil && present {
			_, err = build("/", []*Layer{layer}, rules)
		}
		if err != nil && (strings.ContainsAny(err.Error(), "\n\r") || !strings.HasPrefix(err.Error(), "rlvet.toml")) {
			t.Fatalf("not one line with its place: %q", err)
		}
	})
}
