package watch

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/pagetest"
	"github.com/rlvet/rlvet/internal/program"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/torchtest"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/rules"
)

// watched runs a script of testdata with places, as they are written on the command line.
func watched(t testing.TB, script string, seeds []int, places ...string) *Result {
	t.Helper()
	result, err := Run(t.Context(), requested(t, script, seeds, places...))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// requested asks for that.
func requested(t testing.TB, script string, seeds []int, places ...string) Request {
	t.Helper()
	python := torchtest.Python(t, "places are NOT watched with the real torch")
	registry, err := rule.NewRegistry(rules.All(), rules.Retired())
	if err != nil {
		t.Fatal(err)
	}
	torchtest.Project(t)
	path := filepath.Join("testdata", script)
	r := Request{Request: program.Request{
		Check:   vet.Request{Rules: registry, Resolver: &config.Resolver{Rules: registry, Isolated: true}},
		Scripts: []string{path}, Python: python,
		Plan: harness.Plan{Seeds: seeds, Isolation: harness.NoIsolation, Limits: harness.Limits{Timeout: time.Minute}},
	}}
	for _, text := range places {
		at, err := ParseAt(strings.ReplaceAll(text, script, path))
		if err != nil {
			t.Fatal(err)
		}
		r.At = append(r.At, at)
	}
	return r
}

// TestAgreesWithPrints: what is written down of a ratio is what the script itself prints, to the last
// digit, and falls into the updates and mini-epochs of its loops.
func TestAgreesWithPrints(t *testing.T) {
	r := watched(t, "ppo.py", []int{0, 1}, "ppo.py:12", "adv[mb].sum()@ppo.py:12", "ppo.py:21")
	if len(r.Misplaced) > 0 || len(r.Places) != 3 {
		t.Fatalf("%v", r.Misplaced)
	}
	ratio := r.Places[0]
	if ratio.Text != "ratio" || ratio.Quantity != "ratio" {
		t.Errorf("line 12 is taken as %q, a %q", ratio.Text, ratio.Quantity)
	}
	values := ratio.Values
	for _, run := range r.Runs {
		printed := 0
		for line := range strings.Lines(run.Output) {
			numbers, ok := strings.CutPrefix(line, "RATIO ")
			if !ok {
				continue
			}
			v := values[0]
			values, printed = values[1:], printed+1
			if got := fmt.Sprintf("%.8f %.6f %.8f\n", float64(*v.Mean), float64(*v.Clipped), float64(*v.KL)); got != numbers || v.Seed != run.Seed {
				t.Fatalf("seed %d, evaluation %d: written down %s, printed %s", run.Seed, v.Hit, got, numbers)
			}
			if want := []int{v.Hit / 16, v.Hit / 4 % 4, v.Hit % 4}; !slices.Equal(v.Rounds, want) {
				t.Fatalf("evaluation %d is in rounds %v, want %v", v.Hit, v.Rounds, want)
			}
		}
		if printed != 80 {
			t.Errorf("seed %d printed %d ratios", run.Seed, printed)
		}
	}
	if len(values) > 0 {
		t.Errorf("%d values more than were printed", len(values))
	}
	if groups := Groups(ratio.Values); len(groups) != 40 || groups[5].Update != 1 || groups[5].Epoch != 1 || groups[5].Evaluations != 4 || !groups[5].Attached {
		t.Errorf("%d groups, the sixth is %+v", len(groups), groups[5])
	}
	if n := len(r.Places[1].Values); n != 160 {
		t.Errorf("the expression was evaluated %d times", n)
	}
	if states := r.Places[2].Values; len(states) != 10 || states[9].Update() != 4 || states[9].Shape[0] != 64 {
		t.Errorf("the states of five updates and two seeds: %d values", len(states))
	}
}

// TestAgreesWithLogs: what a GRPO logs of a mini-epoch, over the tokens that were written, is what its rows say,
// to the last digit: the ratio, the share clipped, the KL to the policy of the rollout and to the reference.
func TestAgreesWithLogs(t *testing.T) {
	r := watched(t, "grpo.py", []int{0, 1}, "ratio[written]@grpo.py:54", "kl[written]@grpo.py:57", "old[mask]@grpo.py:46")
	if len(r.Misplaced) > 0 || len(r.Places) != 3 || r.Places[0].Quantity != "ratio" {
		t.Fatalf("%v %+v", r.Misplaced, r.Places)
	}
	ratios, kls := Groups(r.Places[0].Values), Groups(r.Places[1].Values)
	for _, run := range r.Runs {
		for line := range strings.Lines(run.Output) {
			logged, ok := strings.CutPrefix(line, "EPOCH ")
			if !ok {
				continue
			}
			ratio, kl := ratios[0], kls[0]
			ratios, kls = ratios[1:], kls[1:]
			if got := fmt.Sprintf("%.8f %.6f %.8f %.8f\n", ratio.Mean, ratio.Clipped, ratio.KL, kl.Mean); got != logged || ratio.Seed != run.Seed || ratio.Evaluations != 4 {
				t.Errorf("seed %d, update %d, mini-epoch %d: written down %s, logged %s", run.Seed, ratio.Update, ratio.Epoch, got, logged)
			}
		}
	}
	if len(ratios)+len(kls) > 0 || len(r.Places[2].Values) != 8 {
		t.Errorf("%d mini-epochs more than were logged; the rollouts of four updates and two seeds: %d", len(ratios), len(r.Places[2].Values))
	}
}

// TestOwn: with no places, those are watched that inference knows to be what people watch, under any names, and of
// what it does not know those whose names say what they are.
func TestOwn(t *testing.T) {
	for script, want := range map[string][]string{
		"ppo.py":     {"11 logp, a log-prob", "12 ratio", "12 old[mb], a log-prob", "13 adv[mb], an advantage", "13 loss"},
		"renamed.py": {"11 c, a log-prob", "12 q, a ratio", "12 e[mb], a log-prob", "13 w[mb], an advantage", "13 z, a loss"},
		"grpo.py": {
			"21 logits", "46 old, a log-prob", "48 advantages, an advantage", "53 logp, a log-prob", "54 ratio", "55 surrogate, a loss", "57 kl", "58 loss",
		},
		"named.py":  {"4 ratio", "5 kl_loss, a loss by its name"},
		"ppo.ipynb": {"1 adv, an advantage", "3 logp, a log-prob", "4 ratio", "5 -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean(), a loss"},
	} {
		r := watched(t, script, []int{0})
		var got []string
		for _, p := range r.Places {
			got = append(got, fmt.Sprintf("%d %s%s", p.Line, p.Text, p.is()))
			if len(p.Values) == 0 {
				t.Errorf("%s: nothing was written down of %s: %s", script, p.Text, p.Doubt)
			}
		}
		if !slices.Equal(got, want) || len(r.Misplaced) > 0 {
			t.Errorf("%s: watched %q, want %q; %v", script, got, want, r.Misplaced)
		}
	}
}

// TestPath: the path may be written in several ways.
func TestPath(t *testing.T) {
	r := requested(t, "renamed.py", []int{0})
	r.Scripts[0] = "./" + r.Scripts[0]
	result, err := Run(t.Context(), r)
	if err != nil || len(result.Places) != 5 || result.Places[1].Quantity != "ratio" {
		t.Errorf("%v: %+v", err, result.Places)
	}
}

// TestNotebook: places in the cells of the notebook that runs.
func TestNotebook(t *testing.T) {
	r := watched(t, "ppo.ipynb", []int{0}, "ppo.ipynb:cell 3:4", "adv.sum()@ppo.ipynb:cell 3:1", "ppo.ipynb:4", "ppo.ipynb:cell 7:1")
	if len(r.Places) != 2 || r.Places[0].Text != "ratio" || len(r.Places[0].Values) != 3 || r.Places[0].Values[2].Update() != 2 || len(r.Places[1].Values) != 1 {
		t.Errorf("%+v", r.Places)
	}
	if len(r.Misplaced) != 2 || !strings.Contains(r.Misplaced[0], "it is a notebook: name the cell") || !strings.Contains(r.Misplaced[1], "there is no cell 7") {
		t.Errorf("%q", r.Misplaced)
	}
}

// TestRough: a program that crashes, and places that are nothing, never reached or no numbers.
func TestRough(t *testing.T) {
	r := watched(t, "rough.py", []int{0}, "rough.py:5", "rough.py:7", "rough.py:8", "rough.py:11", "rough.py:14", "rough.py:18", "rough.py:24", "rough.py:25", "rough.py:26:8", "both[0]@rough.py:25",
		"name.nothing@rough.py:8", "total@rough.py:23", "rough.py:1", "rough.py:3", "1 +@rough.py:5", "scale@rough.py:2000", "scale@rough.py:15")
	said := map[string]string{}
	for _, p := range r.Places {
		said[fmt.Sprintf("%s@%d", p.Text, p.Line)] = fmt.Sprintf("%d %s", len(p.Values), p.Doubt)
	}
	for place, want := range map[string]string{
		"scale /= 2@5": "1 ", "text@7": "0 it holds no numbers: it is a str", "wide@8": "2 ", "never@11": "0 no run evaluated it", "x * 2@14": "4 ",
		"kept@18": "1 ", "total@24": "4 ", "name.nothing@8": "0 `name.nothing` raises AttributeError: 'str' object has no attribute 'nothing'", "total@23": "1 ",
		"both@25": "0 it holds no numbers: it is a tuple of 2 (Tensor, str); watch one of them, as NAME[0]@FILE:LINE", "count@26": "1 ", "both[0]@25": "1 ",
	} {
		if said[place] != want {
			t.Errorf("%s: %q, want %q", place, said[place], want)
		}
	}
	for i, want := range []string{"rough.py:3: the line is blank", "1 +@rough.py:5: \"1 +\" is no expression of Python", "scale@rough.py:2000: the file has ", "scale@rough.py:15: no statement begins on this line"} {
		if got := strings.ReplaceAll(r.Misplaced[i], filepath.Join("testdata", "rough.py"), "rough.py"); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := r.Trouble(); len(got) != 1 || !strings.Contains(got[0], "ValueError: after ten steps") {
		t.Errorf("the crash is told as %q", got)
	}
	var b bytes.Buffer
	if err := WriteJSON(&b, r); err != nil || !json.Valid(b.Bytes()) || !strings.Contains(b.String(), `"nan": 6`) {
		t.Errorf("%v: %s", err, b.String())
	}
}

// TestRaises: a place that raised is said to have done so.
func TestRaises(t *testing.T) {
	r := watched(t, "raises.py", []int{0}, "raises.py:3")
	if len(r.Places) != 1 || r.Places[0].Doubt != "its line raised an exception before it had a value" {
		t.Errorf("%+v", r.Places)
	}
}

// TestLive: while the program runs it is told what each place was last.
func TestLive(t *testing.T) {
	r := requested(t, "ppo.py", []int{0}, "ppo.py:12")
	var told []Value
	r.Step = func(_ string, plans []harness.Plan) func([]*harness.Report) {
		plans[0].Progress = func(p harness.Progress) {
			if p.Kind == "shown" {
				v := Value{}
				if err := json.Unmarshal(p.Seen, &v); err != nil {
					t.Error(err)
				}
				told = append(told, v)
			}
		}
		return func([]*harness.Report) {}
	}
	result, err := Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if want := *result.Places[0].Values[0].Mean; len(told) == 0 || told[0].Mean == nil || *told[0].Mean != want {
		t.Errorf("told %+v, want %v first", told, want)
	}
}

// TestShapes: numbers that are computed together are those of each value at its evaluation, in their order, also
// where shapes and types change, numbers are not finite, and the program forks.
func TestShapes(t *testing.T) {
	r := watched(t, "shapes.py", []int{0}, "shapes.py:18")
	values := slices.DeleteFunc(r.Places[0].Values, func(v Value) bool { return v.Type == "complex64" })
	number := func(n *Number) float64 {
		if n == nil {
			return math.NaN()
		}
		return float64(*n)
	}
	printed := 0
	for line := range strings.Lines(r.Runs[0].Output) {
		want, ok := strings.CutPrefix(line, "VALUE ")
		if !ok {
			continue
		}
		printed++
		if len(values) == 0 {
			t.Fatalf("only %d values", printed)
		}
		v := values[0]
		values = values[1:]
		shape := strings.ReplaceAll(strings.Trim(fmt.Sprint(v.Shape), "[]"), " ", ", ")
		if len(v.Shape) == 1 {
			shape += ","
		}
		attached := 0
		if v.Attached {
			attached = 1
		}
		got := strings.ToLower(fmt.Sprintf("(%s) %d %d %d %d %.8f %.8f %.8f %.8f\n", shape, v.NaN, v.Inf, v.Zeros, attached, number(v.Mean), number(v.Low), number(v.High), number(v.Std)))
		if got != want || v.Process != "" {
			t.Errorf("evaluation %d: written down %s, printed %s", v.Hit, got, want)
		}
	}
	if printed < 130 || len(values) > 0 {
		t.Errorf("%d values were printed, %d were written down beyond", printed, len(values))
	}
}

func TestParseAt(t *testing.T) {
	for text, want := range map[string]At{
		"loss.py:42": {File: "loss.py", Line: 42}, "a/loss.py:42:7": {File: "a/loss.py", Line: 42, Column: 7},
		"adv.std()@ppo.py:88": {Expression: "adv.std()", File: "ppo.py", Line: 88}, "a @ b@ppo.py:88": {Expression: "a @ b", File: "ppo.py", Line: 88},
		"adv@nb.ipynb:cell 2:7": {Expression: "adv", File: "nb.ipynb", Cell: 2, Line: 7}, "nb.ipynb:cell 2:7:3": {File: "nb.ipynb", Cell: 2, Line: 7, Column: 3},
	} {
		if got, err := ParseAt(text); err != nil || got != want || got.String() != text {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "loss.py", "loss.py:0", "@loss.py:3", "x@loss.py", "x@loss.py:3:4", "loss.py:3:0", "nb.ipynb:cell 0:3"} {
		if got, err := ParseAt(text); err == nil {
			t.Errorf("%q is taken as %+v", text, got)
		}
	}
}

// sample is a result of two seeds and many updates.
func sample() *Result {
	p := Place{At: At{File: "ppo.py", Line: 7}, Text: "ratio", Quantity: "ratio"}
	number := func(v float64) *Number { n := Number(v); return &n }
	for seed := range 2 {
		for i := range 400 {
			p.Values = append(p.Values, Value{
				Seed: seed, Hit: i, Rounds: []int{i / 4, i / 2 % 2, i % 2}, Shape: []int{8, 2}, Type: "float32", Count: 16, Mean: number(1 + float64(i%2)),
				Low: number(0.5), High: number(2), Clipped: number(0.25), KL: number(0.01), Attached: true,
			})
		}
	}
	return &Result{Script: "ppo.py", Places: []Place{p}, Runs: make([]harness.SeedRun, 2), Python: &harness.Python{Version: "3.11.2", Torch: "2.8.0"}, Isolation: harness.NoIsolation}
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	if err := WriteText(&b, sample()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"ppo.py:7  ratio\n", "seed  update  mini-epoch  mean  clipped    KL  min  max  NaN  gradient  shape",
		"   0       1           1   1.5    25.0%  0.01  0.5    2    0       yes    8x2\n", "   0     100           2", "   1     100           2", "376 rows are not shown",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, b.String())
		}
	}
	b.Reset()
	if err := WriteCSV(&b, sample()); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 801 || len(rows[0]) != len(rows[800]) {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

func TestPage(t *testing.T) {
	var b bytes.Buffer
	if err := WritePage(&b, sample()); err != nil {
		t.Fatal(err)
	}
	if _, err := pagetest.Elements(bytes.NewReader(b.Bytes())); err != nil {
		t.Error(err)
	}
	for curve, want := range map[string]bool{"ratio: mean": true, "ratio: share clipped": true, "ratio: approximate KL": true, "ratio: std": false} {
		if strings.Contains(b.String(), curve) != want {
			t.Errorf("there is a curve of %s: %v, want %v", curve, !want, want)
		}
	}
}

func TestGroupsOfNothing(t *testing.T) {
	g := Groups([]Value{{Count: 0}})
	if len(g) != 1 || !math.IsNaN(g[0].Mean) {
		t.Errorf("%+v", g)
	}
}
