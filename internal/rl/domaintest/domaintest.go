// Package domaintest reads the reveal notation: what a test states of a value.
//
// Purpose: the stories of inference and the tests of the tables say what a value must be
// as domain.Value.String writes it. Input: a mark such as "old log-prob[B,T] detached".
// Output: a Pattern, which compares what the mark says and nothing else. Limits: tests only.
package domaintest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
)

const axisLetters = "?BGTAVF"

// words are the names that n values are written by.
func words(n int, name func(i int) string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = name(i)
	}
	return out
}

var (
	whoseNames    = words(4, func(i int) string { return domain.Whose(1 << i).String() })
	gradNames     = words(4, func(i int) string { return domain.Grad(i).String() })
	reducedNames  = words(7, func(i int) string { return domain.Reduced(1 << i).String() })
	evidenceNames = words(6, func(i int) string { return domain.Evidence(i).String() })
)

// A Pattern is what a reveal mark states of a value.
type Pattern struct {
	want  domain.Value
	parts [numParts]bool
}

// The parts that a pattern may state.
const (
	partKind = iota
	partWhose
	partShape
	partGrad
	partLo
	partHi
	partNonZero
	partReduced
	partEvidence
	numParts
)

// Parse reads the reveal notation. The error says which word is wrong.
func Parse(text string) (Pattern, error) {
	p := Pattern{want: domain.Value{Range: domain.AnyRange}}
	for _, w := range strings.Fields(text) {
		if err := p.word(w); err != nil {
			return Pattern{}, err
		}
	}
	if p.parts == [numParts]bool{} {
		return Pattern{}, fmt.Errorf("reveal mark states nothing; write a kind, [dims], attached, detached, >=0 or !=0")
	}
	return p, nil
}

// word reads one word into p.
func (p *Pattern) word(w string) error {
	switch {
	case p.bound(w):
		return nil
	case strings.HasPrefix(w, "~"):
		return p.evidence(w[1:])
	}
	for i, n := range gradNames {
		if w == n {
			p.want.Grad, p.parts[partGrad] = domain.Grad(i), true
			return nil
		}
	}
	if bits, ok := parseSet(w, whoseNames); ok {
		p.want.Whose, p.parts[partWhose] = domain.Whose(bits), true
		return nil
	}
	if bits, ok := parseSet(w, reducedNames); ok {
		p.want.Reduced, p.parts[partReduced] = domain.Reduced(bits), true
		return nil
	}
	return p.kindAndShape(w)
}

// bound reads a bound or `!=0`.
func (p *Pattern) bound(w string) bool {
	if w == "!=0" {
		p.want.Range.NonZero, p.parts[partNonZero] = true, true
		return true
	}
	if len(w) < 3 || w[1] != '=' || w[0] != '>' && w[0] != '<' {
		return false
	}
	n, err := strconv.Atoi(w[2:])
	if err != nil || n < -1 || n > 1 {
		return false
	}
	if w[0] == '>' {
		p.want.Range.Lo, p.parts[partLo] = domain.Bound(n), true
	} else {
		p.want.Range.Hi, p.parts[partHi] = domain.Bound(n), true
	}
	return true
}

// evidence reads the word after '~'.
func (p *Pattern) evidence(w string) error {
	for i, n := range evidenceNames {
		if w == n && i > 0 {
			p.want.Evidence, p.parts[partEvidence] = domain.Evidence(i), true
			return nil
		}
	}
	return fmt.Errorf("unknown evidence %q; write ~table, ~derived, ~annotated or ~name-only", w)
}

// kindAndShape reads KIND, KIND[DIMS] or [DIMS].
func (p *Pattern) kindAndShape(w string) error {
	kind, dims, hasDims := strings.Cut(w, "[")
	if kind != "" {
		k, err := parseKinds(kind)
		if err != nil {
			return err
		}
		p.want.Kind, p.parts[partKind] = k, true
	}
	if !hasDims {
		return nil
	}
	dims, closed := strings.CutSuffix(dims, "]")
	if !closed {
		return fmt.Errorf("dims of %q do not end with ']'", w)
	}
	return p.shape(dims)
}

// shape reads the dims between the brackets.
func (p *Pattern) shape(dims string) error {
	var list []domain.Dim
	dims, more := strings.CutPrefix(dims, "...,")
	if dims != "" {
		for _, t := range strings.Split(dims, ",") {
			d, err := parseDim(t)
			if err != nil {
				return err
			}
			list = append(list, d)
		}
	}
	if len(list) > domain.MaxRank {
		return fmt.Errorf("[%s] has more than %d dims, which are not followed", dims, domain.MaxRank)
	}
	p.want.Shape, p.parts[partShape] = domain.MakeShape(list...), true
	if more {
		p.want.Shape = domain.EndingIn(list...)
	}
	return nil
}

// parseDim reads a size, a letter, LETTER:SIZE, a symbol s7 or `?`.
func parseDim(t string) (domain.Dim, error) {
	d, size := domain.UnknownDim, t
	if t != "" {
		if i := strings.IndexByte(axisLetters, t[0]); i >= 0 && (len(t) == 1 || t[1] == ':') {
			d.Axis, size = domain.Axis(i), strings.TrimPrefix(t[1:], ":")
			if size == "" {
				return d, nil
			}
		}
	}
	if sym, ok := strings.CutPrefix(size, "s"); ok {
		n, err := strconv.ParseUint(sym, 10, 32)
		if err == nil && n > 0 {
			d.Sym = uint32(n)
			return d, nil
		}
	}
	n, err := strconv.ParseUint(size, 10, 31)
	if err != nil {
		return domain.Dim{}, fmt.Errorf("unknown dim %q; write a size, one of B G T A V F, LETTER:SIZE, a symbol like s7, or ?", t)
	}
	d.N = int32(n)
	return d, nil
}

// parseKinds reads kinds joined by '|', "unknown" or "none".
func parseKinds(w string) (domain.Kind, error) {
	if w == "none" {
		return 0, nil
	}
	var k domain.Kind
	for _, n := range strings.Split(w, "|") {
		one, ok := domain.ParseKind(n)
		if !ok {
			return 0, fmt.Errorf("unknown kind %q", n)
		}
		k |= one
	}
	return k, nil
}

// parseSet reads names joined by '|' into their bits.
func parseSet(w string, names []string) (bits uint64, ok bool) {
	for _, part := range strings.Split(w, "|") {
		i := indexOf(names, part)
		if i < 0 {
			return 0, false
		}
		bits |= 1 << i
	}
	return bits, true
}

// indexOf returns the position of name, or -1.
func indexOf(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return -1
}

// Mismatch returns what v contradicts of the pattern, or "".
func (p Pattern) Mismatch(v domain.Value) string {
	w := p.want
	checks := [numParts]struct {
		ok        bool
		want, got string
	}{
		partKind:     {v.Kind == w.Kind, w.Kind.String(), v.Kind.String()},
		partWhose:    {v.Whose == w.Whose, w.Whose.String(), v.Whose.String()},
		partShape:    {fits(v.Shape, w.Shape), w.Shape.String(), v.Shape.String()},
		partGrad:     {v.Grad == w.Grad, w.Grad.String(), v.Grad.String()},
		partLo:       {(v.Range != domain.Range{}) && v.Range.Lo == w.Range.Lo, fmt.Sprintf(">=%d", w.Range.Lo), v.Range.String()},
		partHi:       {(v.Range != domain.Range{}) && v.Range.Hi == w.Range.Hi, fmt.Sprintf("<=%d", w.Range.Hi), v.Range.String()},
		partNonZero:  {v.Range.NonZero, "!=0", v.Range.String()},
		partReduced:  {v.Reduced == w.Reduced, w.Reduced.String(), v.Reduced.String()},
		partEvidence: {v.Evidence == w.Evidence, "~" + w.Evidence.String(), "~" + v.Evidence.String()},
	}
	for i, c := range checks {
		if p.parts[i] && !c.ok {
			return fmt.Sprintf("want %s, got %s", c.want, v)
		}
	}
	return ""
}

// Match reports whether v is all that the pattern states.
func (p Pattern) Match(v domain.Value) bool { return p.Mismatch(v) == "" }

// fits reports whether s has the rank of want and every part of every dim
// that want states.
func fits(s, want domain.Shape) bool {
	if s.IsBottom() || s.Rank != want.Rank || s.Tail < want.Tail {
		return false
	}
	for i, w := range want.Dims[:want.MinRank()] {
		i += s.MinRank() - want.MinRank()
		d := s.Dims[i]
		if w.N >= 0 && d.N != w.N || w.Sym != 0 && d.Sym != w.Sym || w.Axis != domain.AxisUnknown && d.Axis != w.Axis {
			return false
		}
	}
	return true
}
