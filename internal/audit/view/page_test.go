package view

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/audit"
	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/pagetest"
)

func pageText(t *testing.T, r *audit.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := Page(&b, r, "1.2.3"); err != nil {
		t.Fatal(err)
	}
	if keep := os.Getenv("RLVET_KEEP_PAGES"); keep != "" { // to look at
		if err := os.WriteFile(keep+"/"+strings.ReplaceAll(t.Name(), "/", "-")+".html", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestPage: the page is whole, loads nothing, names each plot in words, and has what a
// reader needs.
func TestPage(t *testing.T) {
	text := pageText(t, hacked())
	elements, err := pagetest.Elements(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	count, ids := map[string]int{}, map[string]bool{}
	for _, e := range elements {
		count[e.Name]++
		if id := e.Attributes["id"]; id != "" {
			if ids[id] {
				t.Errorf("two elements are #%s", id)
			}
			ids[id] = true
		}
		for name, value := range e.Attributes {
			if strings.HasPrefix(name, "on") || name == "src" || name == "href" && !strings.HasPrefix(value, "#") && !strings.HasPrefix(value, "data:,") {
				t.Errorf("<%s %s=%q>", e.Name, name, value)
			}
		}
		if e.Name == "svg" && e.Attributes["aria-hidden"] != "true" && e.Attributes["aria-label"] == "" {
			t.Error("a plot without words")
		}
	}
	if count["script"] > 0 || count["h1"] != 1 || count["main"] != 1 {
		t.Errorf("elements: %v", count)
	}
	for _, id := range []string{"signal-1", "checkpoints", "curves", "relations", "judgements", "measures", "completions", "signals", "unknown", "basis", "reading"} {
		if !ids[id] {
			t.Errorf("there is no #%s", id)
		}
	}
	for _, want := range []string{
		"✗ alert</span> Take checkpoint-1000</h1>", "Alert: length (since step 1200).", "taking it would cost 0.5 points (0.43 to 0.57)", "an alert from 1200 to 1990", "KL016",
		"peaks at a KL of 13.7 nats", "Cohen&#39;s kappa", "✓ take", "✗ out", "ends in the middle of a record", "The trainer does not log it", "“The answer is very good and helpful.” 10 times in a row",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestPageLeads: the decision comes first, then what leads to each section, then the checkpoints,
// with what excludes several said once.
func TestPageLeads(t *testing.T) {
	r := hacked()
	r.Checkpoints[0].BelowBase = true
	r.Checkpoints[0].Pareto = false
	text := pageText(t, r)
	at := 0
	for _, next := range []string{
		"Take checkpoint-1000</h1>", `<a href="#checkpoints">`, `<a href="#signal-1">✗ length</a>`, `<a href="#unknown">`, `<section id="checkpoints">`,
		"Excluded: below the base model", "✗ out", "checkpoint-500", "Not excluded", "✓ take", "Excluded: length", "checkpoint-1500", "checkpoint-1900", `<article id="signal-1"`,
	} {
		i := strings.Index(text[at:], next)
		if i < 0 {
			t.Fatalf("%q does not come after %q", next, text[:at])
		}
		at += i
	}
	if n := strings.Count(text, "Excluded: length"); n != 1 {
		t.Errorf("it is said %d times what excludes two checkpoints", n)
	}
	if strings.Contains(text, "possible") {
		t.Error("a checkpoint below the base is possible")
	}
}

// TestPageSaysWhyOnce: signals that hurt for one reason lead to where it is said.
func TestPageSaysWhyOnce(t *testing.T) {
	r := hacked()
	r.Signals[1].Why, r.Signals[1].Help = r.Signals[0].Why, r.Signals[0].Help
	text := pageText(t, r)
	if strings.Count(text, "the reward pays for length") != 1 || !strings.Contains(text, `as for <a href="#signal-1">length</a>`) {
		t.Error("why a length hurts is not said once")
	}
}

// TestPageOfNothingHeldOut: where nobody judged and nothing was evaluated, no judgement is spoken of but
// the ones to collect.
func TestPageOfNothingHeldOut(t *testing.T) {
	r := clean()
	r.Missing = nil
	text := pageText(t, r)
	text = text[strings.Index(text, "<body>"):]
	for _, word := range []string{"judgements</h2>", "Held-out", "held-out metric", "win rate"} {
		if strings.Contains(text, word) {
			t.Errorf("the page speaks of %q", word)
		}
	}
}

// TestPageOfMeasures: a row a measure, a column a step, the change against the base below each value.
func TestPageOfMeasures(t *testing.T) {
	text := pageText(t, hacked())
	at, end := strings.Index(text, `id="measures"`), strings.Index(text, `id="completions"`)
	if at < 0 || end < at {
		t.Fatal("the measures do not come before the completions")
	}
	text = text[at:end]
	for _, want := range []string{
		">Step 1000</th>", ">Step 1900</th>", "Length, tokens</th><td class=\"number\">9</td>", "60<br><span class=\"soft\">+40 to +62</span>",
		"Distinct-2, %</th><td class=\"number\">–</td><td class=\"number\">–</td><td class=\"number\">12.5<br><span class=\"soft\">base 50</span>",
		"29<br><span class=\"soft\">26 to 32</span>", "The base are the base model&#39;s completions", "<dt>KL, k1</dt><dd>No bias</dd>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the table lacks %s:\n%s", want, text)
		}
	}
	if strings.Contains(text, "<script") {
		t.Error("a measure brings markup")
	}
}

// TestPageOfTwoCurves: a held-out score that parts from the reward stands beside it, each with
// its own axis.
func TestPageOfTwoCurves(t *testing.T) {
	r := hacked()
	s := &r.Signals[0]
	s.Level, s.CurveOf, s.CurveUnit = audit.Alert, "win_rate", record.Share
	s.Curve = []record.Point{{Step: 1000, Value: 0.6, Count: 1}, {Step: 1900, Value: 0.2, Count: 1}}
	text := pageText(t, r)
	for _, want := range []string{"win rate over step: from 60 at first to 20 at last", ">win rate, %</text>", "reward of training over step"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

// TestJoinedSpans: alerts at evaluations that follow each other are one stretch; where the signal
// has a value between them, they stay apart.
func TestJoinedSpans(t *testing.T) {
	s := audit.Signal{Spans: []audit.Span{{From: 10, To: 10}, {From: 20, To: 20}, {From: 40, To: -1}}}
	for _, step := range []int64{10, 20, 30, 40} {
		s.Curve = append(s.Curve, record.Point{Step: step})
	}
	if got := joined(s); len(got) != 2 || got[0] != (audit.Span{From: 10, To: 20}) || got[1] != (audit.Span{From: 40, To: -1}) {
		t.Errorf("%v", got)
	}
	if s.Curve = nil; len(joined(s)) != 3 {
		t.Error("without a curve nothing is known of what lies between")
	}
}

// TestPageSaysWhatToDo: where nothing is recommended for want of judgements, the box at the top
// says how to come by them, and only there.
func TestPageSaysWhatToDo(t *testing.T) {
	const advice = "pass their judgements with <code>--preferences FILE</code>"
	r := hacked()
	if strings.Contains(pageText(t, r), advice) {
		t.Error("a recommendation is there, and judgements are asked for")
	}
	r.Recommended, r.Primary = nil, ""
	if !strings.Contains(pageText(t, r), advice) {
		t.Error("it is not said what to do")
	}
}

// TestPageOfLittle: a run that logged nothing, or not enough, has a page too.
func TestPageOfLittle(t *testing.T) {
	one := clean()
	one.Record = &record.Run{Series: []*record.Series{record.NewSeries("a", "b")}, Batches: []record.Batch{{Step: 1}}}
	for name, r := range map[string]*audit.Result{"clean": clean(), "empty": empty(), "one": one, "none": {}} {
		t.Run(name, func(t *testing.T) {
			if _, err := pagetest.Elements(strings.NewReader(pageText(t, r))); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPageEscapes: whatever texts a run holds, they stay texts, and turn no direction.
func TestPageEscapes(t *testing.T) {
	evil := "<script>alert(1)</script><img src=x onerror=alert(2)>\u202e\x1b[31m\"'`</pre></svg>]]>"
	r := hacked()
	r.Run, r.Trainer, r.Notes, r.Missing = evil, evil, []string{evil}, []string{evil}
	for i := range r.Signals {
		s := &r.Signals[i]
		s.Name, s.Note, s.Basis, s.Threshold, s.Unit = evil, evil, evil, evil, record.Unit(evil)
	}
	r.Signals[0].Findings = []audit.Explanation{{Code: evil, Filename: evil, Message: evil}}
	for i := range r.Checkpoints {
		r.Checkpoints[i].Path, r.Checkpoints[i].Metrics[evil] = evil, audit.Metric{Value: 1, Unit: record.Unit(evil)}
	}
	r.Recommended.Path, r.Recommended.Why, r.ByRewardAlone.Path, r.Primary = evil, evil, evil, evil
	for _, s := range r.Record.Series {
		s.Name, s.Unit, s.Basis, s.Trap = evil, record.Unit(evil), evil, evil
	}
	for i := range r.Record.Batches {
		for j := range r.Record.Batches[i].Kept {
			c := &r.Record.Batches[i].Kept[j]
			c.Prompt, c.Text, c.Rewards = evil, strings.Repeat(evil+" ", 100), map[string]float64{evil: 1}
		}
	}
	text := pageText(t, r)
	elements, err := pagetest.Elements(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range elements {
		if e.Name == "script" || e.Name == "img" {
			t.Errorf("<%s> %v", e.Name, e.Attributes)
		}
	}
	for _, c := range []string{"\u202e", "\x1b"} {
		if strings.Contains(text, c) {
			t.Errorf("%q reaches the page", c)
		}
	}
}

// TestWorst: of what the policy wrote last, that which repeats itself most stands beside the
// base's answer to the same prompt, with what repeats marked, and long texts cut.
func TestWorst(t *testing.T) {
	run := hacked().Record
	long := &run.Batches[2].Kept[1]
	long.Text = strings.Repeat("one two three four five ", 400)
	pairs, note := worst(run)
	if len(pairs) != 3 || !strings.Contains(note, "3 completions at step 1900") || !strings.Contains(note, "against the base model") {
		t.Fatalf("%d pairs: %s", len(pairs), note)
	}
	first := pairs[0]
	if !strings.Contains(first.Prompt, "Question 1?") || first.Policy.Cut != "8100 characters more" || first.Base.Cut != "" {
		t.Errorf("%q, cut %q and %q", first.Prompt, first.Policy.Cut, first.Base.Cut)
	}
	if len(first.Policy.Parts) < 2 || first.Policy.Parts[0].Text != "one two three four five " || first.Policy.Parts[0].Marked || !first.Policy.Parts[1].Marked {
		t.Errorf("marked are %v", first.Policy.Parts)
	}
	if reasons := strings.Join(first.Reasons, "; "); !strings.Contains(reasons, "100 % of its 4-grams come again, 0 % before") || !strings.Contains(reasons, "cut at the maximum length") {
		t.Errorf("the reasons are %s", reasons)
	}
	if _, note := worst(&record.Run{Batches: run.Batches[:1]}); note != "" {
		t.Errorf("of one batch: %s", note)
	}
}

// TestMarked: words are marked from the second time on, and no letter is lost.
func TestMarked(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "",
		"a b c":                             "a b c",
		"a b c d":                           "a b c d",
		"a b c d x a b C d y":               "a b c d x [a b C d] y",
		"a a a a a a":                       "a [a a a a a]",
		"  é b\tc\nd e é b c d  e":          "  é b\tc\nd e [é b c d  e]",
		"one two three four one two three.": "one two three four one two three.",
	} {
		var b strings.Builder
		for _, p := range marked(text) {
			if p.Marked {
				b.WriteString("[" + p.Text + "]")
			} else {
				b.WriteString(p.Text)
			}
		}
		if b.String() != want {
			t.Errorf("%q: %q, want %q", text, b.String(), want)
		}
	}
}
