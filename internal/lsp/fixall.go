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
	return []protocol.CodeAction{{Title: "rlvet: Apply all safe fixes of this file", Kind: kindFixAll, Edit: a.changes(all.after)}}
}

// allFixed applies the safe fixes until none is left.
func (a *actions) allFixed(ctx context.Context) *source.File {
	return vet.FixFile(a.result.file, a.result.settings.Fixable, func(file *source.File) ([]finding.Finding, error) {
		if file == a.result.file {
			return a.result.findings, nil
		}
		return a.recheck(ctx, file)
	})
}

// recheck returns what would be found in the file if it had another text.
func (a *actions) recheck(ctx context.Context, file *source.File) ([]finding.Finding, error) {
	r := a.result
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
	found.Findings = only(found.Findings)
	return job.Judge(found).Findings, nil
}
