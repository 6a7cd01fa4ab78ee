package slurm

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/renameio/v2/maybe"

	"github.com/rlvet/rlvet/internal/harness"
)

// description is units as plain data.
type description struct {
	Plans []harness.Plan
	Units []place
}

// place is a unit: which of the plans, and the seed.
type place struct{ Plan, Seed int }

func describe(units []harness.Unit) description {
	var d description
	at := map[*harness.Plan]int{}
	for _, u := range units {
		if _, ok := at[u.Plan]; !ok {
			at[u.Plan] = len(d.Plans)
			d.Plans = append(d.Plans, *u.Plan)
		}
		d.Units = append(d.Units, place{at[u.Plan], u.Seed})
	}
	return d
}

// unit returns the i-th unit.
func (d description) unit(i int) (harness.Unit, error) {
	if i < 0 || i >= len(d.Units) {
		return harness.Unit{}, fmt.Errorf("there is no unit %d; there are %d", i, len(d.Units))
	}
	return harness.Unit{Plan: &d.Plans[d.Units[i].Plan], Seed: d.Units[i].Seed}, nil
}

// batch is the folder of one call of Launch.
type batch struct {
	dir     string
	units   []harness.Unit
	results []*harness.Result // those that are there
	arrays  []int
}

// batch opens the folder for some units, and reads what is there already.
func (f *folder) batch(units []harness.Unit) (*batch, error) {
	d := describe(units)
	text, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(text)
	b := &batch{dir: filepath.Join(f.path, "batch-"+short(digest[:])), units: units, results: make([]*harness.Result, len(units))}
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return nil, err
	}
	for i := range d.Plans {
		if d.Plans[i].Root, err = f.project(d.Plans[i].Root, d.Plans[i].Limits.MaxCopy); err != nil {
			return nil, err
		}
	}
	if text, err = json.Marshal(d); err != nil {
		return nil, err
	}
	b.readArrays()
	return b, maybe.WriteFile(filepath.Join(b.dir, "batch.json"), text, 0o600)
}

func (b *batch) readArrays() {
	text, _ := os.ReadFile(filepath.Join(b.dir, "arrays"))
	for line := range strings.Lines(string(text)) {
		if n, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
			b.arrays = append(b.arrays, n)
		}
	}
}

// note keeps the number of a new array.
func (b *batch) note(array int) error {
	b.arrays = append(b.arrays, array)
	return maybe.WriteFile(filepath.Join(b.dir, "arrays"), []byte(list(b.arrays, "\n")+"\n"), 0o600)
}

func (b *batch) log(i int) string    { return filepath.Join(b.dir, fmt.Sprintf("log-%d.txt", i)) }
func (b *batch) result(i int) string { return resultFile(b.dir, i) }

func resultFile(dir string, i int) string {
	return filepath.Join(dir, fmt.Sprintf("result-%d.json", i))
}

// collect reads the results that have come, and returns the indexes of the units.
func (b *batch) collect() (came []int, err error) {
	if _, err := os.ReadDir(b.dir); err != nil { // makes a network file system look anew
		return nil, err
	}
	for i := range b.units {
		if b.results[i] != nil {
			continue
		}
		text, err := os.ReadFile(b.result(i))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		r := new(harness.Result)
		if err == nil {
			err = json.Unmarshal(text, r)
		}
		if err != nil {
			return came, fmt.Errorf("%s: %w", b.result(i), err)
		}
		b.results[i] = r
		came = append(came, i)
	}
	return came, nil
}

// open lists the units without a result.
func (b *batch) open() (out []int) {
	for i, r := range b.results {
		if r == nil {
			out = append(out, i)
		}
	}
	return out
}

// drop forgets a result, for another try.
func (b *batch) drop(i int) error {
	b.results[i] = nil
	return os.Remove(b.result(i))
}

// anyTrace reports whether a task wrote anything here.
func (b *batch) anyTrace() bool {
	for i := range b.units {
		if _, err := os.Stat(b.log(i)); err == nil || b.results[i] != nil {
			return true
		}
	}
	return false
}

// lastWords is the last line of what a task wrote, "" where it wrote nothing.
func (b *batch) lastWords(i int) string {
	text, _ := os.ReadFile(b.log(i))
	all := strings.TrimSpace(string(text))
	return all[strings.LastIndexByte(all, '\n')+1:]
}
