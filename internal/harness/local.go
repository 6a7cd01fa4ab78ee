package harness

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
)

// Local runs units as processes of this machine.
type Local struct {
	// Jobs is the number of units at a time; 0 means one.
	Jobs int
}

// Launch runs the units, some at a time. What keeps one unit from running keeps the others
// of its plan too, so that they are not begun.
func (l Local) Launch(ctx context.Context, units []Unit) ([]Result, error) {
	results := make([]Result, len(units))
	slots := make(chan struct{}, max(l.Jobs, 1))
	var group sync.WaitGroup
	var telling sync.Mutex
	var failures sync.Map // by plan
	for i, u := range units {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if why, failed := failures.Load(u.Plan); failed {
				results[i].Failure = why.(string)
				return
			}
			result, err := runUnit(ctx, u, &telling)
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

// runUnit runs one unit to its end. The error is one of ours, not the program's.
func runUnit(ctx context.Context, u Unit, telling *sync.Mutex) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	isolation, err := u.Plan.Isolation.Resolve()
	if err != nil {
		return Result{}, err
	}
	w, err := newWorkshop(u.Plan.Targets)
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
	pr.tell = func(e Event) {
		if u.Plan.Tell != nil {
			telling.Lock()
			defer telling.Unlock()
			u.Plan.Tell(e)
		}
	}
	err = pr.start(ctx, w, root, request)
	return pr.result(), err
}

// copyOf makes the copy of the project that a run works in, and returns its folder.
func (w *workshop) copyOf(p *Plan) (string, error) {
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
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}
