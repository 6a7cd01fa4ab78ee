package parse

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// hard are inputs that cost the most for their size, by what makes them so. A
// text is its first part, then the second as often as a MiB takes, then the
// third.
var hard = []struct {
	name, before, unit, after string
	valid                     bool
}{
	{"usual code", "", "def f(self, a, b=1):\n    x = self.g(a)[b:2] + [c for c in d if c]\n    return {'k': x, **e}\n\n", "", true},
	{"one digit a line", "", "x=1\n", "", true},
	{"one name a statement", "", "a;", "\n", true},
	{"one call a line", "", "a(b)\n", "", true},
	{"table of digits", "x = [", "1,", "]\n", true},
	{"table of numbers", "x = [\n", "-0.1234, 1.5678, 0.9012,\n", "]\n", true},
	{"list of lists", "x = [", "[1,2],", "]\n", true},
	{"minified", "", "a=b[1];c(d,e=f)+g;h=[i for i in j if k];", "\n", true},
	{"strings with escapes", "x = (\n", "b'\\x00\\x7f\\xff'\n", ")\n", true},
	{"f-strings", "", "f'{a}{b}'\n", "", true},
	{"comments in a block", "def f():\n  x\n", "  # c\n", "  y\n", true},
	{"backslash-newlines", "x = 1 + ", "\\\n", "2\n", true},
	{"long sum over lines", "x = ", "a+\\\n", "2\n", true},
	{"brackets left open", "x=", "[", "", false},
	{"brackets left open a line", "", "x=[[[[[[[[\n", "", false},
	{"unterminated triple quote", "a=1\nx='''", "abc def\n", "", false},
	{"unterminated f-strings", "", "f'{", "", false},
	{"a slip a function", "", "def f(a):\n    x = = 2\n    return a[1]\n", "", false},
	{"C", "", "static int f(struct a *b, int c) {\n  if (b->x && c > 3) { return b->y[c]; }\n  return 0;\n}\n", "", false},
	{"HTML", "", "<div class=\"a\"><p>It's text, isn't it?</p></div>\n", "", false},
	{"prose", "", "The quick brown fox doesn't jump over the lazy dog; in 1999 (see above) it did!\n", "", false},
	{"differences", "", "+x = 1\n-x = 2\n@@ -1 +1 @@\n", "", false},
	{"words", "", "a b c\n", "", false},
	{"empty dicts side by side", "x=", "{}", "\n", false},
	{"dots", "", ".", "", false},
}

func (p *Parser) hard(n int, before, unit, after string) (lost bool, err error) {
	text := before + strings.Repeat(unit, max(1, (n-len(before)-len(after))/len(unit))) + after
	_, err = p.Parse(context.Background(), "hard.py", []byte(text))
	if errors.Is(err, ErrLimit) {
		return true, nil
	}
	return false, err
}

// Valid source is never given up, however dense it is and whatever else the
// machine does.
func TestDenseSourceIsParsed(t *testing.T) {
	p := New()
	defer p.Close()
	for _, c := range hard {
		if c.valid {
			if lost, err := p.hard(256<<10, c.before, c.unit, c.after); lost || err != nil {
				t.Errorf("%s: gave up: %v, %v", c.name, lost, err)
			}
		}
	}
}

// BenchmarkHard reports the processor time of tree-sitter for a MiB, and 1 under
// lost where the file was given up.
func BenchmarkHard(b *testing.B) {
	for _, c := range hard {
		b.Run(strings.ReplaceAll(c.name, " ", "_"), func(b *testing.B) {
			p := New()
			defer p.Close()
			lost := 0.0
			for b.Loop() {
				gone, err := p.hard(1<<20, c.before, c.unit, c.after)
				if err != nil {
					b.Fatal(err)
				}
				if gone {
					lost = 1
				}
			}
			b.ReportMetric(p.spent.Seconds(), "tree-s/MiB")
			b.ReportMetric(lost, "lost")
		})
	}
}
