package parse

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPartsAreTheWhole: with what earlier texts of a file left, the tree is the very one
// that the text has without; in sound texts, as they are typed, and in broken ones.
func TestPartsAreTheWhole(t *testing.T) {
	texts, _ := corpusTexts(t)
	whole, byParts := New(), New()
	defer whole.Close()
	defer byParts.Close()
	r := rand.New(rand.NewPCG(3, 4))
	reused := 0
	for i := 0; i < len(texts); i += 12 {
		if len(texts[i]) == 0 {
			continue
		}
		byParts.Keep(&Kept{})
		edits := [][]byte{texts[i], typed(r, texts[i]), typed(r, texts[i])}
		for _, d := range damages {
			edits = append(edits, d.do(r, texts[i]))
		}
		for _, text := range edits {
			a, b := mustParse(t, whole, string(text)), mustParse(t, byParts, string(text))
			if !slices.Equal(whole.arena, byParts.arena) || !slices.Equal(a.Errors, b.Errors) || a.NumNodes != b.NumNodes {
				t.Fatalf("the trees differ for\n%s", text)
			}
		}
		reused += len(*byParts.kept.parts.Load())
	}
	if files := len(texts) / 12; reused < 5*files {
		t.Errorf("only %d parts of %d files are kept", reused, files)
	}
}

// typed returns a text with a line more, indented like the one behind.
func typed(r *rand.Rand, text []byte) []byte {
	at := r.IntN(len(text))
	if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
		at += n + 1
	}
	rest := text[at:]
	blanks := rest[:len(rest)-len(bytes.TrimLeft(rest, " "))]
	return slices.Concat(text[:at], blanks, []byte("x = [1,\n 2]\n"), rest)
}

// TestKeptIsBounded: what is left is that of the last text.
func TestKeptIsBounded(t *testing.T) {
	p, kept := New(), &Kept{}
	defer p.Close()
	p.Keep(kept)
	for _, text := range []string{"def f():\n    pass\ndef g():\n    pass\n", "x = 1\n@d\ndef h():\n    pass\n", "y = 1\n"} {
		if _, err := p.Parse(context.Background(), "x.py", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(*kept.parts.Load()); n != 1 {
		t.Errorf("%d parts are kept", n)
	}
}

// BenchmarkKeep types into a file that an editor has open.
func BenchmarkKeep(b *testing.B) {
	texts, _ := corpusTexts(b)
	text := texts[0]
	for _, t := range texts {
		if len(t) > len(text) && len(t) < 100_000 {
			text = t
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	p := New()
	defer p.Close()
	p.Keep(&Kept{})
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := p.Parse(context.Background(), "x.py", typed(r, text)); err != nil {
			b.Fatal(err)
		}
	}
}
