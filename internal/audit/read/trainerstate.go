package read

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
)

// # Many states of one trainer
//
// transformers' Trainer saves trainer_state.json with each checkpoint, and it holds all that
// was logged since the start of training. So the one with the largest step is read, and of
// the others as much as tells whether they are of the same run.

// stateRows are read of the states that are not used.
const stateRows = 64

// addState remembers a state; they are read when all are known.
func addState(_ context.Context, c *collector, f candidate) error {
	c.states = append(c.states, f)
	return nil
}

// globalStep finds the step of a state, which stands before the history.
var globalStep = regexp.MustCompile(`"global_step":\s*(\d{1,15})`)

// stepOf returns the step of a state: the one it says, or that of its folder.
func stepOf(f candidate) int64 {
	if m := globalStep.FindSubmatch(f.head); m != nil {
		step, _ := strconv.ParseInt(string(m[1]), 10, 64)
		return step
	}
	return stepOfPath(f)
}

// family is the folder of the run that a state belongs to.
func family(f candidate) string {
	if checkpointFolder.MatchString(path.Base(f.dir())) {
		return path.Dir(f.dir())
	}
	return f.dir()
}

// readStates reads the states of each family.
func (c *collector) readStates(ctx context.Context) error {
	families := map[string][]candidate{}
	for _, f := range c.states {
		families[family(f)] = append(families[family(f)], f)
	}
	for _, name := range slices.Sorted(maps.Keys(families)) {
		states := families[name]
		slices.SortStableFunc(states, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(stepOf(b), stepOf(a)), cmp.Compare(len(a.rel), len(b.rel)))
		})
		if err := c.readFamily(ctx, states); err != nil {
			return err
		}
	}
	return nil
}

// readFamily reads the first state that can be read, and compares the others with it.
func (c *collector) readFamily(ctx context.Context, states []candidate) error {
	var whole *log
	for _, f := range states {
		rows := int64(stateRows)
		if whole == nil {
			rows = math.MaxInt64
		}
		l, err := c.readState(ctx, f, rows)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			c.unused(f.rel, err.Error())
		case whole == nil:
			whole = l
			c.logs = append(c.logs, l)
		default:
			c.olderState(ctx, whole, l)
		}
	}
	return nil
}

// olderState says of an older state that its history is in the one that is used; it reads
// all of one whose history is another.
func (c *collector) olderState(ctx context.Context, whole, l *log) {
	for _, p := range common(whole, l) {
		if p.diff > p.same {
			if all, err := c.readState(ctx, l.file, math.MaxInt64); err == nil {
				c.logs = append(c.logs, all)
			}
			return
		}
	}
	c.unused(l.Path, "its history is in "+whole.Path)
}

// readState reads the history of a state, at most so many rows of it.
func (c *collector) readState(ctx context.Context, f candidate, rows int64) (*log, error) {
	r, err := f.text()
	if err != nil {
		return nil, errors.New(trouble(err))
	}
	defer r.Close()
	l := c.newLog(f, "trainer_state")
	d := newDocument(r)
	err = d.object(func(key string) error {
		if key != "log_history" {
			return d.skip()
		}
		return d.array(func() error {
			o, err := d.value()
			if err != nil {
				return err
			}
			if o.IsObject() {
				l.putObject(o, "", 0)
				l.end()
			}
			if l.Records == rows {
				return errEnough
			}
			return ctx.Err()
		})
	})
	if err != errEnough {
		d.note(l, err)
	}
	return l, l.finish()
}

var errEnough = errors.New("enough was read")
