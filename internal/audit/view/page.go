package view

import (
	"fmt"
	"io"
	"path"
	"path/filepath"

	"github.com/rlvet/rlvet/internal/audit"
	"github.com/rlvet/rlvet/internal/page"
)

//go:generate go run github.com/valyala/quicktemplate/qtc -skipLineComments -ext=qtpl

// Page writes the result as one page of HTML that needs nothing else.
func Page(w io.Writer, r *audit.Result, version string) error {
	v := pageOf(r)
	v.Version = version
	return page.Render(w, v)
}

// What the template shows.
type (
	pageView struct {
		Heading, Verdict, Version string
		Level                     badge
		Facts                     []fact
		Lead                      []string // what to take, and what the reward alone would have taken
		Wrong                     []signalView
		Curves                    []page.Figure
		Relations                 []relation
		Table                     *table
		Signals                   []signalView
		Measures                  *measuresView
		Pairs                     []pairView
		PairsNote                 string
		Judged                    *judgedView
		Sources, Unused           []string
		Missing, Notes            []string
	}
	// badge says a level by a sign and a word besides the colour.
	badge struct{ Class, Sign, Word string }
	fact  struct{ Name, Value string }
	// relation is a plot of one metric over another, with what its marks mean.
	relation struct {
		Figure page.Figure
		Legend []page.Entry
	}
	signalView struct {
		ID, Name, Value, Border, Since, Basis, Note, Why, Help string
		Level                                                  badge
		Wrong                                                  bool // has an article, to which the table of all points
		Findings                                               []string
		Figures                                                []page.Figure
	}
	table struct {
		Heads []head
		Rows  []tableView
	}
	head      struct{ Name, Unit string }
	tableView struct {
		Name, Remark string
		Verdict      badge
		Cells        []cellView
	}
	cellView   struct{ Value, Low, High string }
	judgedView struct {
		Lines   []string
		Figures []page.Figure
	}
)

var badges = map[audit.Level]badge{
	audit.Alert: {"confirmed", "✗", "alert"}, audit.Warn: {"inconclusive", "!", "warn"},
	audit.OK: {"refuted", "✓", "ok"}, audit.Unknown: {"not-tried", "?", "unknown"},
}

func pageOf(r *audit.Result) *pageView {
	v := &pageView{
		Heading: titleOf(r.Run), Verdict: verdict(r), Level: badges[r.Level], Facts: factsOf(r), Lead: lead(r),
		Table: tableOf(r), Missing: plainAll(r.Missing), Notes: plainAll(r.Notes),
	}
	v.Sources, v.Unused = plainAll(sourceLines(r.Sources)), plainAll(unusedLines(r.Unused))
	v.Measures = measuresOf(r.Texts)
	v.Pairs, v.PairsNote = worst(r.Record)
	for _, add := range []func(*audit.Result){v.addSignals, v.addCurves, v.addRelations, v.addJudged} {
		add(r)
	}
	return v
}

// titleOf is the end of the run's path: its folder is often called just "run".
func titleOf(dir string) string {
	dir = filepath.ToSlash(dir)
	if above := path.Base(path.Dir(dir)); above != "." && above != "/" {
		return plain(above + "/" + path.Base(dir))
	}
	return plain(path.Base(dir))
}

// lead says what to take, and what the reward alone would have taken.
func lead(r *audit.Result) (out []string) {
	if rec := r.Recommended; rec != nil {
		out = append(out, fmt.Sprintf("Take %s: %s.", checkpointName(rec.Path, rec.Step), plain(rec.Why)))
	}
	if by := r.ByRewardAlone; by != nil {
		out = append(out, "The reward alone would have taken "+byReward(r, by)+".")
	}
	if r.Recommended == nil && r.Primary == "" && len(r.Checkpoints) > 0 {
		out = append(out, "To choose one, have people, or models that training does not use, compare the checkpoints' answers with the base model's, and pass their judgements with `--preferences FILE`. How many are needed is said at the end, under Missing.")
	}
	return out
}

func factsOf(r *audit.Result) (out []fact) {
	add := func(name, value string) {
		if value != "" {
			out = append(out, fact{name, value})
		}
	}
	add("Run", plain(r.Run))
	add("Trainer", plain(r.Trainer))
	if r.Primary != "" {
		add("Ranked by", named(r.Primary))
	}
	known := len(r.Signals) - len(level(r, audit.Unknown))
	add("Signals", fmt.Sprintf("%d of %d could be computed", known, len(r.Signals)))
	return out
}

// addSignals adds all signals, and those that are wrong with their curves.
func (v *pageView) addSignals(r *audit.Result) {
	for i := range r.Signals {
		s := &r.Signals[i]
		view := signalView{
			ID: fmt.Sprintf("signal-%d", i+1), Name: named(s.Name), Level: badges[s.Level], Border: threshold(s), Basis: plain(s.Basis), Note: capital(plain(s.Note)), Why: plain(s.Why), Help: plain(s.Help),
			Wrong: s.Level == audit.Alert || s.Level == audit.Warn,
		}
		if s.Value != nil {
			view.Value = measured(*s.Value, s.Unit)
		}
		if s.Step != nil {
			view.Since = fmt.Sprintf("%d", *s.Step)
		}
		for _, f := range s.Findings {
			view.Findings = append(view.Findings, fmt.Sprintf("%s:%d: %s: %s", plain(f.Filename), f.Row, plain(f.Code), plain(f.Message)))
		}
		v.Signals = append(v.Signals, view)
	}
	for _, l := range []audit.Level{audit.Alert, audit.Warn} {
		for i := range r.Signals {
			if r.Signals[i].Level != l {
				continue
			}
			view := v.Signals[i]
			view.Figures = signalFigures(r, &r.Signals[i])
			v.Wrong = append(v.Wrong, view)
		}
	}
}

// tableOf is the table of checkpoints, nil where there are none.
func tableOf(r *audit.Result) *table {
	if len(r.Checkpoints) == 0 {
		return nil
	}
	names := metrics(r)
	t := &table{}
	for _, name := range names {
		t.Heads = append(t.Heads, headWithUnit(r, name))
	}
	for i := range r.Checkpoints {
		c := &r.Checkpoints[i]
		row := tableView{Name: checkpointName(c.Path, c.Step), Remark: remark(r, c), Verdict: badges[audit.OK]}
		switch {
		case len(c.Disqualified) > 0:
			row.Verdict = badge{"confirmed", "✗", "out"}
		case isRecommended(r, c):
			row.Verdict = badge{"refuted", "✓", "take"}
		default:
			row.Verdict = badge{Word: "possible"}
		}
		for _, name := range names {
			value, low, high := cellParts(c, name)
			row.Cells = append(row.Cells, cellView{value, low, high})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// headWithUnit is the name of a metric, and its unit.
func headWithUnit(r *audit.Result, name string) head {
	_, unit := scaleOf(metricUnit(r, name))
	return head{capital(named(name)), unit}
}

// addJudged adds the raters' agreement, and the win rates by step.
func (v *pageView) addJudged(r *audit.Result) {
	j := &judgedView{}
	if a := r.Agreement; a != nil {
		j.Lines = append(j.Lines, capital(agreement(a))+": 1 is full agreement, 0 what chance gives.")
		for _, d := range a.Disagree {
			j.Lines = append(j.Lines, capital(plain(d))+".")
		}
	}
	for _, name := range []string{"arena_win_rate", "win_rate", "win_rate_length_controlled"} {
		if f := metricFigure(r, name); f != nil {
			j.Figures = append(j.Figures, *f)
		}
	}
	if len(j.Lines)+len(j.Figures) > 0 {
		v.Judged = j
	}
}
