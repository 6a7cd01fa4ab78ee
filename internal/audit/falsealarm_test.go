package audit

import (
	"testing"

	"github.com/rlvet/rlvet/internal/audit/measure"
)

// alarms counts the clean runs, of so many, in which the worst signal warns, and those in
// which one alerts; by is how often each signal did.
func alarms(runs int) (warned, alerted int, by map[string]int) {
	by = map[string]int{}
	for seed := range uint64(runs) {
		level := OK
		for _, s := range Examine(clean(seed).run, Options{Rounds: 50}).Signals {
			if s.Level == Warn || s.Level == Alert {
				by[s.Name+" "+string(s.Level)]++
			}
			if s.Level == Alert || (s.Level == Warn && level == OK) {
				level = s.Level
			}
		}
		warned, alerted = warned+int(share(level == Warn)), alerted+int(share(level == Alert))
	}
	return warned, alerted, by
}

// TestFalseAlarms: a part of the clean runs gives no more false alarms than what is stated of
// all of them allows.
func TestFalseAlarms(t *testing.T) {
	const runs = 40
	warned, alerted, by := alarms(runs)
	stated := func(n int) float64 { return float64(n) / float64(FalseAlarms.Runs) }
	if w := measure.Wilson(float64(warned), runs); w.Low > stated(FalseAlarms.Warned) {
		t.Errorf("%d of %d clean runs warn: %v", warned, runs, by)
	}
	if a := measure.Wilson(float64(alerted), runs); a.Low > stated(FalseAlarms.Alerted) {
		t.Errorf("%d of %d clean runs alert: %v", alerted, runs, by)
	}
}

// BenchmarkFalseAlarms measures what FalseAlarms states: go test ./internal/audit -run none -bench FalseAlarms -benchtime 1x.
func BenchmarkFalseAlarms(b *testing.B) {
	for b.Loop() {
		warned, alerted, by := alarms(FalseAlarms.Runs)
		b.Logf("%d clean runs: %d warn, %d alert: %v", FalseAlarms.Runs, warned, alerted, by)
		if warned != FalseAlarms.Warned || alerted != FalseAlarms.Alerted {
			b.Errorf("FalseAlarms states %+v", FalseAlarms)
		}
	}
}
