package engine

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	// ByAnalyzer is the time of each step and rule, by name.
	ByAnalyzer map[string]time.Duration
	// Values sums up what inference did and which bounds it hit.
	Values infer.Stats
}

func (s *Stats) spent(a *analysis.Analyzer, d time.Duration) {
	if s.ByAnalyzer == nil {
		s.ByAnalyzer = map[string]time.Duration{}
	}
	s.ByAnalyzer[a.Name] += d
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
	s.Values.CompareHits += v.CompareHits
	s.Values.LossHits += v.LossHits
}

func ms(d time.Duration) string { return d.Round(time.Millisecond / 10).String() }

// slowest names the analyzers that took longest, inference aside, which has a
// number of its own.
func (s *Stats) slowest(n int) []string {
	names := slices.Collect(maps.Keys(s.ByAnalyzer))
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(s.ByAnalyzer[b], s.ByAnalyzer[a]), cmp.Compare(a, b))
	})
	var out []string
	for _, name := range names {
		if name != pass.Values.Name && len(out) < n {
			out = append(out, name+" "+ms(s.ByAnalyzer[name]))
		}
	}
	return out
}

// Lines writes the statistics for people.
func (s *Stats) Lines() []string {
	lines := []string{
		fmt.Sprintf("modules parsed: %d, of %d bytes in all; files passed over, since nothing in them concerns RL: %d", s.Modules, s.Bytes, s.Skipped),
		fmt.Sprintf("time: read %s, parse %s, infer %s, other steps %s, rules %s", ms(s.Read), ms(s.Parse), ms(s.Infer), ms(s.Steps), ms(s.Rules)),
		fmt.Sprintf("inference: %d expressions, %d frames, %d calls answered by an earlier frame", s.Values.Evaluated, s.Values.Frames, s.Values.Memoised),
	}
	if bounds := s.Bounds(); len(bounds) > 0 {
		lines = append(lines, "bounds hit: "+strings.Join(bounds, ", "))
	}
	if slow := s.slowest(5); len(slow) > 0 {
		lines = append(lines, "slowest: "+strings.Join(slow, ", "))
	}
	return lines
}

// Bounds says which bounds were hit, and how often: what lies behind them was not looked at.
func (s *Stats) Bounds() []string {
	out := []string{}
	for _, b := range []struct {
		what string
		hits int
	}{
		{"depth of calls", s.Values.DepthHits}, {"contexts of a function", s.Values.ContextHits}, {"rounds of a loop", s.Values.RoundHits},
		{"work in a module", s.Values.WorkHits}, {"comparisons of values", s.Values.CompareHits},
		{"values behind losses", s.Values.LossHits},
	} {
		if b.hits > 0 {
			out = append(out, fmt.Sprintf("%s %d", b.what, b.hits))
		}
	}
	if s.Bounded {
		out = append(out, "more modules are imported than are read")
	}
	return out
}
