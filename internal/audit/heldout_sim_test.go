package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/measure"
	"github.com/rlvet/rlvet/internal/audit/record"
)

// evaluated is a run whose reward rises, with so many evaluations of a held-out score that
// follows a path. An evaluation is a number of the log, with noise of variance 1 of which the
// next one keeps a part (memory); or, judged, the win rate over 64 prompts of which some are
// easier than others, with the path as the logarithm of the odds.
type evaluated struct {
	evaluations int
	memory      float64
	judged      bool
	path        func(x float64) float64
}

func (e evaluated) run(seed uint64) *record.Run {
	random := rand.New(rand.NewPCG(seed, 11))
	proxy, held := record.NewSeries("log", "reward"), record.NewSeries("log", "eval")
	proxy.Quantity, proxy.Unit = record.Reward, record.Points
	held.Quantity, held.Unit = record.HeldOut, record.Points
	run := &record.Run{Dir: "/run", Series: []*record.Series{proxy, held}}
	ease := make([]float64, 64)
	for p := range ease {
		ease[p] = random.NormFloat64()
	}
	noise := random.NormFloat64()
	each := max(1, 400/e.evaluations) // values of the reward from evaluation to evaluation
	for i := range e.evaluations * each {
		step, x := int64(10*i), float64(i)/float64(e.evaluations*each-1)
		proxy.Add(step, rising(0, 2)(x)+0.15*random.NormFloat64())
		switch {
		case i%each != each-1:
		case e.judged:
			for p := range ease {
				won := random.Float64() < 1/(1+math.Exp(-e.path(x)-ease[p]))
				run.Judgements.Preferences = append(run.Judgements.Preferences, record.Preference{Step: step, Prompt: fmt.Sprint(p), Outcome: record.Outcome(2*share(won) - 1)})
			}
		default:
			noise = e.memory*noise + math.Sqrt(1-e.memory*e.memory)*random.NormFloat64()
			held.Add(step, e.path(x)+noise)
		}
	}
	return run
}

// alarms are the shares of so many runs in which the reward and the held-out score are said to
// part, by a warning or an alert, and by an alert.
func (e evaluated) alarms(runs int) (either, alert measure.Interval) {
	warned, alerted := 0.0, 0.0
	for seed := range uint64(runs) {
		s := proxyAgainstHeldOut(newEvidence(e.run(seed), Options{Rounds: 400}))
		warned, alerted = warned+share(s.Level == Warn || s.Level == Alert), alerted+share(s.Level == Alert)
	}
	return measure.Wilson(warned, runs), measure.Wilson(alerted, runs)
}

// TestHeldOutAlarms: of evaluations that are alike but for noise few are said to fall, however
// many there are; of ones that fall by eight times the noise most are.
func TestHeldOutAlarms(t *testing.T) {
	for _, n := range []int{12, 50, 300} {
		if either, _ := (evaluated{evaluations: n, path: flat(0)}).alarms(40); either.Low > rarely {
			t.Errorf("%d evaluations: %v of the runs that do not fall", n, either.Value)
		}
	}
	if either, alert := (evaluated{evaluations: 50, path: func(x float64) float64 { return -8 * share(x > 0.5) }}).alarms(40); either.Value < 0.8 || alert.Value < 0.6 {
		t.Errorf("%v warn and %v alert of the runs that fall", either.Value, alert.Value)
	}
}

// BenchmarkHeldOut measures what docs/benchmarks/audit.md says of held-out scores:
// go test ./internal/audit -run none -bench HeldOut -benchtime 1x.
func BenchmarkHeldOut(b *testing.B) {
	falls := []struct {
		name string
		path func(by float64) func(x float64) float64
	}{
		{"at once", func(by float64) func(x float64) float64 {
			return func(x float64) float64 { return -by * share(x > 0.5) }
		}},
		{"slowly", func(by float64) func(x float64) float64 {
			return func(x float64) float64 { return -by * max(0, 2*x-1) }
		}},
	}
	lines := "\n"
	show := func(name string, e evaluated, runs int) {
		either, alert := e.alarms(runs)
		lines += fmt.Sprintf("%s, %d evaluations, memory %v: %.1f %% (%.1f to %.1f), %.1f %% (%.1f to %.1f) alert\n", name, e.evaluations, e.memory,
			100*either.Value, 100*either.Low, 100*either.High, 100*alert.Value, 100*alert.Low, 100*alert.High)
	}
	for b.Loop() {
		for _, n := range []int{5, 12, 50, 100, 300} {
			for _, memory := range []float64{0, 0.5, 0.8} {
				show("logged, flat", evaluated{n, memory, false, flat(0)}, 1000)
			}
			for _, f := range falls {
				show("logged, falls by 8 "+f.name, evaluated{n, 0, false, f.path(8)}, 300)
			}
			if n <= 100 { // people do not judge more
				show("judged, flat", evaluated{n, 0, true, flat(0)}, 300)
				for _, f := range falls { // of 0.75 to 0.33
					show("judged, falls "+f.name, evaluated{n, 0, true, func(x float64) float64 { return 1.2 + f.path(2)(x) }}, 100)
				}
			}
		}
		fmt.Print(lines) // the testing package cuts a longer log
	}
}
