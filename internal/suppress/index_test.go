package suppress

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/source"
)

// covers and names are what hiding means, said for one directive; the index has
// to find the same.
func (d *resolved) covers(row int) bool {
	return d.Kind == WholeFile || d.Kind != Malformed && d.First <= row && row <= d.Last
}

func (d *resolved) names(code string) bool {
	return slices.Contains(d.covered(), code) || slices.Contains(d.covered(), "")
}

// The index answers as a search through all directives does: the first in the
// text of those for the finding's rows, else the first of those for the file.
func TestIndexIsTheDefinition(t *testing.T) {
	registry, _ := rules(t)
	line := rapid.SampledFrom([]string{
		"x.std()", "f(", ")", "", "'''", "y = 1 + \\", "# rlvet: ignore[ADV009] a", "# rlvet: ignore[KL016, ADV009] b",
		"g(  # noqa", "x  # noqa: ADV009", "# rlvet: ignore-file[KL016] e", "# rlvet: ignore[XXX] f", "# rlvet: ingore[ADV009]",
	})
	rapid.Check(t, func(r *rapid.T) {
		lines := rapid.SliceOfN(line, 1, 12).Draw(r, "lines")
		a := &applier{options: Options{Rules: registry}}
		for _, d := range Parse(file(t, "a.py", strings.Join(lines, "\n"))) {
			a.directives = append(a.directives, a.resolve(d))
		}
		ix := newIndex(a.directives)
		for first := range len(lines) + 2 {
			for noqa := range len(lines) + 2 {
				for _, code := range []string{"ADV009", "KL016"} {
					var want *resolved
					for _, whole := range []bool{false, true} {
						for _, d := range a.directives {
							if want == nil && (d.Kind == WholeFile) == whole && (d.covers(first) || d.covers(noqa)) && d.names(code) {
								want = d
							}
						}
					}
					if got := ix.find(code, first, noqa); got != want {
						r.Fatalf("rows %d and %d, %s: found %+v, want %+v", first, noqa, code, got, want)
					}
				}
			}
		}
	})
}

// generated is a file with n comments, every second of which hides a finding.
func generated(t testing.TB, comment string, n int) (*source.File, []finding.Finding) {
	t.Helper()
	var b strings.Builder
	for i := range n {
		call := "std"
		if i%2 == 0 {
			call = "sum"
		}
		fmt.Fprintf(&b, "x%d.%s()  %s\n", i, call, comment)
	}
	f := file(t, "train.py", b.String())
	return f, findings(f)
}

var comments = map[string]string{"noqa": "# noqa: ADV009", "ignore": "# rlvet: ignore[ADV009] why"}

// Twice the comments and findings are twice the work. Work is counted in bytes
// of memory: what copied the text for each comment was quadratic in them.
func TestWorkIsLinear(t *testing.T) {
	registry, enabled := rules(t)
	for name, comment := range comments {
		t.Run(name, func(t *testing.T) {
			work := func(n int) uint64 {
				f, list := generated(t, comment, n)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				o := Apply(f, list, Options{Rules: registry, Enabled: enabled})
				runtime.ReadMemStats(&after)
				if len(o.Kept) != n/2 || len(o.Suppressed) != n/2 {
					t.Fatalf("%d kept, %d suppressed of %d", len(o.Kept), len(o.Suppressed), n)
				}
				return after.TotalAlloc - before.TotalAlloc
			}
			if few, many := work(2000), work(16000); many > 12*few {
				t.Errorf("8 times the comments took %.1f times the memory: %d and %d bytes", float64(many)/float64(few), few, many)
			}
		})
	}
}

func BenchmarkApply(b *testing.B) {
	registry, enabled := rules(b)
	for name, comment := range comments {
		for _, n := range []int{4000, 40000} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				f, list := generated(b, comment, n)
				for b.Loop() {
					Apply(f, list, Options{Rules: registry, Enabled: enabled})
				}
			})
		}
	}
}
