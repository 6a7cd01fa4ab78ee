package hunt

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/harness/protocol"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/vet"
)

// Job is a program to hunt in, and how.
type Job struct {
	// Plan says what to run, with nothing watched yet. Its seeds are those to try.
	Plan harness.Plan
	// Name is the script as the user names it, Script the path of its file; Notebook is that file where it is one, as
	// it runs.
	Name     string
	Script   string
	Notebook *source.File
	// Dir is the working directory, Version rlvet's, and Command the command line.
	Dir, Version, Command string
	// AtATime is the number of seeds that are tried together where the first that fails
	// ends the search; 0 tries all seeds.
	AtATime int
	// Gradients says whether to try gradients against finite differences; Modules are those
	// of plain modules to try as well.
	Gradients bool
	Modules   []string
	// Record is the number of bytes of recorded inputs that may be kept; 0 keeps none.
	Record int64
	// Fix is a fix to try, nil to try that of a finding which explains the failure; NoFix
	// tries none of those.
	Fix   *Change
	NoFix bool
	// Work is a folder for what runs leave, which is the caller's to remove.
	Work string
	// Run runs plans, and shows meanwhile what is done.
	Run func(ctx context.Context, step string, plans []harness.Plan) ([]*harness.Report, error)
	// Check returns the static findings of a file; nil for none.
	Check func(ctx context.Context, path string) (*vet.Result, error)
}

// hunter is a job under way.
type hunter struct {
	*Job
	result  *Result
	folders int                    // of runs so far
	checked map[string]*vet.Result // by file
	tried   *Seed                  // under which a gradient was seen to be wrong
}

// instruments of the Python side.
const (
	guards      = "hunt.guards"
	localise    = "hunt.localise"
	derivatives = "hunt.derivatives"
	reached     = "hunt.reached"
	inPlace     = "hunt.inplace"
)

func instrument(name string, settings map[string]any) harness.Instrument {
	return harness.Instrument{Name: name, Settings: settings}
}

// plan is the job's plan for some seeds under some instruments.
func (h *hunter) plan(seeds []int, instruments ...harness.Instrument) harness.Plan {
	p := h.Plan
	h.folders++
	p.Seeds, p.Instruments, p.Kept = seeds, instruments, filepath.Join(h.Work, strconv.Itoa(h.folders))
	return p
}

// run runs plans and returns what was observed of each, a seed each.
func (h *hunter) run(ctx context.Context, step string, plans ...harness.Plan) ([][]observed, error) {
	reports, err := h.Run(ctx, step, plans)
	if err != nil {
		return nil, err
	}
	var out [][]observed
	for i, r := range reports {
		if r.Failure != nil {
			return nil, r.Failure
		}
		h.result.Environment.Isolation = r.Isolation
		var list []observed
		for _, run := range r.Runs {
			o, err := h.observe(run, filepath.Join(plans[i].Kept, strconv.Itoa(run.Seed)))
			if err != nil {
				return nil, err
			}
			list = append(list, o)
		}
		out = append(out, list)
	}
	return out, nil
}

// observed is a run, and where its instruments left what they wrote.
type observed struct {
	Seed
	run    harness.SeedRun
	guards guarded
	// process is the one that trains, "" for the first of the program.
	process, kept string
}

// guarded is what hunt.guards writes.
type guarded struct {
	Losses      []Loss    `json:"losses"`
	Norms       []Norm    `json:"norms"`
	RolloutStep *int      `json:"rollout_step"`
	Unused      []Unused  `json:"unused"`
	Vanished    *int      `json:"vanished"` // since when the gradient is nothing beside what it was
	Devices     []string  `json:"devices"`
	Compiled    bool      `json:"compiled"`
	Digests     [][]int64 `json:"digests"` // step, random numbers drawn, inputs
	Amp         struct {
		Scaler  bool `json:"scaler"`
		Skipped int  `json:"skipped"`
	} `json:"amp"`
}

// read reads what an instrument wrote in the process that trains; it is false where that
// wrote nothing, as where it was killed.
func (o *observed) read(instrument string, into any) (bool, error) {
	name := filepath.Join(o.kept, o.process, instrument[len("hunt."):]+".json")
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = protocol.ReadFile(instrument, text, into)
	}
	return err == nil, err
}
