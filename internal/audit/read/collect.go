package read

import (
	"context"
	"errors"
	"fmt"

	"github.com/rlvet/rlvet/internal/audit/names"
	"github.com/rlvet/rlvet/internal/audit/record"
)

// collector gathers what the files of a run hold.
type collector struct {
	run     *record.Run
	o       Options
	logs    []*log
	unknown int // metrics with names that nobody knows
}

func newCollector(dir string, o Options) *collector {
	return &collector{o: o, run: &record.Run{
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
	w, err := find(ctx, c.run.Dir)
	if err != nil {
		return err
	}
	c.run.Notes = append(c.run.Notes, w.notes...)
	for _, f := range w.files {
		if err := c.file(ctx, f); err != nil {
			return err
		}
	}
	return nil
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

func (c *collector) unused(path, reason string) {
	c.run.Unused = append(c.run.Unused, record.Unused{Path: path, Reason: reason})
}

// keep ends a source of metrics and adds it. It fails where the source holds none.
func (c *collector) keep(l *log) error {
	l.close()
	if len(l.names) > 0 {
		c.logs = append(c.logs, l)
		return nil
	}
	reason := "holds no numbers by step"
	if len(l.Notes) > 0 {
		reason += "; " + l.Notes[0]
	}
	return errors.New(reason)
}

// finish puts the run together.
func (c *collector) finish() (*record.Run, error) {
	for _, l := range c.logs {
		c.run.Sources = append(c.run.Sources, l.Source)
		for _, t := range l.all() {
			c.run.Series = append(c.run.Series, t.Series)
		}
	}
	if len(c.run.Sources) == 0 {
		return nil, c.nothing()
	}
	c.mean()
	return c.run, nil
}

// nothing says that a folder holds nothing to audit, and what was expected.
func (c *collector) nothing() error {
	const mend = "give the folder with trainer_state.json, *.jsonl, *.csv, TensorBoard's events or wandb/ in it"
	if len(c.run.Unused) > 0 {
		u := c.run.Unused[0]
		return fmt.Errorf("%s: nothing to audit (%s %s): %s", c.run.Dir, u.Path, u.Reason, mend)
	}
	return fmt.Errorf("%s: nothing to audit, no file in it is a log of training: %s", c.run.Dir, mend)
}

// mean gives the series their meaning.
func (c *collector) mean() {
	all := make([]string, 0, len(c.run.Series))
	for _, s := range c.run.Series {
		all = append(all, s.Name)
	}
	trainer := names.Recognise(all)
	c.run.Trainer = trainer.Name()
	for _, s := range c.run.Series {
		if m, ok := c.o.Names[s.Name]; ok {
			s.Quantity, s.Unit = m.Quantity, m.Unit
		} else if m, ok := trainer.Meaning(s.Name); ok {
			s.Quantity, s.Unit, s.Basis, s.Trap = m.Quantity, m.Unit, m.Basis, m.Trap
		}
	}
}
