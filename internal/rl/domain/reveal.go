package domain

import (
	"fmt"
	"strconv"
	"strings"
)

// The reveal notation writes a value in words:
//
//	old log-prob[B,T] detached
//	std[] attached >=0 !=0
//	prob|ratio[G:8,?] unknown-grad ~name-only
//
// In order: owners, kind, dims of a known shape (constant, axis letter,
// symbol s7, `?`, or AXIS:SIZE), grad state, bounds, `!=0`, the reduction
// (mean-all, sum-dim, ...) and evidence where it is weak. In a pattern, only
// what is written is compared.

var (
	whoseNames    = [...]string{"current", "old", "reference", "target"}
	axisLetters   = "?BGTAVF"
	gradNames     = [...]string{"bottom", "attached", "detached", "unknown-grad"}
	reducedNames  = [...]string{"mean-all", "sum-all", "mean-dim", "sum-dim", "unreduced", "log-sum-exp", "extremum"}
	evidenceNames = [...]string{"none", "table", "derived", "annotated", "name-only"}
)

// setString joins the names of the bits of a set.
func setString(bits uint64, names []string) string {
	var out []string
	for i, n := range names {
		if bits&(1<<i) != 0 {
			out = append(out, n)
		}
	}
	return strings.Join(out, "|")
}

// String returns v in the reveal notation.
func (v Value) String() string {
	if v.IsBottom() {
		return "none"
	}
	words := make([]string, 0, 8)
	if v.Whose.Known() {
		words = append(words, v.Whose.String())
	}
	words = append(words, v.Kind.String()+v.Shape.String())
	if v.Grad == Attached || v.Grad == Detached {
		words = append(words, v.Grad.String())
	}
	if r := v.Range.String(); r != "" {
		words = append(words, r)
	}
	if v.Reduced.Known() && v.Reduced != Unreduced {
		words = append(words, v.Reduced.String())
	}
	if v.Kind.Known() && v.Evidence >= Annotated {
		words = append(words, "~"+v.Evidence.String())
	}
	return strings.Join(words, " ")
}

// String returns the owners joined by '|', "anyone" or "nobody".
func (w Whose) String() string {
	switch w {
	case 0:
		return "nobody"
	case AnyWhose:
		return "anyone"
	}
	return setString(uint64(w), whoseNames[:])
}

// String returns the state's word.
func (g Grad) String() string { return gradNames[g] }

// String returns the reductions joined by '|'.
func (r Reduced) String() string {
	if r == AnyReduced {
		return "any-reduction"
	}
	return setString(uint64(r), reducedNames[:])
}

// String returns the level's word.
func (e Evidence) String() string { return evidenceNames[e] }

// String returns the dims in brackets; an unknown rank is the empty string.
func (s Shape) String() string {
	if !s.Known() {
		return ""
	}
	parts := make([]string, s.Rank)
	for i, d := range s.dims() {
		parts[i] = d.String()
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// String returns the axis letter, the size, or both.
func (d Dim) String() string {
	size := ""
	switch {
	case d.N >= 0:
		size = strconv.Itoa(int(d.N))
	case d.Sym != 0:
		size = "s" + strconv.FormatUint(uint64(d.Sym), 10)
	}
	letter := axisLetters[d.Axis : d.Axis+1]
	switch {
	case size == "":
		return letter
	case d.Axis == AxisUnknown:
		return size
	}
	return letter + ":" + size
}

// String returns the finite bounds as `>=0 <=1 !=0`; what follows from a
// bound is left out.
func (r Range) String() string {
	if !r.set {
		return ""
	}
	var parts []string
	if r.Lo > NegInf {
		parts = append(parts, fmt.Sprintf(">=%d", r.Lo))
	}
	if r.Hi < PosInf {
		parts = append(parts, fmt.Sprintf("<=%d", r.Hi))
	}
	if r.NonZero && r.Lo <= Zero && r.Hi >= Zero {
		parts = append(parts, "!=0")
	}
	return strings.Join(parts, " ")
}

// A Pattern is what a reveal mark states of a value.
type Pattern struct {
	want  Value
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
	p := Pattern{want: Value{Range: AnyRange}}
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
			p.want.Grad, p.parts[partGrad] = Grad(i), true
			return nil
		}
	}
	if bits, ok := parseSet(w, whoseNames[:]); ok {
		p.want.Whose, p.parts[partWhose] = Whose(bits), true
		return nil
	}
	if bits, ok := parseSet(w, reducedNames[:]); ok {
		p.want.Reduced, p.parts[partReduced] = Reduced(bits), true
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
		p.want.Range.Lo, p.parts[partLo] = Bound(n), true
	} else {
		p.want.Range.Hi, p.parts[partHi] = Bound(n), true
	}
	return true
}

// evidence reads the word after '~'.
func (p *Pattern) evidence(w string) error {
	for i, n := range evidenceNames {
		if w == n && i > 0 {
			p.want.Evidence, p.parts[partEvidence] = Evidence(i), true
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
	var list []Dim
	if dims != "" {
		for _, t := range strings.Split(dims, ",") {
			d, err := parseDim(t)
			if err != nil {
				return err
			}
			list = append(list, d)
		}
	}
	if len(list) > MaxRank {
		return fmt.Errorf("[%s] has more than %d dims, which are not followed", dims, MaxRank)
	}
	p.want.Shape, p.parts[partShape] = MakeShape(list...), true
	return nil
}

// parseDim reads a size, a letter, LETTER:SIZE, a symbol s7 or `?`.
func parseDim(t string) (Dim, error) {
	d, size := UnknownDim, t
	if t != "" {
		if i := strings.IndexByte(axisLetters, t[0]); i >= 0 && (len(t) == 1 || t[1] == ':') {
			d.Axis, size = Axis(i), strings.TrimPrefix(t[1:], ":")
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
		return Dim{}, fmt.Errorf("unknown dim %q; write a size, one of B G T A V F, LETTER:SIZE, a symbol like s7, or ?", t)
	}
	d.N = int32(n)
	return d, nil
}

// parseKinds reads kinds joined by '|', "unknown" or "none".
func parseKinds(w string) (Kind, error) {
	if w == "none" {
		return 0, nil
	}
	var k Kind
	for _, n := range strings.Split(w, "|") {
		one, ok := ParseKind(n)
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
func (p Pattern) Mismatch(v Value) string {
	w := p.want
	checks := [numParts]struct {
		ok        bool
		want, got string
	}{
		partKind:     {v.Kind == w.Kind, w.Kind.String(), v.Kind.String()},
		partWhose:    {v.Whose == w.Whose, w.Whose.String(), v.Whose.String()},
		partShape:    {v.Shape.fits(w.Shape), w.Shape.String(), v.Shape.String()},
		partGrad:     {v.Grad == w.Grad, w.Grad.String(), v.Grad.String()},
		partLo:       {v.Range.set && v.Range.Lo == w.Range.Lo, fmt.Sprintf(">=%d", w.Range.Lo), v.Range.String()},
		partHi:       {v.Range.set && v.Range.Hi == w.Range.Hi, fmt.Sprintf("<=%d", w.Range.Hi), v.Range.String()},
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
func (p Pattern) Match(v Value) bool { return p.Mismatch(v) == "" }

// fits reports whether s has the rank of want and every part of every dim
// that want states.
func (s Shape) fits(want Shape) bool {
	if !s.Known() || s.Rank != want.Rank {
		return false
	}
	for i, w := range want.dims() {
		d := s.Dims[i]
		if w.N >= 0 && d.N != w.N || w.Sym != 0 && d.Sym != w.Sym || w.Axis != AxisUnknown && d.Axis != w.Axis {
			return false
		}
	}
	return true
}
