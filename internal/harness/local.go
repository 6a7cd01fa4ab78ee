package harness

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Local runs units as processes of this machine.
type Local struct {
	// Jobs is the number of units at a time; 0 means one a GPU. Units at a time share
	// the GPUs out: each sees one.
	Jobs int
	// Alone starts each unit in a process of its own, and forks none from a server.
	Alone bool
}

// Launch runs the units, some at a time. What keeps one unit from running keeps the others
// of its plan too, so that they are not begun.
func (l Local) Launch(ctx context.Context, units []Unit) ([]Result, error) {
	results := make([]Result, len(units))
	slots := l.slots(units)
	var group sync.WaitGroup
	var telling sync.Mutex
	var failures sync.Map // by plan
	for i, u := range units {
		group.Go(func() {
			u.gpu = <-slots
			defer func() { slots <- u.gpu }()
			if why, failed := failures.Load(u.Plan); failed {
				results[i].Failure = why.(string)
				return
			}
			result, err := runUnit(ctx, u, l.Alone, &telling)
			if errors.Is(err, errNotServed) {
				result, err = runUnit(ctx, u, true, &telling)
			}
			if err != nil {
				result.Failure = err.Error()
				failures.Store(u.Plan, result.Failure)
			}
			results[i] = result
		})
	}
	group.Wait()
	return results, ctx.Err()
}

// slots returns what the units at a time hold while they run: the GPU that is theirs.
func (l Local) slots(units []Unit) chan string {
	var gpus []string
	if len(units) > 0 {
		gpus = units[0].Plan.gpus()
	}
	jobs := l.Jobs
	if jobs == 0 {
		jobs = max(len(gpus), 1)
	}
	slots := make(chan string, jobs)
	for i := range jobs {
		if jobs > 1 && len(gpus) > 0 {
			slots <- gpus[i%len(gpus)]
		} else {
			slots <- ""
		}
	}
	return slots
}

// gpus are the GPUs that runs of p may see, as CUDA_VISIBLE_DEVICES names them.
func (p *Plan) gpus() []string {
	if p.Device == "cpu" || p.Python == nil {
		return nil
	}
	named := strings.Split(os.Getenv("CUDA_VISIBLE_DEVICES"), ",")
	out := make([]string, len(p.Python.Devices))
	for i := range out {
		out[i] = strconv.Itoa(i)
		if len(named) == len(out) && named[i] != "" {
			out[i] = named[i]
		}
	}
	return out
}

// runUnit runs one unit to its end. The error is one of ours, not the program's; it is
// errNotServed where a server ended during the run, of which nothing is known then.
func runUnit(ctx context.Context, u Unit, alone bool, telling *sync.Mutex) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	isolation, err := u.Plan.Isolation.Resolve()
	if err != nil {
		return Result{}, err
	}
	w, err := newRunFolder(u.Plan.Targets)
	if err != nil {
		return Result{}, err
	}
	defer w.close()
	root, err := w.copyOf(u.Plan)
	if err != nil {
		return Result{}, err
	}
	request, err := w.writeRequest(u, root)
	if err != nil {
		return Result{}, err
	}
	pr := newProcess(u, w, isolation)
	pr.alone = alone
	if tell := u.Plan.Progress; tell != nil {
		pr.progress = func(p Progress) {
			telling.Lock()
			defer telling.Unlock()
			tell(p)
		}
	}
	err = pr.start(ctx, w, root, request)
	if errors.Is(err, errNotServed) {
		return Result{}, err
	}
	return pr.result(), errors.Join(err, w.exportKept(u))
}

// exportKept copies the files that instruments wrote to where the plan wants them.
func (w *runFolder) exportKept(u Unit) error {
	if _, err := os.Stat(w.kept()); u.Plan.Kept == "" || err != nil {
		return nil
	}
	return CopyProject(w.kept(), filepath.Join(u.Plan.Kept, strconv.Itoa(u.Seed)), u.Plan.Limits.MaxCopy)
}

// copyOf makes the copy of the project that a run works in, and returns its folder.
func (w *runFolder) copyOf(p *Plan) (string, error) {
	if p.InPlace {
		return p.Root, nil
	}
	root := filepath.Join(w.dir, "run", filepath.Base(p.Root))
	if err := CopyProject(p.Root, root, p.Limits.MaxCopy); err != nil {
		return "", err
	}
	return root, overlay(root, p.Overlay)
}

func overlay(root string, files map[string][]byte) error {
	for path, text := range files {
		path = filepath.Join(root, path)
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if err := write(path, text); err != nil {
			return err
		}
	}
	return nil
}
