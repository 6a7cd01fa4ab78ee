package config

import (
	"bytes"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/rule"
)

// # Where two findings are one
//
// One mistake may be what several rules look for, or one rule at several places. A page says to which rules its own yields, and at
// which cause (see [rule.Yield]); at that cause one finding is shown, and the place of what yields with it. What yields is neither
// suppressed nor counted. A finding yields to none that is weaker, nor to a hint that is not shown.

// quiet parts the findings of a file, sorted by place, into those that speak and, by what each yields to, the others.
func (s *Settings) quiet(rules *rule.Registry, c Checked, list []finding.Finding) (spoken []finding.Finding, yielded map[int][]finding.Finding) {
	to := make([]int, len(list)) // the finding that speaks instead, -1 for none
	for i := range list {
		to[i] = -1
		e, ok := rules.Lookup(list[i].Code)
		if !ok || len(e.Doc.Yields) == 0 {
			continue
		}
		for k := range list {
			if s.yields(e.Doc, c, list, i, k) {
				to[i] = k
				break
			}
		}
	}
	yielded = map[int][]finding.Finding{}
	at := make([]int, len(list))
	for i := range list {
		if to[i] < 0 {
			at[i] = len(spoken)
			spoken = append(spoken, list[i])
		}
	}
	for i := range list {
		k := i
		for to[k] >= 0 {
			k = to[k] // what speaks instead may yield itself; there are no circles
		}
		if k != i {
			yielded[at[k]] = append(yielded[at[k]], list[i])
		}
	}
	return spoken, yielded
}

// yields reports whether the finding i, of a page, is not shown beside k.
func (s *Settings) yields(page *rule.Doc, c Checked, list []finding.Finding, i, k int) bool {
	f, g := &list[i], &list[k]
	if i == k || f.Code == g.Code && k > i || g.Severity.Compare(f.Severity) > 0 || g.Evidence == finding.NameOnly && !s.ShowHints && f.Evidence != finding.NameOnly {
		return false
	}
	cause, ok := page.YieldsTo(g.Code)
	if !ok {
		return false
	}
	switch {
	case overlap(f.Range, g.Range):
		return true
	case cause == rule.Statement:
		return f.Range.Cell == g.Range.Cell && f.NoqaRow == g.NoqaRow
	case cause == rule.Origin:
		return c.haveOrigin(f, g)
	}
	return false
}

// haveOrigin reports whether what makes one finding wrong comes from the place of another, or from where that does.
func (c Checked) haveOrigin(f, g *finding.Finding) bool {
	for i, a := range c.origins(f) {
		for k, b := range c.origins(g) {
			if (i > 0 || k > 0) && overlap(a, b) {
				return true
			}
		}
	}
	return false
}

// origins are the place of a finding and those that it shows with it, but for the call of backward(): there a mistake takes effect, and
// all mistakes in a loss do so at the same place.
func (c Checked) origins(f *finding.Finding) []finding.Range {
	out := []finding.Range{f.Range}
	for _, r := range f.Related {
		if r.Range.File == f.Range.File && c.File != nil && !bytes.Contains(c.File.Text[r.Range.StartByte:r.Range.EndByte], []byte(".backward(")) {
			out = append(out, r.Range)
		}
	}
	return out
}

func overlap(a, b finding.Range) bool {
	return a.File == b.File && a.StartByte < b.EndByte && b.StartByte < a.EndByte
}

// places show where the findings of one rule are that yield to another of it: each has to be changed.
func places(f *finding.Finding, list []finding.Finding) (out []finding.Related) {
	for _, g := range list {
		if g.Code == f.Code {
			out = append(out, finding.Related{Range: g.Range, Message: "the same here"})
		}
	}
	return out
}
