package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fatih/color"
	"github.com/mattn/go-runewidth"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/words"
)

// liveTable shows on a terminal what runs do: a row a finding, a place, or a program of which no
// expression is watched, and a cell a seed. The launcher
// tells it what happens, and mpb draws it again and again. It shows one step (the programs
// as they are, or fixed) and is gone when the step is over.
type liveTable struct {
	mu    sync.Mutex
	now   func() time.Time
	begun time.Time
	step  string
	seeds []int // the columns
	rows  []*liveRow
	runs  int // to do
	ended int
	paint map[string]*color.Color
}

// liveRow is a finding, or a program: what its runs say, by seed.
type liveRow struct {
	label string
	cells map[int]*liveCell
	whole bool
	fixed bool // the program holds the fix of the finding
	place bool // of `rlvet watch`: no finding, but a place whose numbers are shown
}

// liveCell is a finding under a seed: waiting, running, or one of the verdicts. That of a
// program as a whole ends clean or failed.
type liveCell struct {
	state string
	hits  int
	whole bool
	fixed bool
	place bool
	mean  string // the last that is known of a place
}

// mostRows bounds the table; the rest of the findings are counted.
const mostRows = 20

// step shows on a terminal what plans do that are about to run, until they have ended.
func (r *runner) step(name string, plans []harness.Plan) (end func([]*harness.Report)) {
	if !r.IsTerminal(r.Stderr) || r.quiet || r.Getenv("TERM") == "dumb" {
		return func([]*harness.Report) {}
	}
	t := newLiveTable(name, plans, time.Now)
	if r.coloured(r.Stderr) {
		t.paint = map[string]*color.Color{}
		for state, sign := range signs {
			switch sign {
			case "✗":
				t.paint[state] = color.New(color.FgRed)
			case "✓":
				t.paint[state] = color.New(color.FgGreen)
			}
		}
		for _, style := range t.paint {
			style.EnableColor()
		}
	}
	pool := draw(r.Stderr, mpb.WithAutoRefresh())
	bar := pool.MustAdd(0, t.filler(t.head), mpb.BarFillerTrim(), mpb.BarExtender(t.filler(t.body), false))
	r.notes = pool // which writes above the table
	return func([]*harness.Report) {
		r.notes = r.Stderr
		bar.Abort(true)
		pool.Wait()
	}
}

// newLiveTable makes the table of some plans, and has them tell it what happens. Of plans
// that watch the same findings only the first is shown; the runs of all are counted.
func newLiveTable(step string, plans []harness.Plan, now func() time.Time) *liveTable {
	t := &liveTable{now: now, begun: now(), step: step}
	shown := map[string]map[int]*liveRow{}
	for i := range plans {
		p := &plans[i]
		t.runs += len(p.Seeds)
		name := p.Root + "\x00" + p.Script + p.Module
		rows, known := shown[name]
		switch {
		case !known:
			rows = t.add(p)
			shown[name] = rows
		case len(p.Targets) == 0:
			t.wait(rows[whole], p.Seeds)
		default:
			rows = nil
		}
		p.Progress = t.listener(rows)
	}
	return t
}

// whole is the number of the row of a program without targets.
const whole = -1

// add adds the rows of a plan, and returns them by the numbers of its targets.
func (t *liveTable) add(p *harness.Plan) map[int]*liveRow {
	rows := map[int]*liveRow{}
	for _, target := range p.Targets {
		what := target.Code
		if target.Label != "" {
			what = target.Label
		}
		rows[target.ID] = &liveRow{label: fmt.Sprintf("%s:%d %s", filepath.Base(target.File), target.Row, what), fixed: target.Fixed, place: target.Label != ""}
		t.rows = append(t.rows, rows[target.ID])
	}
	if len(p.Targets) == 0 {
		rows[whole] = &liveRow{label: filepath.Base(p.Script + p.Module), whole: true}
		t.rows = append(t.rows, rows[whole])
	}
	for _, row := range rows {
		t.wait(row, p.Seeds)
	}
	return rows
}

// wait adds cells to a row, and columns to the table.
func (t *liveTable) wait(row *liveRow, seeds []int) {
	if row.cells == nil {
		row.cells = map[int]*liveCell{}
	}
	for _, seed := range seeds {
		if row.cells[seed] == nil {
			row.cells[seed] = &liveCell{state: "waiting", whole: row.whole, fixed: row.fixed, place: row.place}
		}
		if !slices.Contains(t.seeds, seed) {
			t.seeds = append(t.seeds, seed)
		}
	}
}

// listener returns what a plan tells its progress to.
func (t *liveTable) listener(rows map[int]*liveRow) func(harness.Progress) {
	return func(p harness.Progress) {
		t.mu.Lock()
		defer t.mu.Unlock()
		if p.Kind == "ended" {
			t.ended++
		}
		for id, row := range rows {
			if cell := row.cells[p.Seed]; cell != nil && (p.Target < 0 || p.Target == id) {
				cell.take(p)
			}
		}
	}
}

// take takes what happened to the cell's finding under its seed, or to the whole run.
func (c *liveCell) take(p harness.Progress) {
	switch {
	case p.Kind == "started" && c.state == "waiting":
		c.state = "running"
	case p.Kind == "evaluated":
		c.hits = max(c.hits, p.Hits)
	case p.Kind == "shown" && c.place:
		c.show(p.Seen)
	case p.Kind == "judged" && c.place: // nothing is claimed of it
		c.state = map[bool]string{true: "clean", false: string(harness.NotReached)}[c.hits > 0]
	case p.Kind == "confirmed":
		c.judge(harness.Confirmed)
	case p.Kind == "judged":
		c.judge(p.Verdict)
	case p.Kind == "failed" && c.whole:
		c.state = "failed"
	case p.Kind == "ended" && c.whole && c.state == "running":
		c.state = map[bool]string{true: "clean", false: "ended"}[slices.Contains([]string{"done", "steps", "environment-steps"}, p.Status)]
	}
}

// show takes what a place was last.
func (c *liveCell) show(seen []byte) {
	var of struct{ Mean *float64 }
	if json.Unmarshal(seen, &of) == nil && of.Mean != nil {
		c.mean = strconv.FormatFloat(*of.Mean, 'g', 3, 64)
	}
}

// judge takes a verdict: of a finding that was confirmed, and whose fix is tried, whether it is fixed.
func (c *liveCell) judge(v harness.Verdict) {
	switch c.state = string(v); {
	case c.fixed && v == harness.Refuted:
		c.state = "fixed"
	case c.fixed && v == harness.Confirmed:
		c.state = "not-fixed"
	}
}

// filler is what mpb draws from.
func (t *liveTable) filler(lines func(width int) []string) mpb.BarFiller {
	return mpb.BarFillerFunc(func(w io.Writer, s decor.Statistics) error {
		t.mu.Lock()
		defer t.mu.Unlock()
		_, err := io.WriteString(w, strings.Join(lines(s.AvailableWidth), "\n"))
		return err
	})
}

// head says what is done, how much of it, and for how long.
func (t *liveTable) head(width int) []string {
	line := fmt.Sprintf("%s: %d of %d runs done, %s", t.step, t.ended, t.runs, t.now().Sub(t.begun).Truncate(time.Second))
	return []string{runewidth.Truncate(line, width, "…")}
}

// body is the table, as wide as the terminal allows: with words, with signs, or counted.
func (t *liveTable) body(width int) []string {
	label := 0
	for _, row := range t.rows {
		label = max(label, runewidth.StringWidth(row.label))
	}
	label = min(label, max(width/3, 12))
	for _, style := range []cellStyle{wordCells, signCells} {
		if label+len(t.seeds)*(style.width+1) < width {
			return append(t.table(label, width, style), "")
		}
	}
	return append(t.table(label, width, cellStyle{}), "")
}

// cellStyle is a way to show cells, in columns of one width; 0 means that they are counted.
type cellStyle struct {
	width int
	text  func(*liveCell) string
}

var (
	wordCells = cellStyle{9, (*liveCell).words}
	signCells = cellStyle{2, (*liveCell).sign}
)

func (t *liveTable) table(label, width int, style cellStyle) []string {
	var out []string
	if style.width == wordCells.width {
		line := strings.Repeat(" ", label)
		for _, seed := range t.seeds {
			line += " " + runewidth.FillRight(fmt.Sprintf("seed %d", seed), style.width)
		}
		out = append(out, strings.TrimRight(line, " "))
	}
	for i, row := range t.rows {
		if i == mostRows {
			return append(out, "and "+words.Count(len(t.rows)-mostRows, map[bool]string{true: "more place", false: "more finding"}[row.place]))
		}
		line := runewidth.FillRight(runewidth.Truncate(row.label, label, "…"), label) + " "
		if style.width == 0 {
			out = append(out, runewidth.Truncate(line+row.counts(t.seeds), width, "…"))
			continue
		}
		out = append(out, line+strings.TrimRight(t.cells(row, style), " "))
	}
	return out
}

// cells are those of a row.
func (t *liveTable) cells(row *liveRow, style cellStyle) string {
	var out []string
	for _, seed := range t.seeds {
		cell := row.cells[seed]
		if cell == nil {
			cell = &liveCell{}
		}
		text := runewidth.FillRight(runewidth.Truncate(style.text(cell), style.width, ""), style.width)
		if paint := t.paint[cell.state]; paint != nil {
			text = paint.Sprint(text)
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// counts is "2 confirmed, 1 running, 97 waiting".
func (r *liveRow) counts(seeds []int) string {
	var out []string
	for _, state := range []string{"confirmed", "not-fixed", "refuted", "fixed", "not-reached", "inconclusive", "failed", "ended", "clean", "running", "waiting"} {
		n := 0
		for _, seed := range seeds {
			if cell := r.cells[seed]; cell != nil && cell.state == state {
				n++
			}
		}
		if n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, state))
		}
	}
	return strings.Join(out, ", ")
}

// words are at most nine letters.
func (c *liveCell) words() string {
	switch {
	case c.mean != "":
		return c.mean
	case c.state == "running" && c.hits > 0:
		return fmt.Sprintf("%d hits", c.hits)
	case c.state == "not-fixed":
		return "not fixed"
	case c.state == string(harness.NotReached):
		return "unreached"
	case c.state == string(harness.Inconclusive):
		return "unclear"
	}
	return c.state
}

func (c *liveCell) sign() string { return signs[c.state] }

// signs are the states of a cell in one letter.
var signs = map[string]string{
	"waiting": "·", "running": ">", "confirmed": "✗", "refuted": "✓", "not-fixed": "✗", "fixed": "✓", "failed": "✗", "ended": "?", "clean": "✓", "not-reached": "–", "inconclusive": "?",
}
