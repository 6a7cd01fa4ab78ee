package emit

import (
	"context"
	"fmt"

	"github.com/rlvet/rlvet/internal/hunt"
)

// Tests are those that a hunt leaves in a folder of the project.
type Tests struct {
	// Dir is the folder, as the user names it.
	Dir string
	// Revision is the tag or branch of rlvet that the hook and the workflow name.
	Revision string
	// Say shows what is done; nil for nobody.
	Say func(step string)
}

// Ready implements [hunt.Tester].
func (t *Tests) Ready(root string) error {
	if _, err := Folder(t.Dir, root); err != nil {
		return fmt.Errorf("--emit-test: %w", err)
	}
	return nil
}

// Write implements [hunt.Tester].
func (t *Tests) Write(ctx context.Context, j *hunt.Job, r *hunt.Result) error {
	dir, err := Folder(t.Dir, j.Plan.Root)
	if err == nil {
		e := &Emitter{Result: r, Plan: j.Plan, Dir: dir, Work: j.Work, Record: j.Record, Revision: t.Revision, Run: j.Run, Say: t.Say}
		err = e.Emit(ctx)
	}
	if err != nil {
		return fmt.Errorf("--emit-test: %w", err)
	}
	return nil
}
