package engine

import (
	"fmt"
	"time"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// Stats says what a check did. Times are summed over the workers.
type Stats struct {
	Modules int // parsed, imported ones included
	Skipped int // requested, but nothing in them concerns RL
	Bytes   int // parsed
	Bounded bool
	// Read is the time for reading files and resolving imports, as it passed.
	Read time.Duration
	// Parse is the time for parsing and lowering, Infer for values, Steps for the
	// other steps, Rules for the rules.
	Parse, Infer, Steps, Rules time.Duration
	// Values sums up what inference did and which bounds it hit.
	Values infer.Stats
}

func (s *Stats) spent(a *analysis.Analyzer, d time.Duration) {
	switch {
	case a == pass.Values:
		s.Infer += d
	case a.ResultType != nil:
		s.Steps += d
	default:
		s.Rules += d
	}
}

func (s *Stats) add(v infer.Stats) {
	s.Values.Evaluated += v.Evaluated
	s.Values.Frames += v.Frames
	s.Values.Memoised += v.Memoised
	s.Values.DepthHits += v.DepthHits
	s.Values.ContextHits += v.ContextHits
	s.Values.RoundHits += v.RoundHits
	s.Values.WorkHits += v.WorkHits
}

// Lines writes the statistics for people.
func (s *Stats) Lines() []string {
	ms := func(d time.Duration) string { return d.Round(time.Millisecond / 10).String() }
	lines := []string{
		fmt.Sprintf("%d modules, %d bytes parsed; %d files passed over: nothing in them concerns RL", s.Modules, s.Bytes, s.Skipped),
		fmt.Sprintf("time: read %s, parse %s, infer %s, other steps %s, rules %s", ms(s.Read), ms(s.Parse), ms(s.Infer), ms(s.Steps), ms(s.Rules)),
		fmt.Sprintf("inference: %d expressions, %d frames, %d calls answered by an earlier frame", s.Values.Evaluated, s.Values.Frames, s.Values.Memoised),
		fmt.Sprintf("bounds hit: depth %d, contexts %d, rounds %d, work %d", s.Values.DepthHits, s.Values.ContextHits, s.Values.RoundHits, s.Values.WorkHits),
	}
	if s.Bounded {
		lines = append(lines, "bounds hit: more modules are imported than are read")
	}
	return lines
}
