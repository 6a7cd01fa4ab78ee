package harness

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rlvet/rlvet/internal/torchtest"
)

// BenchmarkInstruments runs the training of BenchmarkOverhead plainly and under the
// instruments of a hunt, in turns, and reports the median of the ratios of the processor
// time of their loops: under the guards alone, and with every operation watched in every
// step, which a hunt does for the steps around a failure only.
func BenchmarkInstruments(b *testing.B) {
	every := map[string]any{"from": 0, "to": 1 << 20}
	for _, c := range []struct {
		name        string
		instruments []Instrument
	}{
		{"guards", []Instrument{{Name: "hunt.guards"}}},
		{"everything", []Instrument{{Name: "hunt.guards"}, {Name: "hunt.localise", Settings: every}}},
	} {
		b.Run(c.name, func(b *testing.B) { compareWithPlain(b, c.instruments) })
	}
}

func compareWithPlain(b *testing.B, instruments []Instrument) {
	p := planOf(b, training)
	python := torchtest.Python(b, "the overhead is NOT measured")
	var err error
	if p.Python, err = FindPython(b.Context(), python, p.Root); err != nil {
		b.Fatal(err)
	}
	p.Targets, p.Instruments, p.Limits.Timeout = nil, instruments, 10*time.Minute
	var ratios []float64
	for b.Loop() {
		p.Kept = b.TempDir()
		r, err := Run(b.Context(), p)
		if err != nil {
			b.Fatal(err)
		}
		if run := r.Runs[0]; len(run.InstrumentErrors)+len(run.Failures) > 0 {
			b.Fatal(run.InstrumentErrors, run.Failures)
		}
		ratios = append(ratios, secondsIn(b, r.Runs[0].Output)/plainly(b, python, p.Root))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "watched/plain")
	b.ReportMetric(ratios[0], "least")
	b.ReportMetric(ratios[len(ratios)-1], "most")
}

// plainly runs the program without the harness; returns the seconds of its loop.
func plainly(b *testing.B, python, root string) float64 {
	b.Helper()
	plain := exec.Command(python, filepath.Join(root, "main.py"))
	plain.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	out, err := plain.Output()
	if err != nil {
		b.Fatal(err)
	}
	return secondsIn(b, string(out))
}
