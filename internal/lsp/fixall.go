package lsp

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/rlvet/rlvet/internal/lsp/protocol"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/vet"
)

// maxPasses bounds how often a file is fixed and looked at again: what one fix
// hides from another shows in the next pass, as with --fix.
const maxPasses = 10

// fixed is a file with all its safe fixes, nil where there are none. Editors ask for it
// with every move of the cursor.
type fixed struct {
	once  sync.Once
	after *source.File
}

// fixAll returns the action that applies all safe fixes of a file.
func (a *actions) fixAll(ctx context.Context) []protocol.CodeAction {
	all := a.result.fixed
	all.once.Do(func() { all.after = a.allFixed(context.WithoutCancel(ctx)) })
	if all.after == nil {
		return nil
	}
	return []protocol.CodeAction{{Title: "rlvet: apply all safe fixes of this file", Kind: kindFixAll, Edit: a.changes(all.after)}}
}

// allFixed applies the safe fixes until none is left.
func (a *actions) allFixed(ctx context.Context) (after *source.File) {
	pass := *a
	for range maxPasses {
		next, ok := pass.fixed(pass.safe())
		if !ok {
			break
		}
		after = next
		again, err := a.recheck(ctx, after)
		if err != nil {
			break
		}
		pass.result = again
	}
	return after
}

// safe returns the findings whose fixes need nobody to look at them.
func (a *actions) safe() []*finding.Finding {
	var out []*finding.Finding
	for i := range a.result.findings {
		f := &a.result.findings[i]
		if f.Fix != nil && f.Fix.Applicability == finding.Safe && a.result.settings.Fixable[f.Code] {
			out = append(out, f)
		}
	}
	return out
}

// recheck returns what would be known of the file if it had another text.
func (a *actions) recheck(ctx context.Context, file *source.File) (*result, error) {
	r := *a.result
	job := vet.Job{Rules: r.rules, Inputs: []config.Input{{Path: r.path, Settings: r.settings}}, Partly: true}
	found, err := engine.Check(ctx, []string{r.path}, engine.Options{
		Analyzers: job.Analyzers(), Torch: r.torch, Cache: r.cache, Peek: true,
		Buffers: map[string]*source.File{filepath.FromSlash(r.path): file},
	})
	if err != nil {
		return nil, err
	}
	only := func(list []finding.Finding) (out []finding.Finding) {
		for _, f := range list {
			if f.Range.File == r.path {
				out = append(out, f)
			}
		}
		return out
	}
	r.file = file
	found.Findings = only(found.Findings)
	r.findings = job.Judge(found).Findings
	return &r, nil
}
