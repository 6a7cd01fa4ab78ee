package domaintest

import (
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"pgregory.net/rapid"
)

// What String writes, Parse reads, and the value matches it.
func TestRevealRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := genValue.Draw(t, "v")
		p, err := Parse(v.String())
		if err != nil {
			t.Fatalf("Parse(%q): %v", v, err)
		}
		if v.IsBottom() {
			return
		}
		if m := p.Mismatch(v); m != "" {
			t.Fatalf("%q does not match itself: %s", v, m)
		}
	})
}

func TestPatternsComparePartially(t *testing.T) {
	v := domain.Of(domain.Prob)
	v.Shape = domain.MakeShape(domain.Dim{N: -1, Axis: domain.AxisBatch}, domain.Dim{N: 4, Axis: domain.AxisAction})
	v.Range, v.Grad, v.Whose = domain.Between(domain.Zero, domain.One), domain.Attached, domain.Current
	for mark, match := range map[string]bool{
		"prob":               true,
		"prob[B,A]":          true,
		"prob[B,4]":          true,
		"prob[B,A:4]":        true,
		"prob[?,?]":          true,
		"[B,A]":              true,
		"attached":           true,
		">=0":                true,
		">=0 <=1":            true,
		"current prob":       true,
		"~derived":           true,
		"prob attached >=0":  true,
		"logits":             false,
		"prob|logits":        false,
		"unknown":            false,
		"prob[B]":            false,
		"prob[A,B]":          false,
		"prob[B,5]":          false,
		"prob[]":             false,
		"detached":           false,
		"!=0":                false,
		"old prob":           false,
		"mean-all":           false,
		"prob ~name-only":    false,
		"prob[B,A] detached": false,
		"prob[B,A] attached": true,
		"prob[B,A] >=0 !=0":  false,
		"current|old prob":   false,
		"unknown-grad":       false,
		"prob[B,G:4]":        false,
		"prob[B,s3]":         false,
		"unreduced":          false,
		"prob <=1 >=-1":      false,
		"prob[B,A:4] >=0 ~derived current attached": true,
	} {
		p, err := Parse(mark)
		if err != nil {
			t.Errorf("Parse(%q): %v", mark, err)
			continue
		}
		if p.Match(v) != match {
			t.Errorf("%q matches %q: %v, want %v", mark, v, p.Match(v), match)
		}
	}
}

func TestBadMarksSayWhatIsWrong(t *testing.T) {
	for mark, want := range map[string]string{
		"":            "states nothing",
		"probability": `unknown kind "probability"`,
		"prob[B":      "do not end with ']'",
		"prob[X]":     `unknown dim "X"`,
		"prob[B:]":    "",
		"prob[,]":     `unknown dim ""`,
		"prob[-1]":    `unknown dim "-1"`,
		">=2":         `unknown kind ">=2"`,
		"~sure":       `unknown evidence "sure"`,
		"[1,2,3,4,5]": "more than 4 dims",
		"prob extra":  `unknown kind "extra"`,
	} {
		_, err := Parse(mark)
		if want == "" {
			if err != nil {
				t.Errorf("Parse(%q): %v", mark, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): %v, want %q", mark, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"prob[B,A] detached", "old log-prob[s7,G:8] >=0 !=0 ~name-only", "[", "[]", "?", "mean-all|sum-dim"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, mark string) {
		p, err := Parse(mark)
		if err == nil && p.Match(domain.Value{}) && p.Match(domain.Unknown) && p.Match(domain.Of(domain.Prob)) && p.Match(domain.Of(domain.Loss)) && p.parts[partKind] {
			t.Fatalf("%q states a kind and matches everything", mark)
		}
	})
}

// genValue draws values of every part that the notation writes.
var genValue = rapid.Custom(func(t *rapid.T) domain.Value {
	number := func(name string, most int) int { return rapid.IntRange(0, most).Draw(t, name) }
	v := domain.Value{
		Whose: domain.Whose(number("whose", 15)), Grad: domain.Grad(number("grad", int(domain.GradUnknown))),
		Reduced: domain.Reduced(number("reduced", 127)), Evidence: domain.Evidence(number("evidence", int(domain.NameOnly))),
		Kind: rapid.SampledFrom([]domain.Kind{0, domain.Prob, domain.Logits | domain.Raw, domain.Ratio, domain.UnknownKind}).Draw(t, "kind"),
	}
	lo, hi := number("lo", 4)-2, number("hi", 4)-2
	v.Range = domain.Between(domain.Bound(min(lo, hi)), domain.Bound(max(lo, hi)))
	if (lo != 0 || hi != 0) && rapid.Bool().Draw(t, "away from 0") {
		v.Range = v.Range.AwayFromZero()
	}
	if rapid.Bool().Draw(t, "shaped") {
		var dims []domain.Dim
		for range number("rank", domain.MaxRank) {
			d := domain.Dim{N: -1, Axis: domain.Axis(number("axis", int(domain.AxisFeature)))}
			if rapid.Bool().Draw(t, "sized") {
				d.N = int32(number("n", 4))
			} else {
				d.Sym = uint32(number("sym", 3))
			}
			dims = append(dims, d)
		}
		v.Shape = domain.MakeShape(dims...)
	}
	return v
})
