package audit

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/words"
)

// border is a value that a signal must not cross for long.
type border struct {
	level Level
	at    float64
	below bool // alerts below it rather than above
}

func warnOver(at float64) border   { return border{level: Warn, at: at} }
func alertOver(at float64) border  { return border{level: Alert, at: at} }
func warnUnder(at float64) border  { return border{level: Warn, at: at, below: true} }
func alertUnder(at float64) border { return border{level: Alert, at: at, below: true} }

func (b border) sign() float64 {
	if b.below {
		return -1
	}
	return 1
}

// String is the border in words: "> 10".
func (b border) String() string {
	if b.below {
		return "< " + short(b.at)
	}
	return "> " + short(b.at)
}

// test is a curve with what it is held against, and what to say of it.
type test struct {
	curve   curve
	borders []border
	// basis says where the borders come from.
	basis string
	// what names the value of the curve ("KL to the reference"); hurts says why too much of
	// it is bad for training, help what to do.
	what, hurts, help string
	// hurtsBelow and helpBelow say the same of too little, where that is another thing.
	hurtsBelow, helpBelow string
	// share says that the curve is a multiple of its start: it is judged by its logarithm,
	// on which a half and a double are equally far, and noise that shrinks with the value stays.
	share bool
}

// signal judges the curve: the worst border that it crossed for long makes the level.
func (t test) signal() Signal {
	s := Signal{Level: OK, Unit: t.curve.unit, Basis: t.basis, Threshold: t.nearest(), Curve: t.curve.points}
	for _, b := range t.borders {
		s.Borders = append(s.Borders, Border{b.level, b.at})
	}
	if short := t.curve.tooFew(); short != "" {
		s.Level, s.Note = Unknown, short
		return s
	}
	var crossed *border
	var found []excess
	for i, b := range t.borders {
		over := t.exceeds(b)
		if b.level == Alert {
			s.Spans = append(s.Spans, spansOf(over)...)
		}
		if len(over) > 0 && (crossed == nil || (b.level == Alert && crossed.level == Warn)) {
			crossed, found = &t.borders[i], over
		}
	}
	if crossed == nil {
		return t.fine(s)
	}
	return t.bad(s, *crossed, found)
}

// exceeds are the stretches beyond a border.
func (t test) exceeds(b border) []excess {
	if !t.share {
		return exceeds(t.curve, b.at, b.sign())
	}
	found := exceeds(t.curve.logarithm(), math.Log(b.at), b.sign())
	for i := range found {
		found[i].worst = math.Exp(found[i].worst)
	}
	return found
}

// tooFew says why the curve cannot be judged, "" where it can.
func (c curve) tooFew() string {
	if c.errors == nil {
		if n := len(c.points); n < fewestValues {
			return fmt.Sprintf("%s: %s logged; %d are needed to tell a trend from noise; log it more often", c.name, words.CountOf(n, "value is", "values are"), fewestValues)
		}
		return ""
	}
	n := 0
	for _, size := range c.sizes {
		n += size
	}
	if n < pooled {
		return fmt.Sprintf("%s: completions of %s are logged; %d are needed to tell a trend from noise; log more of them", c.name, words.Count(n, "prompt"), pooled)
	}
	return ""
}

// fine is the signal of a curve that stayed within its borders, which is no all-clear
// where the logger hides what the signal is for.
func (t test) fine(s Signal) Signal {
	value, n := last(t.curve)
	s.Value = &value
	s.Note = fmt.Sprintf("%s: %s at the end (%s)", t.what, t.value(value), t.context(n))
	s.Note += t.unsure(value, Warn)
	if t.curve.trap != "" {
		s.Level, s.Value = Unknown, nil
		s.Note = fmt.Sprintf("%s, which says nothing: %s", s.Note, t.curve.trap)
	}
	return s
}

func (t test) bad(s Signal, b border, found []excess) Signal {
	worst := found[0]
	for _, e := range found[1:] {
		if b.sign()*e.worst > b.sign()*worst.worst {
			worst = e
		}
	}
	s.Level, s.Step, s.Value, s.Threshold = b.level, &found[0].span.From, &worst.worst, b.String()
	hurts, help := t.hurts, t.help
	if b.below && t.hurtsBelow != "" {
		hurts, help = t.hurtsBelow, t.helpBelow
	}
	s.Note = fmt.Sprintf("%s: %s %s (%s)", t.what, t.value(worst.worst), stretch(found), t.context(worst.window))
	s.Why, s.Help = hurts, help
	if b.level == Warn {
		s.Note += t.unsure(worst.worst, Alert)
	}
	return s
}

// unsure says of a value beyond a border of a level why the level does not hold: its error is so
// large. It is "" of a value that is not.
func (t test) unsure(v float64, level Level) string {
	for _, b := range t.borders {
		if b.level == level && b.sign()*(v-b.at) > 0 {
			more := "log it more often"
			if t.curve.errors != nil {
				more = "log completions of more prompts"
			}
			return fmt.Sprintf("; that is past the %s threshold of %s, but not significantly: %s", level, t.bare(b.at), more)
		}
	}
	return ""
}

// context says what the number is a mean of, and what it was when the run began.
func (t test) context(n int) string {
	of := fmt.Sprintf("mean of %s", words.Count(n, "value"))
	if t.curve.errors != nil {
		of = fmt.Sprintf("mean over the completions of %s", words.Count(n, "step"))
	}
	if start := t.curve.start.mean; !math.IsNaN(start) && t.curve.start.n > 0 {
		of += fmt.Sprintf("; %s at the start", t.bare(start))
	}
	if t.curve.basis != "" {
		of += "; " + t.curve.basis
	}
	return of
}

// value writes a number with its unit, where that is one.
func (t test) value(v float64) string {
	switch t.curve.unit {
	case "", record.Plain, record.Share:
		return t.bare(v)
	}
	return short(v) + " " + string(t.curve.unit)
}

// bare writes a number without its unit, and a share in percent.
func (t test) bare(v float64) string {
	if t.curve.unit == record.Share {
		return short(100*v) + " %"
	}
	return short(v)
}

// nearest is the border that is crossed first.
func (t test) nearest() string {
	var words []string
	for _, b := range t.borders {
		if b.level == Warn {
			words = append(words, b.String())
		}
	}
	if len(words) == 0 && len(t.borders) > 0 {
		return t.borders[0].String()
	}
	return strings.Join(words, " or ")
}

func spansOf(found []excess) []Span {
	var spans []Span
	for _, e := range found {
		spans = append(spans, e.span)
	}
	return spans
}

// stretch says when: "from step 300 on", "from step 300 to 500".
func stretch(found []excess) string {
	first := found[0].span
	when := fmt.Sprintf("from step %d to %d", first.From, first.To)
	if first.To < 0 {
		when = fmt.Sprintf("from step %d on", first.From)
	}
	if more := len(found) - 1; more > 0 {
		when += fmt.Sprintf(", and %s more", words.Count(more, "time"))
	}
	return when
}

// unknown is a signal that cannot be computed, with the reason.
func unknown(note string, words ...any) Signal {
	return Signal{Level: Unknown, Note: fmt.Sprintf(note, words...)}
}

// short writes a number with three digits.
func short(v float64) string { return strconv.FormatFloat(round(v), 'g', -1, 64) }

func round(v float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		return v
	}
	return rounded
}
