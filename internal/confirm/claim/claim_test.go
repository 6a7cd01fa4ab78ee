package claim

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/source"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]Claim{
		"OBJ001@loss.py:42":            {What: "OBJ001", File: "loss.py", Line: 42},
		"ratio@a/loss.py:42:13":        {What: "ratio", File: "a/loss.py", Line: 42, Column: 13},
		"kl@notes.ipynb:cell 2:7":      {What: "kl", File: "notes.ipynb", Cell: 2, Line: 7},
		"kl@notes.ipynb:cell 2:7:3":    {What: "kl", File: "notes.ipynb", Cell: 2, Line: 7, Column: 3},
		`mask@C:\work\train.py:1`:      {What: "mask", File: `C:\work\train.py`, Line: 1},
		"std-without-eps@my file.py:3": {What: "std-without-eps", File: "my file.py", Line: 3},
	} {
		c, err := Parse(text)
		if err != nil || c != want {
			t.Errorf("%s: %+v, %v; want %+v", text, c, err, want)
		}
		if c.String() != text {
			t.Errorf("%s is written %s", text, c)
		}
	}
	for _, text := range []string{"", "OBJ001", "loss.py:42", "@loss.py:42", "OBJ001@loss.py", "OBJ001@loss.py:0", "OBJ001@:3", "a b@loss.py:3"} {
		if c, err := Parse(text); err == nil {
			t.Errorf("%q is taken as %+v", text, c)
		}
	}
}

func TestReadAll(t *testing.T) {
	got, err := ReadAll([]byte(`["OBJ001@loss.py:42", {"claim": "kl@a.py:3", "by": "a reader"}, {"quantity": "ratio", "path": "b.py", "line": 5, "column": 2}]`))
	want := []Claim{{What: "OBJ001", File: "loss.py", Line: 42}, {What: "kl", File: "a.py", Line: 3, By: "a reader"}, {What: "ratio", File: "b.py", Line: 5, Column: 2}}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v: %s", err, cmp.Diff(want, got))
	}
	for text, want := range map[string]string{
		`{}`:                         "a JSON array",
		`["OBJ001"]`:                 "claim 1: \"OBJ001\" is no claim",
		`["kl@a.py:1", {"line": 3}]`: "claim 2: a claim needs path and line",
		`[{"rule": "X", "quantity": "kl", "path": "a.py", "line": 1}]`: "either rule or quantity",
		`[{"claim": "kl@a.py:1", "line": 2}]`:                          "not both",
		`[{"lines": 2}]`:                                               "unknown field",
		`[{"rule": "X", "path": "a.py", "line": -1}]`:                  "count from 1",
	} {
		if _, err := ReadAll([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// FuzzReadAll: whatever a file of claims holds, it is claims with a place, or an error.
func FuzzReadAll(f *testing.F) {
	f.Add([]byte(`["OBJ001@loss.py:42", {"quantity": "ratio", "path": "b.py", "line": 5}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := ReadAll(text)
		if err != nil {
			return
		}
		for _, c := range list {
			if c.What == "" || c.File == "" || c.Line < 1 {
				t.Errorf("%+v is no claim", c)
			}
		}
	})
}

// program has a line for each way in which a claim can find what it is about; each line ends in
// the claims that are tried on it and what they come to.
const program = `
import torch
ratio = logp - old  # "-": logp - old # ratio: ratio
surr = torch.min(ratio * adv, clipped * adv)  # "-": ! # ratio: ratio # "call min": torch.min(ratio * adv, clipped * adv) # "*": !
adv = (r - m) / s / 2  # "/": (r - m) / s / 2 # "name": !
x /= y + 1  # "/": x /= y + 1 # std: x /= y + 1
adv = (r - r.mean()) / (r.std() + eps)  # divisor: r.std() + eps # std: r.std() + eps # advantage: adv
adv = (r - mean + 1e-5 * noise) / std.clamp(min=1e-6)  # std: std.clamp(min=1e-6)
adv = (r - mean) / (std + mean)  # std: std
adv = f(r / std, eps + 1e-8)  # std: std
adv = r / std + 1e-8  # std: std
adv = r / max(std, self.eps)  # std: max(std, self.eps)
loss = a.sub(b).exp()  # "-": a.sub(b) # loss: loss
r = (new - old).exp()  # log-ratio: new - old # ratio: (new - old).exp()
return_value = f(torch.nn)  # "name": ! # "function": f
dist = Categorical(logits=scores)  # logits: scores # "call Normal": ! # "call": !
# only a comment  # "/": !

y = a + a  # "name": a # kl: a + a
def f(adv, eps=1e-8): pass  # advantage: adv # "parameter": !
total = torch.cat(
    [a, b],  # "display": [a, b] # "*": !
)
self.old_logp[i] = z  # log-prob: self.old_logp[i] # "assignment": self.old_logp[i] # "call exp": !
`

// parsed is a program as a text.
func parsed(t *testing.T, program string) *Text {
	t.Helper()
	file, err := source.FromText("program.py", []byte(program))
	if err != nil {
		t.Fatal(err)
	}
	p := parse.New()
	defer p.Close()
	m, err := p.Parse(context.Background(), file.Path, file.Text)
	if err != nil {
		t.Fatal(err)
	}
	return NewText(file, m)
}

func TestChoose(t *testing.T) {
	file := parsed(t, program)
	tried := 0
	for row := range file.Lines().Count() {
		start, end := file.Lines().Start(row+1), file.Lines().End(row+1)
		parts := strings.Split(strings.TrimRight(string(file.Text[start:end]), "\n"), " # ")
		for _, part := range parts[1:] {
			what, want, ok := strings.Cut(part, ": ")
			if !ok {
				continue
			}
			tried++
			w := Wanted{}
			if form, quoted := strings.CutPrefix(what, `"`); quoted {
				w.Forms = []string{strings.TrimSuffix(form, `"`)}
			} else if c, ok := ContractOf(what); ok {
				w = c.Wanted()
			} else {
				t.Fatalf("line %d: %s is neither a form nor a quantity", row+1, what)
			}
			got := "!"
			place, err := w.Choose(file, start, end, -1)
			if err == nil {
				got = string(file.Text[place.Start:place.End])
			}
			if got != want {
				t.Errorf("line %d: %s is about %s (%v), want %s", row+1, what, got, err, want)
			}
		}
	}
	if tried < 22 {
		t.Errorf("only %d claims were tried", tried)
	}
}

// TestChooseAtColumn: of what begins at a column, the widest that fits.
func TestChooseAtColumn(t *testing.T) {
	text := "z = 1 - (a - b - c)\n"
	file := parsed(t, text)
	for column, want := range map[int]string{4: "1 - (a - b - c)", 8: "a - b - c", 9: "a - b - c"} {
		place, err := Wanted{Forms: []string{"-"}}.Choose(file, 0, len(text), column)
		if err != nil || text[place.Start:place.End] != want {
			t.Errorf("at %d: %q, %v; want %q", column, text[place.Start:place.End], err, want)
		}
	}
}

// TestChooseGuarded: a std that is kept above 0 wherever it is read is claimed as what it is used as.
func TestChooseGuarded(t *testing.T) {
	for text, want := range map[string]string{
		"std = r.std()\na = r / (std + 1e-8)\nb = r / std.clamp(min=1e-6)\n": "std + 1e-8",
		"std = r.std()\na = r / (std + 1e-8)\nb = r / std\n":                 "std",
		"std = r.std()\n": "std",
		"self.std = r.std()\na = r / (self.std + self.eps)\n": "self.std + self.eps",
		"std = r.std()\na = r / (other.std + eps)\n":          "std",
	} {
		file := parsed(t, text)
		c, _ := ContractOf("std")
		place, err := c.Wanted().Choose(file, 0, strings.Index(text, "\n"), -1)
		if got := text[place.Start:place.End]; err != nil || got != want {
			t.Errorf("%q is about %q (%v), want %q", text, got, err, want)
		}
	}
}

// TestChooseErrors: what is not there is said in one line that names what is.
func TestChooseErrors(t *testing.T) {
	text := "# remark\n\nloss = f(\n    a, b)\nz = c * d + e * g\npass\nu = v(w(q))\n"
	file := parsed(t, text)
	for _, c := range []struct {
		line, column int
		form, want   string
	}{
		{1, 0, "/", "the line is a comment"},
		{2, 0, "/", "the line is blank"},
		{5, 0, "*", "several are there that it could be about: `c * d` (column 5), `e * g` (column 13); name the column of what you mean"},
		{5, 0, "call exp", "what the rule watches (`call exp`) does not stand there; there are `z` (column 1), `c * d + e * g` (column 5)"},
		{5, 0, "call", "what the rule watches (`call`) does not stand there; there are `z` (column 1), `c * d + e * g` (column 5)"},
		{7, 0, "call", "the rule watches a call under any name, so the claim has to name the column of the one that is meant: `v(w(q))` (column 5), `w(q)` (column 7)"},
		{5, 2, "*", "no expression begins at this column"},
		{6, 0, "*", "there is no expression that a run could watch"},
	} {
		column := -1
		if c.column > 0 {
			column = file.Lines().Offset(source.Position{Row: c.line, Column: c.column})
		}
		_, err := Wanted{Forms: []string{c.form}}.Choose(file, file.Lines().Start(c.line), file.Lines().End(c.line), column)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("line %d: %v, want %s", c.line, err, c.want)
		}
	}
}

func TestContracts(t *testing.T) {
	for _, c := range contracts() {
		if c.Says == "" || c.Source == "" || !strings.Contains(c.Probe, "Contract") && !strings.Contains(c.Probe, "CarriesGradient") {
			t.Errorf("the contract of %s is not whole", c.Quantity)
		}
		for _, written := range []string{c.Quantity, strings.ReplaceAll(c.Quantity, "-", "_"), strings.ToUpper(c.Quantity), c.Quantity + "s"} {
			if found, ok := ContractOf(written); !ok || found.Quantity != c.Quantity {
				t.Errorf("%s is taken as %q", written, found.Quantity)
			}
		}
	}
	for q := range namesOf {
		if _, ok := ContractOf(q); !ok {
			t.Errorf("there are names for %s, and no contract", q)
		}
	}
}
