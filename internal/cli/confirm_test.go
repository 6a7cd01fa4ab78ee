package cli

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/torchtest"
)

// confirmed is what the tests read of the JSON.
type confirmed struct {
	Script   string
	Runs     []struct{ Status string }
	Findings []struct {
		Code         string
		Location     struct{ Row int }
		Confirmation struct {
			Verdict, Reason string
			Seeds           []struct {
				Verdict string
				Stack   []string
			}
			Fix struct{ Verdict, Reason string }
		}
	}
}

func confirmScripts(t *testing.T, args ...string) (confirmed, int) {
	t.Helper()
	var out confirmed
	code := confirmJSON(t, &out, args...)
	return out, code
}

// confirmJSON runs `rlvet confirm`, reads what it prints into out, and returns its exit
// code.
func confirmJSON(t *testing.T, out any, args ...string) int {
	t.Helper()
	python := torchtest.Python(t, "programs with torch are NOT run and judged")
	a, stdout, stderr := newApp("")
	code := Main(append([]string{"confirm", "--python", python, "--isolated", "--output-format", "json"}, args...), a.Env)
	if err := json.Unmarshal([]byte(stdout.String()), out); err != nil {
		t.Fatalf("%v\nexit code %d\n%s%s", err, code, stdout, stderr)
	}
	return code
}

// TestConfirmGRPO runs a GRPO trainer that has the core mistakes and yet runs from one
// end to the other, as such programs do: each is confirmed under every seed, and gone
// once it is fixed. The correct twin has nothing to confirm.
func TestConfirmGRPO(t *testing.T) {
	root := copyOf(t, filepath.Join("..", "..", "testdata", "confirm"))
	before := snapshot(t, root)
	out, code := confirmScripts(t, "--jobs", "2", filepath.Join(root, "grpo.py"))
	if code != exitFindings {
		t.Errorf("exit code %d, want %d", code, exitFindings)
	}
	marks := bugMarks(t, filepath.Join(root, "grpo.py"))
	for _, f := range out.Findings {
		if marks[f.Location.Row] != f.Code {
			t.Errorf("line %d: %s is not marked there", f.Location.Row, f.Code)
		}
		delete(marks, f.Location.Row)
		v := f.Confirmation
		if v.Verdict != "confirmed" || len(v.Seeds) != 5 {
			t.Errorf("line %d: %s is %s under %d seeds: %s", f.Location.Row, f.Code, v.Verdict, len(v.Seeds), v.Reason)
		}
		if v.Fix.Verdict != "fixed" && v.Fix.Reason != "the finding has no fix" {
			t.Errorf("line %d: the fix of %s: %s: %s", f.Location.Row, f.Code, v.Fix.Verdict, v.Fix.Reason)
		}
	}
	for row, code := range marks {
		t.Errorf("line %d: %s was not found", row, code)
	}
	if after := snapshot(t, root); after != before {
		t.Errorf("the project has changed:\n%s\nwas\n%s", after, before)
	}
	twin := copyOf(t, filepath.Join("..", "..", "testdata", "grpo", "usual"))
	if out, code := confirmScripts(t, filepath.Join(twin, "train_ok.py")); code != exitClean || len(out.Findings) > 0 {
		t.Errorf("the correct twin: exit code %d, %v", code, out.Findings)
	}
}

// TestConfirmGoesOn: a program that ends at its first mistake is judged further once
// that is fixed.
func TestConfirmGoesOn(t *testing.T) {
	root := copyOf(t, filepath.Join("..", "..", "testdata", "grpo", "usual"))
	out, _ := confirmScripts(t, "--seeds", "0", filepath.Join(root, "train.py"), "--", "--steps", "3")
	verdicts := map[string]string{}
	for _, f := range out.Findings {
		verdicts[f.Code] = f.Confirmation.Verdict + ": " + f.Confirmation.Reason
	}
	for code, want := range map[string]string{
		"DIST023": "^confirmed: the draw raised: ", "ADV009": `^confirmed: .* \(seen once DIST023 was fixed\)$`,
		"OBJ001": `^confirmed: .* \(seen once DIST023 was fixed\)$`,
	} {
		if !regexp.MustCompile(want).MatchString(verdicts[code]) {
			t.Errorf("%s is %q, want %s", code, verdicts[code], want)
		}
	}
}

// TestConfirmHints: what rests on names alone is hidden by check and tested by confirm, unless
// that is switched off, which is said.
func TestConfirmHints(t *testing.T) {
	root := t.TempDir()
	script := filepath.Join(root, "train.py")
	writeBelow(t, script, "import torch\n\n\ndef draw(probs):\n    return torch.multinomial(probs.log(), 1)\n\n\n"+
		"globals()[\"draw\"](torch.tensor([0.5, 0.5]))\n")
	out, code := confirmScripts(t, "--seeds", "0", script)
	if code != exitFindings || len(out.Findings) != 1 || out.Findings[0].Code != "DIST024" || out.Findings[0].Confirmation.Verdict != "confirmed" {
		t.Errorf("exit code %d, %+v", code, out.Findings)
	}
	a, stdout, _ := newApp("")
	if code := Main([]string{"confirm", "--isolated", "--no-show-hints", script}, a.Env); code != exitClean || !strings.Contains(stdout.String(), "1 hint not tested") {
		t.Errorf("exit code %d: %s", code, stdout)
	}
}

// TestConfirmSeveral: several scripts give an array, a script that cannot be run keeps no
// other from it, and each has its own verdict.
func TestConfirmSeveral(t *testing.T) {
	root := copyOf(t, filepath.Join("testdata", "trainers"))
	var out []confirmed
	paths := []string{"flat.py", "nowhere.py", "varied.py", "ended.py"}
	args := []string{"--seeds", "0,1", "--jobs", "2"}
	for _, p := range paths {
		args = append(args, filepath.Join(root, p))
	}
	if code := confirmJSON(t, &out, args...); code != exitFailure {
		t.Errorf("exit code %d, want %d since one script is not there", code, exitFailure)
	}
	got := map[string]string{}
	for i, o := range out {
		if o.Script != args[4+i] {
			t.Errorf("the report on %s is at the place of %s", o.Script, args[4+i])
		}
		for _, f := range o.Findings {
			got[paths[i]] += f.Code + " " + f.Confirmation.Verdict
		}
	}
	want := map[string]string{"flat.py": "ADV009 confirmed", "varied.py": "ADV009 refuted", "ended.py": "ADV009 inconclusive"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// copyOf copies a folder into one of the test's own, which is a project.
func copyOf(t *testing.T, dir string) string { return torchtest.CopyOf(t, dir, ".") }

// snapshot is the names, modes and texts of all files of a folder.
func snapshot(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		b.WriteString(path + " " + info.Mode().String() + "\n")
		if d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			b.Write(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// bugMarks are the codes behind "# bug:", by line.
func bugMarks(t *testing.T, path string) map[int]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := map[int]string{}
	for i, line := range strings.Split(string(text), "\n") {
		if _, code, ok := strings.Cut(line, "# bug: "); ok {
			out[i+1] = strings.TrimSpace(code)
		}
	}
	return out
}

// TestConfirmFruitless: a program that fails before it comes to any finding could not be
// run, which is said, and is no clean bill.
func TestConfirmFruitless(t *testing.T) {
	python := torchtest.Python(t, "programs that fail early are NOT run and judged")
	const trainer = "import torch\n%s\nrewards = torch.rand(8)\nadvantages = (rewards - rewards.mean()) / rewards.std()\n"
	for name, c := range map[string]struct {
		line string // before anything is evaluated
		code int
		said string
	}{
		"imports what is missing": {"import nothing_of_this_name", exitFailure, "it raised ModuleNotFoundError: No module named 'nothing_of_this_name'; " + python + " cannot import it: install its package there (`" + python + " -m pip install nothing_of_this_name`"},
		"asks at the keyboard":    {"n = 2\nn = int(input('How many? '))", exitFailure, "it asks at the keyboard (input() in train.py, line 3), and a run has no keyboard"},
		"wants arguments":         {"import argparse\np = argparse.ArgumentParser()\np.add_argument('file')\np.parse_args()", exitFailure, "it ended with exit code 2 (train.py: error: the following arguments are required: file); make it run first (its arguments go after --"},
		"writes to our pipe":      {"import os\nopen(os.environ['RLVET_EVENTS'], 'w').write('loss 0.5\\n')", exitFailure, "train.py: seed 0 proves nothing: line "},
		"has nothing to do":       {"raise SystemExit(0)", exitClean, ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			writeBelow(t, filepath.Join(root, "train.py"), fmt.Sprintf(trainer, c.line))
			a, _, stderr := newApp("")
			code := Main([]string{"confirm", "--python", python, "--isolated", "--seeds", "0", filepath.Join(root, "train.py")}, a.Env)
			if code != c.code || !strings.Contains(stderr.String(), c.said) || c.said == "" && stderr.Len() > 0 {
				t.Errorf("exit code %d and %q, want %d and %q", code, stderr, c.code, c.said)
			}
		})
	}
}
