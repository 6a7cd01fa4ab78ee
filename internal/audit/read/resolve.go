package read

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/names"
	"github.com/rlvet/rlvet/internal/audit/record"
)

// # One metric in several files
//
// Trainers log the same to several places, people start a run again in the same folder, and
// runs end up beside each other. What two files have in common tells which it is: metrics of
// one name, at the same steps. Equal values are one log written twice; other values from the
// start are two runs, of which the newer one counts; other values from later on are a run
// that was resumed, of which the newer part counts.

// preferred are the formats in the order in which they are used where they say the same.
var preferred = []string{"trainer_state", "verl", "jsonl", "json", "csv", "evaluations", "wandb", "parquet", "tensorboard", "monitor", "console", "wandb summary"}

// resolve drops what is there twice or belongs to another run.
func (c *collector) resolve() {
	c.dropTables()
	slices.SortStableFunc(c.logs, func(a, b *log) int {
		return cmp.Or(cmp.Compare(slices.Index(preferred, a.Format), slices.Index(preferred, b.Format)), -cmp.Compare(a.age(), b.age()), cmp.Compare(a.Path, b.Path))
	})
	var kept []*log
	for _, l := range c.logs {
		for _, k := range kept {
			c.compare(k, l)
		}
		if len(l.names) > 0 {
			kept = append(kept, l)
		}
	}
	c.logs = slices.DeleteFunc(kept, func(l *log) bool { return len(l.names) == 0 })
	slices.SortStableFunc(c.logs, func(a, b *log) int { return cmp.Compare(a.Path, b.Path) })
}

// dropTables leaves out what does not say its steps where another log does that has as many
// known metrics: a table of results, a prediction a row, whose rows are no steps of training.
func (c *collector) dropTables() {
	stepped := slices.DeleteFunc(slices.Clone(c.logs), func(l *log) bool { return !l.stepped() })
	c.logs = slices.DeleteFunc(c.logs, func(l *log) bool {
		if l.stepped() {
			return false
		}
		known := max(1, l.judged())
		i := slices.IndexFunc(stepped, func(k *log) bool { return k.judged() >= known })
		if i < 0 {
			return false
		}
		for _, s := range append(l.others, l.Source) {
			c.unused(s.Path, "does not say its steps, as "+stepped[i].Path+" does: taken for a table of results, whose rows are no steps")
		}
		return true
	})
}

// stepped reports whether the rows say their step.
func (l *log) stepped() bool { return l.lanes != nil || l.clock.column >= 0 }

// trainer is the one that wrote the log, by the names that were in it when it was asked first.
func (l *log) trainer() names.Trainer {
	if l.writer == nil {
		var logged []string
		for _, t := range l.all() {
			logged = append(logged, t.Name)
		}
		writer := names.Recognise(logged)
		l.writer = &writer
	}
	return *l.writer
}

// judged counts the metrics that measure something of training that can be judged.
func (l *log) judged() int {
	trainer, n := l.trainer(), 0
	for _, t := range l.all() {
		name := t.Name
		m, _ := trainer.Meaning(name)
		_, given := l.c.o.Names[name]
		if given || !slices.Contains([]record.Quantity{"", record.LearningRate, record.GradientNorm}, m.Quantity) {
			n++
		}
	}
	return n
}

// digits are the time in the names of event files and of the runs of W&B.
var digits = regexp.MustCompile(`tfevents\.(\d{8,12})|run-(\d{8})_(\d{6})-`)

// age orders the logs of one format: the newer, the larger.
func (l *log) age() int64 {
	if m := digits.FindStringSubmatch(l.Path); m != nil {
		n, _ := strconv.ParseInt(m[1]+m[2]+m[3], 10, 64)
		return n
	}
	return l.file.mod.UnixNano()
}

// pair is a metric that two logs have.
type pair struct {
	kept, other *track
	same, diff  int
	// far counts those of diff that no rounding explains.
	far int
	// step is the first one at which they differ.
	step  int64
	value [2]float64
}

// common pairs the metrics of two logs.
func common(k, l *log) []pair {
	byName := map[string]*track{}
	for _, t := range k.all() {
		byName[names.Canonical(t.Name)] = t
	}
	var all []pair
	for _, t := range l.all() {
		if other := byName[names.Canonical(t.Name)]; other != nil {
			p := pair{kept: other, other: t}
			p.match()
			all = append(all, p)
		}
	}
	return all
}

// match compares the values at steps that both have.
func (p *pair) match() {
	j := 0
	for _, a := range p.kept.head {
		for j < len(p.other.head) && p.other.head[j].Step < a.Step {
			j++
		}
		if j == len(p.other.head) || p.other.head[j].Step != a.Step {
			continue
		}
		b := p.other.head[j].Value
		if near(a.Value, b) {
			p.same++
			continue
		}
		if p.diff++; p.diff == 1 {
			p.step, p.value = a.Step, [2]float64{b, a.Value}
		}
		if math.Abs(a.Value-b) > 0.02*max(math.Abs(a.Value), math.Abs(b)) {
			p.far++
		}
	}
}

// near reports whether two values are equal as far as 4 bytes and printed digits can tell.
func near(a, b float64) bool {
	return math.Abs(a-b) <= 1e-5*max(math.Abs(a), math.Abs(b))+1e-12
}

// compare drops from l, or from k, what the other one says as well, or better.
func (c *collector) compare(k, l *log) {
	pairs := common(k, l)
	if len(l.names) == 0 || len(k.names) == 0 {
		return
	}
	if (k.Format != l.Format || len(pairs) == 0) && ofTwoRuns(k, l, pairs) {
		if l.file.mod.After(k.file.mod) {
			k, l = l, k
		}
		c.otherRun(k, l, common(k, l))
		return
	}
	if len(pairs) == 0 {
		return
	}
	same, diff, moving := 0, 0, 0
	for _, p := range pairs {
		if constant(p) { // says nothing about whose they are
			continue
		}
		same, diff, moving = same+p.same, diff+p.diff, moving+1
	}
	alike := k.Format == l.Format
	switch {
	case alike && diff > same && k.resumes(l):
		c.splice(k, l, pairs)
	case alike && diff > same:
		c.otherRun(k, l, pairs)
	case alike && same+diff == 0 && k.firstStep() > l.lastStep():
		c.splice(k, l, pairs)
	case alike && same+diff == 0 && l.firstStep() > k.lastStep():
		c.splice(l, k, pairs)
	case alike && same+diff == 0 && 2*moving >= min(len(k.names), len(l.names)) && path.Dir(k.Path) != path.Dir(l.Path):
		c.otherRun(k, l, pairs)
	default:
		c.twice(k, l, pairs)
	}
}

// constant reports whether both have one value all the time, as learning rates do.
func constant(p pair) bool {
	return p.kept.constant() && p.other.constant() && p.diff == 0
}

func (t *track) constant() bool {
	for _, p := range t.head {
		if p.Value != t.head[0].Value {
			return false
		}
	}
	return true
}

func (l *log) firstStep() int64 {
	step := int64(math.MaxInt64)
	for _, t := range l.all() {
		if len(t.Points) > 0 {
			step = min(step, t.Points[0].Step)
		}
	}
	return step
}

func (l *log) lastStep() int64 {
	step := int64(-1)
	for _, t := range l.all() {
		if p, ok := t.Last(); ok {
			step = max(step, p.Step)
		}
	}
	return step
}

// resumes reports whether the newer log k starts well within the older one.
func (k *log) resumes(l *log) bool {
	start, end := l.firstStep(), l.lastStep()
	return k.firstStep() > start+max((end-start)/20, 1)
}

// splice puts what came before the newer log k before it.
func (c *collector) splice(k, l *log, pairs []pair) {
	from := k.firstStep()
	if l.lastStep() >= from {
		c.note("training went back from step %d to %d: %s holds what came before, %s the rest", l.lastStep(), from, l.Path, k.Path)
	}
	if one, two := ownFolder(k.Path, l.Path), ownFolder(l.Path, k.Path); one != "" && two != "" {
		c.note("%s ends at step %d and %s begins at %d, so they are read as one run that was resumed; if they are two runs, audit each folder by itself", one, l.lastStep(), two, from)
	}
	for _, p := range pairs {
		newer, older := p.kept, p.other
		if !slices.Contains(k.all(), newer) {
			newer, older = older, newer
		}
		newer.Splice(older.Series, from)
		l.remove(older)
	}
	k.others = append(k.others, l.Source)
	k.others = append(k.others, l.others...)
	for _, name := range l.names { // metrics that only the older part has
		if k.tracks[name] == nil {
			k.tracks[name], k.names = l.tracks[name], append(k.names, name)
		}
	}
	l.names, l.tracks = nil, map[string]*track{}
}

// otherRun drops the older log.
func (c *collector) otherRun(k, l *log, pairs []pair) {
	reason := "is of another run: it logs what " + k.Path + " does at other steps; the newer one is used"
	if len(pairs) == 0 {
		reason = "is of another run than " + k.Path + ": each has a reward of its own; the newer one is used"
		if a, b := l.trainer().Name(), k.trainer().Name(); a != "" && b != "" && a != b {
			reason = fmt.Sprintf("is of another run: it is a log of %s, and %s one of %s; the newer one is used", a, k.Path, b)
		}
	}
	if i := slices.IndexFunc(pairs, func(p pair) bool { return p.diff > 0 }); i >= 0 {
		p := pairs[i]
		reason = fmt.Sprintf("is of another run: at step %d its %s is %.4g, in %s it is %.4g; the newer one is used", p.step, p.other.Name, p.value[0], k.Path, p.value[1])
	}
	for _, at := range l.paths() {
		c.unused(at, reason)
	}
	c.others = append(c.others, another{k, l.Path, reason})
	l.names, l.tracks = nil, map[string]*track{}
}

// twice drops the metrics that another file has too.
func (c *collector) twice(k, l *log, pairs []pair) {
	var equal []string
	for _, p := range pairs {
		dropped, from, used := p.other, l, k
		if last, _ := p.kept.Last(); p.diff == 0 && p.other.lastPoint() > last.Step {
			dropped, from, used = p.kept, k, l // the other one goes on for longer
		}
		from.remove(dropped)
		switch {
		case p.diff > 0:
			c.run.Unused = append(c.run.Unused, record.Unused{Path: from.Path, Metric: dropped.Name, Reason: fmt.Sprintf(
				"differs from %s at %d of %d steps: at step %d it is %.4g, there %.4g", used.Path, p.diff, p.diff+p.same, p.step, p.value[0], p.value[1])})
		case p.same == 0:
			c.run.Unused = append(c.run.Unused, record.Unused{Path: from.Path, Metric: dropped.Name, Reason: "is in " + used.Path + " too, at other steps"})
		case from == l:
			equal = append(equal, dropped.Name)
		default:
			c.run.Unused = append(c.run.Unused, record.Unused{Path: from.Path, Metric: dropped.Name, Reason: "same values as " + used.Path + ", which has more"})
		}
	}
	if len(equal) > 0 && len(l.names) == 0 {
		c.unused(l.Path, "same values as "+k.Path)
	} else if len(equal) > 0 {
		c.run.Unused = append(c.run.Unused, record.Unused{Path: l.Path, Metric: list(equal), Reason: "same values as " + k.Path})
	}
}

func (t *track) lastPoint() int64 {
	p, _ := t.Last()
	return p.Step
}

// remove drops a series.
func (l *log) remove(t *track) {
	l.names = slices.DeleteFunc(l.names, func(name string) bool { return l.tracks[name] == t })
	maps.DeleteFunc(l.tracks, func(_ string, other *track) bool { return other == t })
}

// evaluationWords are those by which people name the log of an evaluation.
var evaluationWords = []string{"eval", "evaluation", "evaluations", "val", "valid", "validation", "test"}

// ofEvaluation reports whether a file's name says that it logs an evaluation; of an event
// file, which has no name of its own, the folder's.
func ofEvaluation(f candidate, format string) bool {
	if format == "evaluations" {
		return false // its metrics are named as such
	}
	name, _, _ := strings.Cut(f.name(), ".")
	if format == "tensorboard" {
		name = path.Base(f.dir())
	}
	return slices.ContainsFunc(strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' }), func(word string) bool {
		return slices.Contains(evaluationWords, strings.ToLower(word))
	})
}
