package parse

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// damages are what typing, or a slip, does to a file.
var damages = []struct {
	name string
	do   func(r *rand.Rand, text []byte) []byte
}{
	{"a character removed", func(r *rand.Rand, text []byte) []byte {
		k := r.IntN(len(text))
		return append(bytes.Clone(text[:k]), text[k+1:]...)
	}},
	{"a bracket removed", func(r *rand.Rand, text []byte) []byte { return without(r, text, "()[]{}") }},
	{"an operator removed", func(r *rand.Rand, text []byte) []byte { return without(r, text, "=+-*.,:") }},
	{"a bracket added", func(r *rand.Rand, text []byte) []byte { return with(r, text, "([{)]}") }},
	{"a word broken off at a line's end", func(r *rand.Rand, text []byte) []byte {
		k := r.IntN(len(text))
		if n := bytes.IndexByte(text[k:], '\n'); n > 0 {
			return append(bytes.Clone(text[:k]), text[k+n:]...)
		}
		return text
	}},
	{"a strange character added", func(r *rand.Rand, text []byte) []byte { return with(r, text, "$?!`\x00\xff") }},
}

func without(r *rand.Rand, text []byte, chars string) []byte {
	for range 100 {
		if k := r.IntN(len(text)); bytes.IndexByte([]byte(chars), text[k]) >= 0 {
			return append(bytes.Clone(text[:k]), text[k+1:]...)
		}
	}
	return text
}

func with(r *rand.Rand, text []byte, chars string) []byte {
	k := r.IntN(len(text))
	return append(append(bytes.Clone(text[:k]), chars[r.IntN(len(chars))]), text[k:]...)
}

// statements counts the statements of m that were understood.
func statements(m *ast.Module) (n int) {
	ast.InspectStmts(m.Body, func(s ast.Stmt) bool {
		if _, bad := s.(*ast.BadStmt); !bad {
			n++
		}
		return true
	})
	return n
}

// TestDamageStaysLocal breaks files of the standard library at one place each,
// and counts the statements that are still understood. A file whose damage
// breaks a triple-quoted string may lose all that follows, as it does for
// CPython; so the mean is looked at.
func TestDamageStaysLocal(t *testing.T) {
	texts, _ := corpusTexts(t)
	p := New()
	defer p.Close()
	r := rand.New(rand.NewPCG(1, 2))
	for _, d := range damages {
		kept, files := 0.0, 0
		for i := 0; i < len(texts); i += 5 {
			if len(texts[i]) < 2000 {
				continue
			}
			whole := statements(mustParse(t, p, string(texts[i])))
			m := mustParse(t, p, string(d.do(r, texts[i])))
			if err := checkModule(m); err != nil {
				t.Fatal(err)
			}
			kept += min(1, float64(statements(m))/float64(whole))
			files++
		}
		share := kept / float64(files)
		t.Logf("%s: %.2f %% of the statements of %d files are kept", d.name, 100*share, files)
		if share < 0.97 {
			t.Errorf("%s: only %.2f %% of the statements are kept", d.name, 100*share)
		}
	}
}
