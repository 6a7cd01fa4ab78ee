package watch

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

var seconds = regexp.MustCompile(`seconds ([0-9.]+)`)

// BenchmarkOverhead runs the same PPO with five places watched and without rlvet, in turns, and
// reports the median of the ratios of the processor time of their loops.
func BenchmarkOverhead(b *testing.B) {
	for _, width := range []string{"64", "256"} {
		b.Run("width "+width, func(b *testing.B) {
			r := requested(b, "bench.py", []int{0}, "bench.py:31", "bench.py:32", "bench.py:34", "bench.py:35", "bench.py:37")
			r.Plan.Args = []string{width}
			var ratios []float64
			for b.Loop() {
				seen, err := Run(b.Context(), r)
				if err != nil {
					b.Fatal(err)
				}
				for _, p := range seen.Places {
					if len(p.Values) != 176 {
						b.Fatalf("%s: %d evaluations, %s", p.Text, len(p.Values), p.Doubt)
					}
				}
				ratios = append(ratios, secondsIn(b, seen.Runs[0].Output)/plainly(b, r.Python, width))
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "watched/plain")
			b.ReportMetric(ratios[0], "least")
			b.ReportMetric(ratios[len(ratios)-1], "most")
		})
	}
}

// plainly runs the program without rlvet; returns the seconds of its loop.
func plainly(b *testing.B, python, width string) float64 {
	b.Helper()
	plain := exec.Command(python, filepath.Join("testdata", "bench.py"), width)
	plain.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	out, err := plain.Output()
	if err != nil {
		b.Fatal(err)
	}
	return secondsIn(b, string(out))
}

func secondsIn(b *testing.B, output string) float64 {
	b.Helper()
	m := seconds.FindStringSubmatch(output)
	if m == nil {
		b.Fatalf("the program did not say how long it took:\n%s", output)
	}
	s, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		b.Fatal(err)
	}
	return s
}
