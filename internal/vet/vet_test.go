package vet

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/suppress"
	"github.com/rlvet/rlvet/rules"
)

// request checks a folder, in which every "r.std()" is a mistake with a fix.
func request(t *testing.T, files map[string]string) Request {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	registry, err := rule.NewRegistry(append(rules.All(), suppress.Rules()...), rules.Retired())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	return Request{Rules: registry, Resolver: &config.Resolver{Rules: registry}, Engine: divisions}
}

func divisions(_ context.Context, paths []string, o engine.Options) (*engine.Result, error) {
	out := &engine.Result{Files: map[string]*source.File{}}
	for _, path := range paths {
		raw, ok := o.Overlay[path]
		if !ok {
			var err error
			if raw, err = os.ReadFile(path); err != nil {
				return nil, err
			}
		}
		file, err := source.FromBytes(path, raw)
		if err != nil {
			out.Problems = append(out.Problems, problemOf(path, err))
			continue
		}
		out.Files[path] = file
		const what = "r.std()"
		if at := strings.Index(string(file.Text), what); at >= 0 && !strings.Contains(string(file.Text), "1e-8") {
			where := finding.Range{File: path, StartByte: at, EndByte: at + len(what)}
			where.Cell, where.Start, where.End = file.Span(at, at+len(what))
			out.Findings = append(out.Findings, finding.Finding{
				Code: "ADV009", Message: "a < b", Range: where, NoqaRow: where.Start.Row, Fingerprint: finding.Fingerprint("ADV009", "", file.LineText(at), 0),
				Fix: &finding.Fix{Applicability: finding.Safe, Message: "Add an epsilon", Edits: []finding.Edit{{Range: where, Content: "(r.std() + 1e-8)"}}},
			})
		}
	}
	return out, nil
}

const flat = "adv = r / r.std()\n"

// TestCheck: files or a text give a result, whose JSON is the array of its findings.
func TestCheck(t *testing.T) {
	r := request(t, map[string]string{"train.py": flat, "clean.py": "x = 1\n"})
	for _, text := range []*Text{nil, {Path: "train.py", Raw: []byte("\n" + flat)}} {
		r.Text = text
		result, err := Check(t.Context(), r)
		if err != nil || len(result.Findings) != 1 {
			t.Fatalf("%v, %+v", err, result)
		}
		row, files := 1, 2
		if text != nil {
			row, files = 2, 1
		}
		if got := result.Findings[0]; got.Range.Start.Row != row || result.Checked != files || got.Name != "std-without-eps" {
			t.Errorf("row %d of %d files, want %d of %d: %+v", got.Range.Start.Row, result.Checked, row, files, got)
		}
		var list []FindingJSON
		data, err := result.MarshalJSON()
		if err == nil {
			err = json.Unmarshal(data, &list)
		}
		if err != nil || len(list) != 1 || !filepath.IsAbs(list[0].Filename) || !strings.Contains(string(data), `"a < b"`) {
			t.Errorf("%v: %s", err, data)
		}
	}
}

// TestCheckCommands: a command of IPython in a module takes nothing from the findings beside it; what else Python cannot read does.
func TestCheckCommands(t *testing.T) {
	for head, want := range map[string]finding.Severity{"": finding.Error, "!pip install torch\n": finding.Error, "%matplotlib inline\n": finding.Error, "x = = 1\n": finding.Note} {
		r := request(t, map[string]string{"train.py": head + flat})
		r.All = true
		result, err := Check(t.Context(), r)
		if err != nil || len(result.Findings) != 1 {
			t.Fatalf("%q: %v, %+v", head, err, result)
		}
		if head != "" {
			result.Problems = []finding.Problem{{File: result.Findings[0].Range.File, Line: 1, Fatal: true}}
		}
		result.Findings[0].Severity = finding.Error
		result.sinkBroken()
		if got := result.Findings[0].Severity; got != want {
			t.Errorf("%q: %v, want %v", head, got, want)
		}
	}
}

// TestFix: fixes are shown, and written only where the request says so. A comment takes the
// place of a fix where there is a reason for it.
func TestFix(t *testing.T) {
	r := request(t, map[string]string{"train.py": flat})
	for _, c := range []struct {
		write   bool
		comment string
		after   string
	}{
		{false, "", "adv = r / (r.std() + 1e-8)\n"},
		{false, "never equal", "adv = r / r.std()  # rlvet: ignore[ADV009] never equal\n"},
		{true, "", "adv = r / (r.std() + 1e-8)\n"},
	} {
		r.Write, r.Comment = c.write, c.comment
		result, err := Fix(t.Context(), r)
		if err != nil || result.Fixed != 1 || len(result.Findings) != 0 || len(result.Changes) != 1 {
			t.Fatalf("%+v: %v, %+v", c, err, result)
		}
		if got := string(result.Changes[0].After.Text); got != c.after {
			t.Errorf("%+v: %q", c, got)
		}
		want := flat
		if c.write {
			want = c.after
		}
		if disk, err := os.ReadFile("train.py"); err != nil || string(disk) != want {
			t.Errorf("%+v: the file holds %q, %v", c, disk, err)
		}
	}
}

// TestFixThroughLinks: a link out of the project is followed to find mistakes, and to mend
// them only where it is named; one within the project leads to a file like others.
func TestFixThroughLinks(t *testing.T) {
	r := request(t, map[string]string{"src/rlvet.toml": "", "src/lib/train.py": flat, "elsewhere/train.py": flat})
	for link, target := range map[string]string{"src/out.py": "../elsewhere/train.py", "src/lib/train.py.link.py": "train.py"} {
		if err := os.Symlink(target, link); err != nil {
			t.Skip("SKIPPED: links are NOT tried: ", err)
		}
	}
	fixed := func(path string) bool {
		text, err := os.ReadFile(path)
		return err == nil && string(text) != flat
	}
	r.Write, r.Paths = true, []string{"src"}
	result, err := Fix(t.Context(), r)
	if err != nil || result.Fixed != 1 || len(result.Findings) != 1 || !fixed("src/lib/train.py") || fixed("elsewhere/train.py") {
		t.Fatalf("%v, %+v", err, result)
	}
	if got := strings.Join(result.Refused, "\n"); !strings.HasPrefix(got, "src/out.py: nothing is fixed there, since the link leads out of the project to /") {
		t.Errorf("it says %q", got)
	}
	r.Paths = []string{"src/out.py"}
	if result, err = Fix(t.Context(), r); err != nil || result.Fixed != 1 || !fixed("elsewhere/train.py") {
		t.Errorf("named: %v, %+v", err, result)
	}
}

// TestBaseline: what the baseline knows is counted and not reported, unless all is asked for;
// a finding of the same line elsewhere in the file is one more.
func TestBaseline(t *testing.T) {
	r := request(t, map[string]string{"train.py": flat, "rlvet.toml": "baseline = 'known.json'\n"})
	r.All = true
	result, err := Check(t.Context(), r)
	if err != nil || len(result.Findings) != 1 {
		t.Fatalf("%v, %+v", err, result)
	}
	data, err := json.Marshal(NewBaseline("known.json", result.Findings))
	if err == nil {
		err = os.WriteFile("known.json", data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	r.All = false
	if result, err = Check(t.Context(), r); err != nil || len(result.Findings) != 0 || result.Baselined != 1 || result.Gone != 0 {
		t.Errorf("known: %v, %+v", err, result)
	}
	if err := os.WriteFile("train.py", []byte("x = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if result, err = Check(t.Context(), r); err != nil || result.Gone != 1 {
		t.Errorf("gone: %v, %+v", err, result)
	}
}

// TestMore: what a rule in preview, which is off, would add is counted by the same check: not what a comment, a line that is old or
// the baseline hides. Its failure is no problem of the check.
func TestMore(t *testing.T) {
	r := request(t, map[string]string{
		"train.py": flat, "hushed.py": "adv = r / r.std()  # rlvet: ignore[GRAD022] on purpose\n",
		"rlvet.toml": "select = ['LOOP001', 'GRAD022']\nbaseline = 'known.json'\n",
	})
	checks := 0
	r.Engine = func(ctx context.Context, paths []string, o engine.Options) (*engine.Result, error) {
		checks++
		if len(o.Extra) != 1 || o.Extra[0].Name != "GRAD022" {
			t.Errorf("extra: %v", o.Extra)
		}
		found, err := divisions(ctx, paths, o)
		for i := range found.Findings {
			found.Findings[i].Code = "GRAD022"
		}
		return found, err
	}
	r.All = true
	result, err := Check(t.Context(), r)
	if err != nil || len(result.Findings) != 0 || len(result.More) != 1 || result.More[0].Name == "" || checks != 1 {
		t.Fatalf("%v, %d checks, %+v", err, checks, result)
	}
	data, err := json.Marshal(NewBaseline("known.json", result.More))
	if err == nil {
		err = os.WriteFile("known.json", data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	r.All = false
	if result, err = Check(t.Context(), r); err != nil || len(result.More) != 0 {
		t.Errorf("known: %v, %+v", err, result.More)
	}
}

// TestCheckWhole: what cannot be checked is the error, where findings are shown beside
// something else.
func TestCheckWhole(t *testing.T) {
	r := request(t, map[string]string{"train.py": flat})
	r.Paths = []string{"train.py"}
	if result, err := CheckWhole(t.Context(), r); err != nil || len(result.Findings) != 1 {
		t.Fatalf("%v, %+v", err, result)
	}
	r.Paths = []string{"train.py", "nowhere.py"}
	if _, err := CheckWhole(t.Context(), r); err == nil || !strings.HasPrefix(err.Error(), "nowhere.py: ") {
		t.Errorf("a file that is not there: %v", err)
	}
}
