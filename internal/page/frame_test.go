package page

import (
	"slices"
	"testing"
)

// TestTicks: the labels are short, and tell the ticks apart.
func TestTicks(t *testing.T) {
	labels := func(ticks []tick) (out []string) {
		for _, k := range ticks {
			out = append(out, k.label)
		}
		return out
	}
	for _, c := range []struct {
		got  []tick
		want []string
	}{
		{numbers(0, 1, 0, 6), []string{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}},
		{numbers(-1, 2, 0, 6), []string{"-1", "0", "1", "2"}},
		{numbers(0, 2, 1, 6), []string{"0", "1", "2"}},
		{numbers(0, 2990, 1, 6), []string{"0", "500", "1000", "1500", "2000", "2500"}},
		{numbers(0, 3e6, 1, 6), []string{"0", "1e6", "2e6", "3e6"}},
		{numbers(123456.1, 123456.3, 0, 6), []string{"123456.10", "123456.15", "123456.20", "123456.25", "123456.30"}},
		{numbers(1e-7, 3e-7, 0, 6), []string{"1.0e-7", "1.5e-7", "2.0e-7", "2.5e-7", "3.0e-7"}},
		{numbers(-1e300, 1e300, 0, 6), []string{"-1.0e300", "-5e299", "0", "5e299", "1.0e300"}},
		{powers(0.01, 1e5), []string{"0.01", "1", "100", "1e4"}},
		{powers(2, 5), []string{"2", "3", "4", "5"}},
	} {
		if got := labels(c.got); !slices.Equal(got, c.want) {
			t.Errorf("the labels are %q, want %q", got, c.want)
		}
	}
}
