package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/rlvet/rlvet/internal/hunt"
	"github.com/rlvet/rlvet/internal/hunt/emit"
	"github.com/rlvet/rlvet/internal/hunt/postmortem"
)

// leave writes what the command leaves behind: the test, then the post-mortem, which names
// it.
func (h *hunting) leave(ctx context.Context, job *hunt.Job, r *hunt.Result) error {
	if r.Error != "" {
		return nil
	}
	if err := h.writeTest(ctx, job, r); err != nil {
		return err
	}
	return h.writeReport(r)
}

// writeTest writes the test where one is asked for.
func (h *hunting) writeTest(ctx context.Context, job *hunt.Job, r *hunt.Result) error {
	if h.flags.tests == "" {
		return nil
	}
	dir, err := emit.Folder(h.flags.tests, job.Plan.Root)
	if err != nil {
		return fmt.Errorf("--emit-test: %w", err)
	}
	e := &emit.Emitter{
		Result: r, Plan: job.Plan, Dir: dir, Work: job.Work, Record: job.Record, Revision: revision(), Run: h.runAll,
		Say: func(step string) { h.note(step + " ...") },
	}
	if err := e.Emit(ctx); err != nil {
		return fmt.Errorf("--emit-test: %w", err)
	}
	return nil
}

// writeReport writes the post-mortem where one is asked for.
func (h *hunting) writeReport(r *hunt.Result) error {
	if h.flags.report == "" {
		return nil
	}
	files, err := postmortem.Write(h.flags.report, r)
	if err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	for what, path := range files {
		r.Files[what] = path
	}
	return nil
}

// folder says before anything runs what would keep files from being written to a folder.
func folder(flag, path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: %s is a file; name a folder", flag, path)
	}
	return nil
}
