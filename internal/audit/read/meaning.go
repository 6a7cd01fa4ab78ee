package read

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/names"
	"github.com/rlvet/rlvet/internal/audit/record"
)

// ranked is a series with the place that its name has among those that mean the same.
type ranked struct {
	series *record.Series
	rank   int
}

// mean gives the series their meaning, and puts them in order: metrics of the training before
// those of an evaluation, of one quantity the best name first, unknown ones last.
func (c *collector) mean() {
	var logged []string
	for _, l := range c.logs {
		for _, t := range l.all() {
			logged = append(logged, t.Name)
		}
	}
	trainer := names.Recognise(logged)
	c.run.Trainer = trainer.Name()
	c.run.Environment = len(c.run.Batches) == 0 && (trainer.Environment() || slices.ContainsFunc(c.logs, func(l *log) bool { return ofEpisodes(l.Format) }))
	var all []ranked
	var unclear []string
	for _, l := range c.logs {
		of := trainer
		if ofEpisodes(l.Format) {
			of = names.Named(l.Format)
		}
		for _, t := range l.all() {
			rank, known := c.meanOne(t.Series, of)
			all = append(all, ranked{t.Series, rank})
			switch {
			case known, of.Idle(t.Name):
			case of.Ambiguous(t.Name):
				unclear = append(unclear, t.Name)
			case t.Basis != "" || t.Trap != "":
				c.run.Unused = append(c.run.Unused, record.Unused{Path: l.Path, Metric: t.Name, Reason: notJudged(t.Series)})
			default:
				c.run.Unused = append(c.run.Unused, record.Unused{Path: l.Path, Metric: t.Name, Reason: unknownName})
			}
		}
		c.dropTwins(l)
	}
	if why := trainer.NoRun(); why != "" {
		c.note("this is the log of a trainer that %s: an audit is for runs of PPO, GRPO and the like", why)
	} else if len(all) > 0 && !slices.ContainsFunc(all, func(r ranked) bool { return rewards[r.series.Quantity] }) && len(c.run.Batches) == 0 {
		c.note("no metric is known as the reward: if one is, say it by --metric NAME=reward; where there is none, as in supervised training, an audit has nothing to judge")
	}
	if len(unclear) > 0 {
		c.note("%s: %s measure different things by this name, and nothing tells which of them wrote the log, so it is not used; say what it measures by --metric NAME=QUANTITY:UNIT", list(unclear), list(trainer.Candidates()))
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	for _, r := range all {
		c.run.Series = append(c.run.Series, r.series)
		c.checkShare(r.series)
	}
}

// dropTwins keeps one of the metrics of a log whose names are the same but for what a logger puts
// before them, "reward" and "train/reward": the one with more values, or else the first.
func (c *collector) dropTwins(l *log) {
	kept := map[string]*track{}
	for _, t := range l.all() {
		name := names.Canonical(t.Name)
		twin, drop := kept[name], t
		switch {
		case t.Quantity == "":
			continue
		case twin == nil:
			kept[name] = t
			continue
		case len(t.Points) > len(twin.Points):
			kept[name], twin, drop = t, t, twin
		}
		drop.Quantity = ""
		c.run.Unused = append(c.run.Unused, record.Unused{Path: l.Path, Metric: drop.Name, Reason: "stands beside " + twin.Name + ", which is the same name and is used"})
	}
}

// ofEpisodes reports whether a file's format says which environment's episodes it holds.
func ofEpisodes(format string) bool { return format == "monitor" || format == "evaluations" }

// rewards are the quantities that a run maximises.
var rewards = map[record.Quantity]bool{record.Reward: true, record.RewardPenalised: true}

// unknownName is why a metric of no known name is not used.
const unknownName = "what it measures is not known; if it is one of the quantities that `rlvet config audit.metrics` lists, say which by --metric NAME=QUANTITY"

// notJudged is why a metric of a known name is not used: what it is, and what it hides.
func notJudged(s *record.Series) string {
	if s.Trap == "" {
		return "is not judged: " + s.Basis
	}
	return "is not judged: " + strings.TrimPrefix(s.Basis+"; "+s.Trap, "; ")
}

// Ranks beyond those of the tables.
const (
	rankEvaluation = 1 << 20
	rankUnknown    = 2 << 20
)

// meanOne gives a series its meaning and returns its rank, and whether the name is known.
func (c *collector) meanOne(s *record.Series, trainer names.Trainer) (rank int, known bool) {
	m, known := trainer.Meaning(s.Name)
	if given, ok := c.o.Names[s.Name]; ok {
		if m.Quantity != given.Quantity {
			m = names.Meaning{Quantity: given.Quantity}
		}
		if given.Unit != "" {
			m.Unit = given.Unit
		}
		m.Rank, known = -1, true
	}
	if !known {
		return rankUnknown, false
	}
	s.Quantity, s.Unit, s.Basis, s.Trap, s.Evaluation = m.Quantity, m.Unit, m.Basis, m.Trap, m.Evaluation
	if m.Negated {
		for i := range s.Points {
			s.Points[i].Value = -s.Points[i].Value
		}
	}
	switch {
	case m.Quantity == "":
		return rankUnknown, true
	case m.Evaluation:
		return rankEvaluation + m.Rank, true
	}
	return m.Rank, true
}

// checkShare leaves out a share that is none, such as a setting that was logged by the name of a metric.
func (c *collector) checkShare(s *record.Series) {
	if s.Unit != record.Share {
		return
	}
	for _, p := range s.Points {
		if p.Value > 1+1e-6 || p.Value < -1e-6 {
			c.note("%s in %s is %.4g at step %d, and a share lies between 0 and 1, so it is not used: if it is in percent, log it divided by 100; if it measures something else, say what by --metric NAME=QUANTITY", s.Name, s.Source, p.Value, p.Step)
			s.Quantity, s.Unit = "", ""
			return
		}
	}
}
