package record

import (
	"math"
	"slices"
)

// MaxPoints bounds the points of a Series.
const MaxPoints = 8192

// Series is one metric over the steps of training.
type Series struct {
	// Source is the file, Name the logger's name for it.
	Source, Name string
	// Quantity and Unit are "" where the name is not known.
	Quantity Quantity
	Unit     Unit
	// Basis says how the logger computes it, where that matters: "k3, mean over tokens";
	// Trap what that hides: "pads are in the mean". Both may be "".
	Basis, Trap string
	// Evaluation says that it was computed on the prompts or episodes of an evaluation.
	Evaluation bool
	// Points are ascending in Step. A point that merges several carries their mean.
	Points []Point
	// NonFinite counts the NaN and infinities, which are not among the points;
	// FirstNonFinite is the step of the first, -1 for none.
	NonFinite      int64
	FirstNonFinite int64
	// Broke is the step from which on the values of several steps in a row were not finite where nearly all
	// before had been, -1 for none: a column that is blank in most rows never breaks.
	Broke int64
	// Missing counts the values that stand in the log as null, FirstMissing is the step of the first, -1
	// for none. Gone is to them what Broke is to those that are not finite.
	Missing      int64
	FirstMissing int64
	Gone         int64
	// Restarts are the steps that training went back to; what had been logged from there on
	// was dropped.
	Restarts []int64

	width  int64 // logged values per point
	finite int64 // values that are finite
	run    gap   // of values that are not finite
	blank  gap   // of missing ones
}

// gap is the stretch of values without a number which is open.
type gap struct {
	from, last int64
	steps      int64
	after      bool // nearly all values before it were finite
}

// goesOn counts a value without a number, and reports whether these are now more than a slip.
// sound says that nearly all before were numbers.
func (g *gap) goesOn(step int64, sound bool) bool {
	if g.steps == 0 {
		*g = gap{from: step, last: step - 1, after: sound}
	}
	if step > g.last {
		g.last, g.steps = step, g.steps+1
	}
	return g.steps == broken && g.after
}

// broken is the number of steps in a row without a finite value that is more than a slip, and of
// finite values before them that make a column.
const broken = 5

// Point is a value of a series at a step; Count values were merged into it.
type Point struct {
	Step  int64
	Value float64
	Count int64
}

// NewSeries returns an empty one.
func NewSeries(source, name string) *Series {
	return &Series{Source: source, Name: name, FirstNonFinite: -1, Broke: -1, FirstMissing: -1, Gone: -1, width: 1}
}

// Last returns the last point, and whether there is one.
func (s *Series) Last() (Point, bool) {
	if len(s.Points) == 0 {
		return Point{}, false
	}
	return s.Points[len(s.Points)-1], true
}

// Add appends a value. Steps are to be ascending: a step that is not above the last one
// replaces it where it is equal; Rewind is for those that go back. Where there are more than
// MaxPoints points, neighbours are merged to their mean, so that memory is bounded whatever
// the length of the log.
func (s *Series) Add(step int64, value float64) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		s.notFinite(step)
		return
	}
	s.finite++
	s.run, s.blank = gap{}, gap{}
	if last := len(s.Points) - 1; last >= 0 {
		switch p := &s.Points[last]; {
		case p.Step == step && p.Count == 1:
			p.Value = value
			return
		case p.Count < s.width:
			p.Value += (value - p.Value) / float64(p.Count+1)
			p.Step, p.Count = step, p.Count+1
			return
		}
	}
	if len(s.Points) == MaxPoints {
		s.halve()
	}
	s.Points = append(s.Points, Point{Step: step, Value: value, Count: 1})
}

// notFinite counts a value that is no number.
func (s *Series) notFinite(step int64) {
	if s.run.goesOn(step, s.finite >= broken && s.NonFinite <= s.finite/10) && s.Broke < 0 {
		s.Broke = s.run.from
	}
	s.NonFinite++
	if s.FirstNonFinite < 0 {
		s.FirstNonFinite = step
	}
}

// Miss counts a value that stands in the log as null: there is none, or its writer has no word for
// what it is.
func (s *Series) Miss(step int64) {
	if s.blank.goesOn(step, s.finite >= broken && s.Missing <= s.finite/10) && s.Gone < 0 {
		s.Gone = s.blank.from
	}
	s.Missing++
	if s.FirstMissing < 0 {
		s.FirstMissing = step
	}
}

// Rewind drops what was logged at step and after it: training went back to there.
func (s *Series) Rewind(step int64) {
	if s.FirstNonFinite >= step {
		s.NonFinite, s.FirstNonFinite = 0, -1
	}
	if s.Broke >= step {
		s.Broke = -1
	}
	if s.FirstMissing >= step {
		s.Missing, s.FirstMissing = 0, -1
	}
	if s.Gone >= step {
		s.Gone = -1
	}
	s.run, s.blank = gap{}, gap{}
	keep := len(s.Points)
	for keep > 0 && s.Points[keep-1].Step >= step {
		keep--
	}
	s.Points = s.Points[:keep]
	s.Restarts = append(s.Restarts, step)
}

// Splice puts the points of an older series before those of s, as far as they are below step:
// the older one was logged until training went on, from there, into s.
func (s *Series) Splice(older *Series, step int64) {
	keep := 0
	for keep < len(older.Points) && older.Points[keep].Step < step {
		keep++
	}
	s.Points = append(slices.Clone(older.Points[:keep]), s.Points...)
	s.width = max(s.width, older.width)
	for len(s.Points) > MaxPoints {
		s.halve()
	}
	if older.FirstNonFinite >= 0 && older.FirstNonFinite < step {
		s.NonFinite += older.NonFinite
		s.FirstNonFinite = older.FirstNonFinite
	}
	if older.Broke >= 0 && older.Broke < step {
		s.Broke = older.Broke
	}
	if older.FirstMissing >= 0 && older.FirstMissing < step {
		s.Missing += older.Missing
		s.FirstMissing = older.FirstMissing
	}
	if older.Gone >= 0 && older.Gone < step {
		s.Gone = older.Gone
	}
	s.Restarts = append(slices.Clone(older.Restarts), s.Restarts...)
	if last, ok := older.Last(); ok && last.Step >= step {
		s.Restarts = append(s.Restarts, step)
	}
}

// halve merges neighbours pair by pair.
func (s *Series) halve() {
	merged := s.Points[:0]
	for i := 0; i+1 < len(s.Points); i += 2 {
		a, b := s.Points[i], s.Points[i+1]
		n := a.Count + b.Count
		value := a.Value + (b.Value-a.Value)*float64(b.Count)/float64(n)
		merged = append(merged, Point{Step: b.Step, Value: value, Count: n})
	}
	if n := len(s.Points); n%2 == 1 {
		merged = append(merged, s.Points[n-1])
	}
	s.Points = merged
	s.width *= 2
}
