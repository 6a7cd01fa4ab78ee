package record

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestLongSeriesKeepTheirMean: however many values come, the points stay few and ascending,
// no value is lost, and the mean over all of them is that of the values.
func TestLongSeriesKeepTheirMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5*MaxPoints).Draw(t, "n")
		s, sum, bad := NewSeries("log.jsonl", "reward"), 0.0, int64(0)
		for step := range int64(n) {
			value := math.Sin(float64(step))
			if step%101 == 100 {
				value, bad = math.NaN(), bad+1
			} else {
				sum += value
			}
			s.Add(step, value)
		}
		count, total, before := int64(0), 0.0, int64(-1)
		for _, p := range s.Points {
			if p.Step <= before {
				t.Fatalf("step %d comes after %d", p.Step, before)
			}
			before, count, total = p.Step, count+p.Count, total+p.Value*float64(p.Count)
		}
		if len(s.Points) > MaxPoints || count+s.NonFinite != int64(n) || s.NonFinite != bad {
			t.Fatalf("%d points of %d values and %d that are not finite, of %d", len(s.Points), count, s.NonFinite, n)
		}
		if math.Abs(total-sum) > 1e-6*float64(n) {
			t.Fatalf("the sum is %v, want %v", total, sum)
		}
	})
}

// TestRestart: what was logged after the step that training went back to is dropped.
func TestRestart(t *testing.T) {
	s := NewSeries("log.jsonl", "reward")
	for step := range int64(10) {
		s.Add(step, 1)
	}
	s.Rewind(4)
	s.Add(4, 2)
	s.Add(4, 3)
	last, _ := s.Last()
	if len(s.Points) != 5 || last != (Point{Step: 4, Value: 3, Count: 1}) || len(s.Restarts) != 1 {
		t.Errorf("%v, restarts %v", s.Points, s.Restarts)
	}
}

// TestBroke: a column breaks where it was filled and then holds no number for some steps; one
// that is blank in most rows, and one that training went back behind, did not.
func TestBroke(t *testing.T) {
	column := func(values ...float64) *Series {
		s := NewSeries("log.csv", "loss")
		for step := range 40 {
			s.Add(int64(step), values[step*len(values)/40])
		}
		return s
	}
	nan := math.NaN()
	if s := column(1, nan); s.Broke != 20 || s.FirstNonFinite != 20 {
		t.Errorf("it broke at %d", s.Broke)
	}
	if s := column(nan, 1, nan, 1); s.Broke >= 0 {
		t.Errorf("blanks from the beginning broke at %d", s.Broke)
	}
	s := NewSeries("log.jsonl", "loss")
	for step := range 40 {
		if s.Add(int64(step), 1); step >= 20 {
			s.Miss(int64(step) + 1)
		}
	}
	if s.Missing != 20 || s.FirstMissing != 21 || s.Gone >= 0 || s.NonFinite != 0 {
		t.Errorf("one null between two numbers is no gap: %+v", s)
	}
	for step := range 10 {
		s.Miss(int64(step) + 50)
	}
	if s.Missing != 30 || s.Gone >= 0 {
		t.Errorf("a column that is null in many rows never breaks: %+v", s)
	}
	s = column(1, 1)
	for step := range 10 {
		s.Miss(int64(step) + 50)
	}
	if s.Gone != 50 || s.Broke >= 0 || s.NonFinite != 0 {
		t.Errorf("nulls are missing, row after row, and no NaN: %+v", s)
	}
	if s.Rewind(50); s.Gone >= 0 || s.Missing != 0 || s.FirstMissing >= 0 {
		t.Errorf("what was dropped still counts: %+v", s)
	}
	s = column(1, nan)
	s.Rewind(15)
	if s.Broke >= 0 || s.NonFinite != 0 || s.FirstNonFinite >= 0 {
		t.Errorf("what was dropped still counts: %+v", s)
	}
}
