package read

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/names"
	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/words"
)

// collector gathers what the files of a run hold.
type collector struct {
	run        *record.Run
	o          Options
	logs       []*log
	sample     samples
	configFrom map[string]string // the file of each setting
	monitors   map[string][]candidate
	summaries  []candidate
	links      []string
	states     []candidate // trainer_state.json
	// open are logs of which further files may come, by what they are.
	open    map[string]*log
	unknown int // metrics with names that nobody knows
	entries int // of the folder and those below
	// others are the logs of other runs, asides the folders that are left out for them.
	others []another
	asides []aside
	// conflicts are the files that give a setting another value than the first.
	conflicts map[string][]conflict
}

func newCollector(dir string, o Options) *collector {
	return &collector{o: o, open: map[string]*log{}, sample: newSamples(o.Prompts), configFrom: map[string]string{}, conflicts: map[string][]conflict{}, monitors: map[string][]candidate{}, run: &record.Run{
		Dir: dir, Sources: []record.Source{}, Unused: []record.Unused{}, Config: map[string]any{}, Notes: []string{},
	}}
}

// known reports whether a name has a meaning in the settings, or at some trainer.
func (c *collector) known(name string) bool {
	_, ok := c.o.Names[name]
	return ok || names.Known(name)
}

// collect reads every file.
func (c *collector) collect(ctx context.Context) error {
	w, err := find(ctx, c.run.Dir, c.asides)
	if err != nil {
		return err
	}
	c.entries = w.entries
	c.run.Notes, c.links = append(c.run.Notes, w.notes...), w.links
	seen := progress(c.o.Progress, w.files)
	for _, f := range w.files {
		f.seen = seen
		if err := c.file(ctx, f); err != nil {
			return err
		}
	}
	if err := c.rest(ctx); err != nil {
		return err
	}
	c.checkpoints(w)
	if len(w.pickles) > 0 && len(c.run.Config) == 0 {
		c.unused(w.pickles[0], "is a pickle, which is never opened: save the trainer's arguments as training_args.json to have them looked at")
	}
	return nil
}

// rest reads what can be read only when all files are known.
func (c *collector) rest(ctx context.Context) error {
	if err := c.readStates(ctx); err != nil {
		return err
	}
	for _, dir := range slices.Sorted(maps.Keys(c.monitors)) {
		if err := c.readMonitors(ctx, c.monitors[dir]); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.open)) {
		l := c.open[name]
		if err := c.keep(l); err != nil {
			c.unused(l.Path, err.Error())
		}
	}
	for _, f := range c.summaries {
		if slices.ContainsFunc(c.logs, func(l *log) bool {
			return l.Format == "wandb" && strings.HasPrefix(path.Join("run", f.rel), path.Join("run", path.Dir(l.Path))+"/")
		}) {
			c.unused(f.rel, "holds the last values of the history that was read")
		} else if err := c.lastValues(f); err != nil {
			c.unused(f.rel, err.Error())
		}
	}
	return ctx.Err()
}

// file reads one file, or says why not. It fails where ctx is done.
func (c *collector) file(ctx context.Context, f candidate) error {
	if f.size == 0 {
		c.unused(f.rel, "is empty")
		return nil
	}
	if err := f.peek(); err != nil {
		c.unused(f.rel, trouble(err))
		return nil
	}
	for _, format := range formats {
		if !format.claims(f) {
			continue
		}
		err := format.read(ctx, c, f)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			c.unused(f.rel, err.Error())
		}
		return nil
	}
	return nil
}

// note adds a line about the run.
func (c *collector) note(format string, a ...any) {
	c.run.Notes = append(c.run.Notes, fmt.Sprintf(format, a...))
}

func (c *collector) unused(path, reason string) {
	c.run.Unused = append(c.run.Unused, record.Unused{Path: path, Reason: reason})
}

// maxLogs bounds the logs of a run: each may be a part of it.
const maxLogs = 4096

// keep ends a source of metrics and adds it. It fails where the source holds none.
func (c *collector) keep(l *log) error {
	if err := l.finish(); err != nil {
		return err
	}
	if len(c.logs) == maxLogs {
		return fmt.Errorf("is one of more than %d logs in one folder, and left out: give the folder of one run", maxLogs)
	}
	c.logs = append(c.logs, l)
	return nil
}

// finish puts the run together.
func (c *collector) finish() (*record.Run, error) {
	c.noteConflicts()
	c.noteOthers()
	for _, l := range c.logs {
		c.run.Sources = append(append(c.run.Sources, l.others...), l.Source)
	}
	c.sample.fill(c.run)
	if len(c.run.Sources) == 0 && len(c.run.Checkpoints) == 0 {
		return nil, c.nothing()
	}
	c.mean()
	slices.SortStableFunc(c.run.Sources, func(a, b record.Source) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortStableFunc(c.run.Unused, func(a, b record.Unused) int { return cmp.Compare(a.Path, b.Path) })
	return c.run, nil
}

// soughtFiles are what an audit reads, as people know it.
const soughtFiles = "trainer_state.json, *.jsonl, *.csv, TensorBoard's event files and wandb/"

// nothing says that a folder holds nothing to audit, what was looked for, and what to do.
func (c *collector) nothing() error {
	help := "looked for " + soughtFiles + ", in the folders below, too; name the folder that the trainer wrote its logs to, or have it write some: rlvet audit --emit-callback"
	if above := path.Dir(filepath.ToSlash(c.run.Dir)); checkpointFolder.MatchString(path.Base(filepath.ToSlash(c.run.Dir))) {
		help = "this looks like one checkpoint of a run; name the folder of the run: rlvet audit " + paths.Short(filepath.FromSlash(above))
	}
	if len(c.run.Unused) > 0 {
		u := c.run.Unused[0]
		return fmt.Errorf("%s: nothing to audit (%s %s): %s", c.run.Dir, u.Path, u.Reason, help)
	}
	if len(c.links) > 0 {
		return fmt.Errorf("%s: nothing to audit (%s is a link, and links are not followed): give the folder that it leads to", c.run.Dir, c.links[0])
	}
	if len(c.run.Notes) > 0 {
		return fmt.Errorf("%s: nothing to audit: %s", c.run.Dir, c.run.Notes[0])
	}
	if c.entries == 0 {
		return fmt.Errorf("%s: nothing to audit, the folder is empty: %s", c.run.Dir, help)
	}
	return fmt.Errorf("%s: nothing to audit, no file in it is a log of training: %s", c.run.Dir, help)
}

// Logless says of a run of which there are checkpoints alone that they cannot be judged by
// themselves; nil for others.
func Logless(run *record.Run) error {
	if len(run.Sources) > 0 || len(run.Judgements.Preferences)+len(run.Judgements.Scores) > 0 || len(run.Checkpoints) == 0 {
		return nil
	}
	return fmt.Errorf("%s: nothing to audit, it holds %s and no log of training: looked for %s; name the folder that the trainer wrote its logs to, perhaps the one above, or give judgements of the checkpoints with --preferences FILE",
		run.Dir, words.Count(len(run.Checkpoints), "checkpoint"), soughtFiles)
}
