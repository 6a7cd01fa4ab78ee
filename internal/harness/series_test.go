package harness

import (
	"context"
	"testing"
)

// plotting keeps two numbers of each evaluation; one is not finite now and then.
const plotting = `"""TST002: numbers for plots."""
from rlvet_harness import Probe


class Plotting(Probe):
    def hit(self, hit):
        self.plot(number=hit.value, quotient=float("inf") if hit.index % 2 else hit.index / 3)
`

// TestSeries: of a long run few numbers are told, from its whole length, and all of them
// are finite.
func TestSeries(t *testing.T) {
	p := planOf(t, "for i in range(5000):\n    x = «-i»\n")
	p.Targets[0].Probe = plotting
	r, err := Run(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	series := r.Targets[0].Seeds[0].Series
	if len(series) != 2 || series[0].Name != "number" || series[1].Name != "quotient" {
		t.Fatalf("series are %v", series)
	}
	for _, s := range series {
		n := len(s.Points)
		if n < 50 || n > 100 || s.Points[0][0] != 0 || s.Points[n-1][0] < 4500 {
			t.Errorf("%s: %d points, from %v to %v", s.Name, n, s.Points[0], s.Points[n-1])
		}
	}
	for _, at := range series[0].Points {
		if len(at) != 3 || at[2] != -at[0] {
			t.Fatalf("at %v, want the evaluation, its step and -evaluation", at)
		}
	}
}
