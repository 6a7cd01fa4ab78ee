package postmortem

import (
	"fmt"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"github.com/rlvet/rlvet/internal/hunt"
	"github.com/rlvet/rlvet/internal/page"
	"github.com/rlvet/rlvet/internal/words"
)

// tried is what the hunt did, in its order.
func (w *writer) tried() {
	r := w.r
	list := []string{fmt.Sprintf("The unchanged program, under %s: %d failed, %d clean.", words.Count(len(r.Seeds), "seed"), count(r.Seeds, "failed"), count(r.Seeds, "clean"))}
	if r.Failure != nil && r.Window != nil {
		found := "no operation turned finite inputs into NaN or infinity"
		if r.FirstBad != nil {
			found = "the first bad value was found"
		}
		list = append(list, fmt.Sprintf("Seed %d again, steps %d to %d operation by operation: %s.", r.Failure.Seed, r.Window[0], r.Window[1], found))
	}
	if len(r.Gradients) > 0 {
		list = append(list, fmt.Sprintf("The gradients of %s against finite differences, at recorded inputs: %s.", words.Count(len(r.Gradients), "function"), verdicts(r.Gradients)))
	}
	for _, g := range r.Gradients {
		if g.Verdict != "right" && g.Verdict != "wrong" {
			list = append(list, fmt.Sprintf("%s is %s: %s", quoted(g.Function), g.Verdict, sentence(g.Reason)))
		}
	}
	for _, n := range r.Notes {
		list = append(list, sentence(n))
	}
	for _, u := range r.Unused {
		list = append(list, fmt.Sprintf("%s is in an optimizer but never received a non-zero gradient.", quoted(u.Parameter)))
	}
	w.add(block{List: list})
}

// verdicts is "2 wrong, 5 right".
func verdicts(list []hunt.Gradient) string {
	var said []string
	for _, v := range []string{"wrong", "right", "surrogate", "not-differentiable", "untested"} {
		if n := len(withVerdict(list, v)); n > 0 {
			said = append(said, fmt.Sprintf("%d %s", n, v))
		}
	}
	return strings.Join(said, ", ")
}

// fix is the change and what its runs say.
func (w *writer) fix() {
	f := w.r.Fix
	if f.Diff == "" {
		if w.r.Found() {
			w.say("No change was tried: %s.", words.Plain(f.Reason))
			w.person("the fix; `rlvet hunt ... --fix FILE.patch` tries it under the same seeds.")
		}
		return
	}
	w.say("This change (%s) was tried in copies of the project, under the same seeds:", quoted(f.Source))
	w.diff(f.Diff)
	w.say("Verdict: %s. %s", quoted(strings.ReplaceAll(f.Verdict, "-", " ")), sentence(f.Reason))
	if f.Before != nil && f.After != nil {
		w.add(block{Table: trials(&f)})
	}
	if f.Bound != nil {
		w.say("With 95 %% confidence, at most %s of other seeds fail: 1 - 0.05^(1/n) for n = %d clean seeds.", words.Percent(*f.Bound), len(f.After.Seeds))
	}
	for _, l := range f.Reached {
		if l.Hits != nil {
			w.say("The changed code at %s ran %s.", quoted(w.r.Place(l.Filename, 0, l.Row)), words.Count(*l.Hits, "time"))
		}
	}
}

// trials sets the program before the fix beside that after it.
func trials(f *hunt.Fix) *table {
	t := &table{Columns: []string{"", "Before", "After"}, Numbers: []bool{false, true, true}}
	for _, row := range []struct {
		name string
		of   func(*hunt.Trial) int
	}{
		{"Runs", func(t *hunt.Trial) int { return len(t.Seeds) }},
		{"that failed", func(t *hunt.Trial) int { return t.Failed }},
		{"Gradients tried", func(t *hunt.Trial) int { return len(t.Gradients) }},
		{"that are wrong", func(t *hunt.Trial) int { return len(wrongOf(t.Gradients)) }},
	} {
		t.Rows = append(t.Rows, []string{row.name, fmt.Sprint(row.of(f.Before)), fmt.Sprint(row.of(f.After))})
	}
	return t
}

// mostDiff bounds the lines of a difference.
const mostDiff = 60

// diff shows a difference in git's words, a file after the other; one that cannot be read
// stands as it is.
func (w *writer) diff(text string) {
	files, _, err := gitdiff.Parse(strings.NewReader(text))
	if err != nil {
		w.add(block{Diff: []page.Line{{Before: words.Plain(text)}}})
		return
	}
	left := mostDiff
	for _, f := range files {
		lines := diffLines(f)
		shown := lines[:min(len(lines), left)]
		left -= len(shown)
		if left == 0 {
			w.say("%s, the first %d of %d lines:", quoted(strings.TrimPrefix(f.NewName, "b/")), len(shown), len(lines))
		} else {
			w.say("%s:", quoted(strings.TrimPrefix(f.NewName, "b/")))
		}
		if len(shown) > 0 {
			w.add(block{Diff: shown})
		}
	}
}

func diffLines(f *gitdiff.File) (out []page.Line) {
	for n, hunk := range f.TextFragments {
		row := int(hunk.NewPosition)
		for i, l := range hunk.Lines {
			line := page.Line{Row: row, Before: strings.TrimRight(l.Line, "\r\n"), Gap: i == 0 && n > 0}
			switch l.Op {
			case gitdiff.OpDelete:
				line.Row, line.Sign = 0, "-"
			case gitdiff.OpAdd:
				line.Sign, row = "+", row+1
			default:
				row++
			}
			out = append(out, line)
		}
	}
	return out
}
