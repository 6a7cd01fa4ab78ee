package cli

import (
	"context"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/vet"
)

// Whatever the program: fixing ends, what is left parses as well as before, a
// second run changes nothing, and lines without findings stay as they are.
func TestFixProperties(t *testing.T) {
	t.Chdir(t.TempDir())
	line := rapid.SampledFrom([]string{
		"a = r / r.std()", "b = exp(exp(a.std()))", "c = exp(exp(exp(exp(r))))", "x = break_me", "x = break_me + r.std()", "loss = 1",
		"y = 1  # rlvet: ignore[ADV009] gone", "d = r.std()  # rlvet: ignore[ADV009] kept", "if a:", "    e = f.std()", "'''", "z = '# r.std()'",
	})
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(line, 1, 8).Draw(rt, "lines"), "\n") + "\n"
		write(t, "train.py", text)
		before := mustRead(t)
		fixOnce(rt, t)
		after := mustRead(t)
		if !vet.ParsesAsWell(after, before) {
			rt.Fatalf("parses worse than before:\n%s\nbecame\n%s", before.Text, after.Text)
		}
		fixOnce(rt, t)
		if again := mustRead(t); string(again.Text) != string(after.Text) {
			rt.Fatalf("the second run changed\n%s\nto\n%s", after.Text, again.Text)
		}
		for _, l := range strings.Split(text, "\n") {
			if (l == "loss = 1" || l == "if a:") && !strings.Contains(string(after.Text), l) {
				rt.Fatalf("line %q was changed:\n%s", l, after.Text)
			}
		}
	})
}

func fixOnce(rt *rapid.T, t *testing.T) {
	a, _, stderr := newApp("")
	if code := run([]string{"check", "--fix", "--unsafe-fixes", "train.py"}, a); code == exitFailure {
		rt.Fatalf("failed: %s", stderr)
	}
}

func mustRead(t *testing.T) *source.File {
	t.Helper()
	f, err := source.Read("train.py")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Fixes that undo each other are a mistake of ours: it is said, and the loop
// ends.
func TestFixesThatDoNotSettle(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "train.py", "a\n")
	a, _, stderr := newApp("")
	passes := 0
	a.engine = func(_ context.Context, paths []string, o engine.Options) (*engine.Result, error) {
		passes++
		f, err := scriptRead("train.py", o.Overlay)
		if err != nil {
			return nil, err
		}
		other := map[byte]string{'a': "b", 'b': "a"}[f.Text[0]]
		at := scriptRange(f, 0, 1)
		x := finding.Finding{Code: "ADV009", Range: at, Fingerprint: "x", Fix: &finding.Fix{Edits: []finding.Edit{{Range: at, Content: other}}}}
		return &engine.Result{Findings: []finding.Finding{x}, Files: map[string]*source.File{"train.py": f}}, nil
	}
	run([]string{"check", "--fix", "train.py"}, a)
	if passes != 11 || !strings.Contains(stderr.String(), "train.py: fixes did not settle after 10 passes, the last was of ADV009") {
		t.Errorf("%d passes, said %q", passes, stderr)
	}
}

// A file that changes while it is checked keeps what its author wrote.
func TestFixDoesNotOverwriteChanges(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "train.py", "a = r.std()\n")
	a, _, stderr := newApp("")
	a.engine = func(ctx context.Context, paths []string, o engine.Options) (*engine.Result, error) {
		out, err := scriptCheck(ctx, paths, o)
		write(t, "train.py", "mine\n")
		return out, err
	}
	code := run([]string{"check", "--fix", "train.py"}, a)
	got, _ := os.ReadFile("train.py")
	if code != exitFailure || string(got) != "mine\n" || !strings.Contains(stderr.String(), "error: train.py: the file changed on disk") {
		t.Errorf("exit %d, file %q, said %q", code, got, stderr)
	}
}

// A mistake in a module that is imported, but was not named, is reported with
// its fix shown and not applied.
func TestImportedModules(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "train.py", "import helper\n")
	write(t, "helper.py", "a = r.std()\ny = 1  # rlvet: ignore[ADV009] of another caller\n")
	a, stdout, _ := newApp("")
	a.engine = func(_ context.Context, paths []string, o engine.Options) (*engine.Result, error) {
		out := &engine.Result{Files: map[string]*source.File{}}
		for _, path := range []string{"train.py", "helper.py"} {
			f, err := scriptRead(path, o.Overlay)
			if err != nil {
				return nil, err
			}
			out.Files[path] = f
			out.Findings = append(out.Findings, scriptFindings(f, "ADV009")...)
		}
		return out, nil
	}
	code := run([]string{"check", "--fix", "--output-format", "concise", "train.py"}, a)
	if got, want := stdout.String(), "helper.py:1:5: ADV009 division by a standard deviation that can be 0; add an epsilon; write it right\nFound 1 error.\n"; code != exitFindings || got != want {
		t.Errorf("exit %d, said %q, want %q", code, got, want)
	}
	write(t, "rlvet.toml", "extend-exclude = ['helper.py']\n")
	a2, _, _ := newApp("")
	a2.engine = a.engine
	if code := run([]string{"check", "train.py"}, a2); code != exitClean {
		t.Errorf("an excluded module is reported: exit %d", code)
	}
}
