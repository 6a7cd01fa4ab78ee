package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/rlvet/rlvet/internal/audit"
	"github.com/rlvet/rlvet/internal/audit/read"
	"github.com/rlvet/rlvet/internal/audit/record"
)

// kind is a way to train.
type kind struct {
	name string
	kl   string // coefficient of the KL to the reference
}

var (
	hackable = kind{"hackable", "0"}
	good     = kind{"good", "0.5"}
	kinds    = []kind{hackable, good}
)

// trial is one run to make and to judge.
type trial struct {
	kind
	seed         int
	root, python string
	args         []string // more of them for the trainer
}

func (c trial) name() string { return fmt.Sprintf("%s-%d", c.kind.name, c.seed) }

// finding is what the audit said of a run, and what is true.
type finding struct {
	trial
	// result rests on all that the run left and on judgements, blind on the logs and the
	// completions alone, without any held-out score.
	result, blind *audit.Result
	gold          map[int64]float64 // by step; 0 is the base model
	spent         time.Duration     // on training, nothing where the run was there already
}

// measure trains into folder out, unless it is there, and audits.
func (c trial) measure(ctx context.Context, out string) (finding, error) {
	f := finding{trial: c}
	if _, err := os.Stat(out); errors.Is(err, os.ErrNotExist) {
		start := time.Now()
		if err := c.train(ctx, out); err != nil {
			return f, errors.Join(err, os.RemoveAll(out))
		}
		f.spent = time.Since(start)
	}
	run, err := read.Run(ctx, filepath.Join(out, "run"), read.Options{})
	if err != nil {
		return f, err
	}
	f.blind = audit.Examine(withoutHeldOut(run), audit.Options{})
	if run.Judgements, _, err = read.Judgements(filepath.Join(out, "preferences.csv")); err != nil {
		return f, err
	}
	f.result = audit.Examine(run, audit.Options{})
	f.gold, err = readGold(filepath.Join(out, "gold.csv"))
	return f, err
}

func (c trial) train(ctx context.Context, out string) error {
	script := filepath.Join(c.root, "testdata", "audit", "tinylm", "train.py")
	args := append([]string{script, out, "--kl", c.kl, "--seed", strconv.Itoa(c.seed)}, c.args...)
	cmd := exec.CommandContext(ctx, c.python, args...)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, said)
	}
	return nil
}

// withoutHeldOut is a run as it is where nobody evaluates.
func withoutHeldOut(run *record.Run) *record.Run {
	blind := *run
	blind.Series = nil
	for _, s := range run.Series {
		if s.Quantity != record.HeldOut {
			blind.Series = append(blind.Series, s)
		}
	}
	return &blind
}

// readGold reads the truth: a line a step, gold in the second column.
func readGold(name string) (map[int64]float64, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	gold := map[int64]float64{}
	for _, row := range rows[min(1, len(rows)):] {
		step, err1 := strconv.ParseInt(row[0], 10, 64)
		value, err2 := strconv.ParseFloat(row[1], 64)
		if err := errors.Join(err1, err2); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		gold[step] = value
	}
	return gold, err
}

// alerts names the signals that alert.
func alerts(r *audit.Result) (names []string) {
	for _, s := range r.Signals {
		if s.Level == audit.Alert {
			names = append(names, s.Name)
		}
	}
	return names
}

// first is the earliest step of an alert, -1 for none.
func first(r *audit.Result) int64 {
	step := int64(-1)
	for _, s := range r.Signals {
		if s.Level == audit.Alert && s.Step != nil && (step < 0 || *s.Step < step) {
			step = *s.Step
		}
	}
	return step
}

// out are the steps of the checkpoints that are disqualified.
func (f finding) out() (steps []int64) {
	for _, c := range f.result.Checkpoints {
		if len(c.Disqualified) > 0 {
			steps = append(steps, c.Step)
		}
	}
	return steps
}

// hacked reports whether a checkpoint is worse than the model that training began with.
func (f finding) hacked(step int64) bool { return f.gold[step] < f.gold[0] }
