package view

import (
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/rlvet/rlvet/internal/audit"
	"github.com/rlvet/rlvet/internal/page"
	"github.com/rlvet/rlvet/internal/words"
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
		Heading, Decision, Version string
		State                      string // what the signals say, in a line
		RankedBy                   string // the held-out score, where one is there
		Level                      badge
		Facts                      []fact
		Lead                       []string // what to take, and what the reward alone would have taken
		Wrong                      []signalView
		Quiet                      []signalView // that could be computed, and are as they should be
		Unknown                    []signalView
		Contents                   []content
		Curves                     []page.Figure
		Relations                  []relation
		Table                      *table
		Measures                   *measuresView
		Pairs                      []pairView
		PairsNote                  string
		Judged                     *judgedView
		Sources, Unused            []string
		Missing, Notes             []string
	}
	// badge says a level by a sign and a word besides the colour.
	badge struct{ Class, Sign, Word string }
	fact  struct{ Name, Value string }
	// content is an entry of the list of contents.
	content struct{ ID, Name string }
	// relation is a plot of one metric over another, with what its marks mean.
	relation struct {
		Figure page.Figure
		Legend []page.Entry
	}
	signalView struct {
		ID, Name, Value, Border, Since, Basis, Note, Why, Help string
		Level                                                  badge
		AsID, AsName                                           string // of the signal before that hurts for the same reason
		Findings                                               []string
		Figures                                                []page.Figure
	}
	table struct {
		Heads []head
		Rows  []tableView
		Width int // in columns
	}
	head      struct{ Name, Unit string }
	tableView struct {
		Group        string // what stands above the row and holds of those below it, too
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
		Heading: titleOf(r.Run), Decision: decision(r), State: state(r), RankedBy: named(r.Primary), Level: badges[r.Level], Facts: factsOf(r), Lead: lead(r),
		Table: tableOf(r), Missing: plainAll(r.Missing), Notes: plainAll(r.Notes),
	}
	v.Sources, v.Unused = plainAll(sourceLines(r.Sources)), plainAll(unusedLines(r.Unused))
	v.Measures = measuresOf(r.Texts)
	v.Pairs, v.PairsNote = worst(r.Record)
	for _, add := range []func(*audit.Result){v.addSignals, v.addCurves, v.addRelations, v.addJudged} {
		add(r)
	}
	v.Contents = v.contents()
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

// decision is what a reader came for: which checkpoint to take.
func decision(r *audit.Result) string {
	if len(level(r, audit.Unknown)) == len(r.Signals) {
		return capital(state(r))
	}
	return capital(choice(r))
}

// contents are the sections that the page has; each signal that is wrong has a section of its own.
func (v *pageView) contents() (out []content) {
	add := func(there bool, id, name string) {
		if there {
			out = append(out, content{id, name})
		}
	}
	add(v.Table != nil, "checkpoints", "Checkpoints")
	for _, s := range v.Wrong {
		add(true, s.ID, s.Level.Sign+" "+s.Name)
	}
	add(len(v.Quiet) > 0, "signals", "Other signals")
	add(len(v.Unknown) > 0, "unknown", "What could not be computed")
	add(len(v.Curves) > 0, "curves", "Curves")
	add(len(v.Relations) > 0, "relations", "Curves against each other")
	add(v.Judged != nil, "judgements", "Held-out judgements")
	add(v.Measures != nil, "measures", "What the completions are like")
	add(len(v.Pairs) > 0 || v.PairsNote != "", "completions", "Completions that changed most")
	add(true, "basis", "What this rests on")
	add(true, "reading", "How to read this")
	return out
}

// curveNames says which curves are drawn.
func curveNames(list []page.Figure) string {
	var names []string
	for _, f := range list {
		names = append(names, f.Title)
	}
	return strings.Join(names, ", ")
}

// lead says what to take, and what the reward alone would have taken.
func lead(r *audit.Result) (out []string) {
	if says, commands := several(r); says != "" {
		for i, command := range commands {
			commands[i] = "`" + plain(command) + "`"
		}
		out = append(out, strings.TrimSpace(capital(says)+" "+words.And(first(commands, shownLines)))+".")
	}
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
	return out
}

// addSignals adds all signals, and those that are wrong with their curves.
func (v *pageView) addSignals(r *audit.Result) {
	var all []signalView
	for i := range r.Signals {
		s := &r.Signals[i]
		view := signalView{
			ID: fmt.Sprintf("signal-%d", i+1), Name: named(s.Name), Level: badges[s.Level], Border: threshold(s), Basis: plain(s.Basis), Note: capital(plain(s.Note)), Why: plain(s.Why), Help: plain(s.Help),
			Value: value(s),
		}
		if s.Step != nil {
			view.Since = fmt.Sprintf("%d", *s.Step)
		}
		for _, f := range s.Findings {
			view.Findings = append(view.Findings, fmt.Sprintf("%s:%d: %s: %s", plain(f.Filename), f.Row, plain(f.Code), plain(f.Message)))
		}
		all = append(all, view)
		switch s.Level {
		case audit.OK:
			v.Quiet = append(v.Quiet, view)
		case audit.Unknown:
			v.Unknown = append(v.Unknown, view)
		}
	}
	for _, l := range []audit.Level{audit.Alert, audit.Warn} {
		for i := range r.Signals {
			if r.Signals[i].Level != l {
				continue
			}
			view := all[i]
			view.Figures = signalFigures(r, &r.Signals[i])
			for _, before := range v.Wrong {
				if before.AsID == "" && before.Why != "" && before.Why == view.Why && before.Help == view.Help {
					view.AsID, view.AsName = before.ID, before.Name
				}
			}
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
	t := &table{Width: 3 + len(names)}
	above := ""
	for _, name := range names {
		t.Heads = append(t.Heads, headWithUnit(r, name))
	}
	for i := range r.Checkpoints {
		c := &r.Checkpoints[i]
		row := tableView{Name: checkpointName(c.Path, c.Step), Remark: strings.Join(remarks(r, c), "; ")}
		if why := exclusion(c); why != above {
			if above = why; why != "" {
				row.Group = "Excluded: " + why
			} else {
				row.Group = "Not excluded"
			}
		}
		switch {
		case c.Excluded():
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
