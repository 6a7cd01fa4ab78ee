package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/words"
)

// write prints what is new, what is gone, and the table of the rules.
func (s *summary) write(out io.Writer) {
	slices.SortFunc(s.fresh, func(a, b found) int { return a.compare(b.place) })
	for _, f := range s.fresh {
		fmt.Fprintf(out, "new: %s %s:%d %s %s: %s\n", f.repository, f.path, f.line, f.code, f.severity, f.headline)
	}
	slices.SortFunc(s.gone, place.compare)
	for _, p := range s.gone {
		fmt.Fprintf(out, "gone: %s %s:%d %s\n", p.repository, p.path, p.line, p.code)
	}
	lines := 0
	for _, n := range s.lines {
		lines += n
	}
	fmt.Fprintf(out, "%s in %s, %d lines; %d new, %d gone\n\n", words.Count(len(s.found), "finding"), words.CountOf(len(s.lines), "repository", "repositories"), lines, len(s.fresh), len(s.gone))
	s.table(out, lines)
}

// tally counts the findings of a rule by what was said of them.
type tally struct {
	rule.Judgement
	unread int
}

func (t *tally) add(v verdict) {
	switch v {
	case harmful:
		t.Harmful++
	case idle:
		t.Idle++
	case wrong:
		t.Wrong++
	case unread:
		t.unread++
	}
}

// tallies counts all that is judged and the rules of it.
func (s *summary) tallies() (byRule map[string]*tally, all tally) {
	byRule = map[string]*tally{}
	for p, j := range s.judged {
		if byRule[p.code] == nil {
			byRule[p.code] = &tally{}
		}
		byRule[p.code].add(j.verdict)
		all.add(j.verdict)
	}
	return byRule, all
}

// table is a row a rule; lines are those that were checked.
func (s *summary) table(out io.Writer, lines int) {
	byRule, all := s.tallies()
	fmt.Fprintln(out, "| Rule | Harmful | Idle | Wrong | Unread | Wrong per 1,000 lines |\n| --- | --: | --: | --: | --: | --: |")
	row := func(name string, t *tally) {
		fmt.Fprintf(out, "| %s | %d | %d | %d | %d | %.4f |\n", name, t.Harmful, t.Idle, t.Wrong, t.unread, 1000*float64(t.Wrong)/float64(max(lines, 1)))
	}
	for _, code := range slices.Sorted(maps.Keys(byRule)) {
		row(code, byRule[code])
	}
	row("all", &all)
	row("stable", s.tallyOf(func(f found) bool { return f.stable }))
	row("errors of stable rules", s.tallyOf(func(f found) bool { return f.stable && f.severity == finding.Error }))
}

// tallyOf counts the findings that a person meets who has changed no setting, or a part of
// them: rules in preview may say more, and errors fail a build.
func (s *summary) tallyOf(keep func(found) bool) *tally {
	t := &tally{}
	for _, f := range s.found {
		if keep(f) {
			t.add(s.judged[f.place].verdict)
		}
	}
	return t
}
