package runconf

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// TestScalars gives each scalar of the table to PyYAML, to OmegaConf and to YAML: all say what the table says.
func TestScalars(t *testing.T) {
	python := os.Getenv("RLVET_PYTHON")
	if python == "" {
		python = "python3"
	}
	const program = `
import sys
try:
    import yaml
except ImportError:
    sys.exit(3)
try:
    from omegaconf import OmegaConf
except ImportError:
    OmegaConf = None
for line in sys.stdin.read().splitlines():
    text = "a: " + line
    print(repr(yaml.safe_load(text)["a"]), "-" if OmegaConf is None else repr(OmegaConf.create(text).a), sep="\t")
`
	rows := rowsOf(t, "Scalars of YAML")
	var scalars []string
	for _, row := range rows {
		scalars = append(scalars, code(row[0]))
	}
	command := exec.Command(python, "-c", program)
	command.Stdin = strings.NewReader(strings.Join(scalars, "\n"))
	out, err := command.Output()
	said := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(said) != len(rows) {
		t.Logf("NO PYYAML (%v): only rlvet's own reading is tried", err)
		said = nil
	}
	for i, row := range rows {
		scalar, pyyaml, omegaconf, ours := code(row[0]), code(row[1]), code(row[2]), row[3]
		if said != nil {
			py, omega, _ := strings.Cut(said[i], "\t")
			if py != pyyaml || omega != "-" && omega != omegaconf {
				t.Errorf("%s: PyYAML says %s and OmegaConf %s", scalar, py, omega)
			}
		}
		docs, err := YAML([]byte("a: "+scalar+"\n"), 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		v := docs[0].Settings[0].Value
		if ours == "not known" {
			if v.Kind != Unknown {
				t.Errorf("%s: read as %+v", scalar, v)
			}
			continue
		}
		for by, want := range map[Reading]string{ByLooks: pyyaml, ByDot: omegaconf} {
			if got := asPython(v.As(by)); got != want {
				t.Errorf("%s: read as %s, the table says %s", scalar, got, want)
			}
		}
	}
}

// asPython writes a value as Python's repr does.
func asPython(v Value) string {
	n, isNumber := v.Number()
	truth, isTruth := v.Bool()
	switch {
	case v.Kind == Null:
		return "None"
	case isTruth:
		return map[bool]string{true: "True", false: "False"}[truth]
	case !isNumber:
		return "'" + v.Text + "'"
	case strings.HasSuffix(v.Text, "inf"):
		return v.Text
	case !strings.ContainsAny(v.Text, ".e"):
		return strconv.Itoa(int(n))
	case n < 1e-4:
		return strconv.FormatFloat(n, 'e', -1, 64)
	}
	if text := strconv.FormatFloat(n, 'f', -1, 64); strings.Contains(text, ".") {
		return text
	}
	return strconv.FormatFloat(n, 'f', 1, 64)
}

// A number of JSON is one with an exponent, too, and a string of TOML is none.
func TestNumbersElsewhere(t *testing.T) {
	docs, err := JSON([]byte(`{"lr": 1e-5, "beta": "0.1", /* why */ "n": 10}`), 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	more, err := TOML([]byte("lr = 1e-5\nbeta = \"0.1\"\nn = 1_0\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range append(docs, more...) {
		for i, want := range []bool{true, false, true} {
			if _, got := d.Settings[i].Value.Number(); got != want {
				t.Errorf("%s is a number: %v", d.Settings[i].Key, got)
			}
		}
	}
	s, err := Shell([]byte("cat > a.json <<E\n{\"lr\": 1e-5}\nE\ncat > a.yaml <<E\nlr: 1e-5\nE\n"), nil)
	if err != nil || len(s.Documents) != 2 {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false} {
		if _, got := s.Documents[i].Settings[0].Value.Number(); got != want {
			t.Errorf("document %d: a number: %v", i, got)
		}
	}
}
