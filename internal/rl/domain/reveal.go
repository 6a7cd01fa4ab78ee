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
// symbol s7, `?`, or AXIS:SIZE, after dots where there may be more), grad state, bounds, `!=0`, the reduction
// (mean-all, sum-dim, ...) and evidence where it is weak. Package domaintest
// reads it.

var (
	whoseNames    = [...]string{"current", "old", "reference", "target"}
	axisLetters   = "?BGTAVF"
	gradNames     = [...]string{"bottom", "attached", "detached", "unknown-grad"}
	reducedNames  = [...]string{"mean-all", "sum-all", "mean-dim", "sum-dim", "unreduced", "log-sum-exp", "extremum"}
	evidenceNames = [...]string{"none", "table", "derived", "used", "annotated", "name-only"}
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
	if v.Kind.Known() && v.Evidence >= Used {
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

// String returns the dims in brackets, those of an unknown rank behind dots; where not
// even the last is known it is the empty string.
func (s Shape) String() string {
	if !s.Known() && s.Tail == 0 {
		return ""
	}
	parts := make([]string, 0, MaxRank+1)
	if !s.Known() {
		parts = append(parts, "...")
	}
	for _, d := range s.dims() {
		parts = append(parts, d.String())
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
