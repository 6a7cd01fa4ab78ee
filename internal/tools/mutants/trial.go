package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/rules"
)

// aside are files in which nobody trains.
var aside = regexp.MustCompile(`(^|/)(tests?|docs?|third_party|vendor)/|(^|/)test_|_test\.py$|(^|/)conftest\.py$`)

// trains and foreign say whether a file is a trainer in PyTorch.
var (
	trains  = regexp.MustCompile(`gamma|advantage|log_prob|logprob|ratio|reward|policy`)
	foreign = regexp.MustCompile(`(?m)^\s*(import|from) (jax|flax|tensorflow)\b`)
)

const maxBytes = 300_000 // of a file in which something is planted

// repository plants the operators in the files of one repository.
func (o options) repository(ctx context.Context, dir string, chosen []operator, scores []score, out io.Writer) error {
	planted := make([]int, len(chosen))
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".py") {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || aside.MatchString(filepath.ToSlash(rel)) {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || len(text) > maxBytes || !trains.Match(text) || !strings.Contains(string(text), "torch") || foreign.Match(text) {
			return err
		}
		return o.file(ctx, path, text, chosen, planted, scores, out)
	})
}

// file plants the operators in one file.
func (o options) file(ctx context.Context, path string, text []byte, chosen []operator, planted []int, scores []score, out io.Writer) error {
	parser := parse.New()
	defer parser.Close()
	tree, err := parser.Parse(ctx, path, text)
	if err != nil || len(tree.Errors) > 0 {
		return nil // not a file for this
	}
	m := newModule(tree)
	var before map[string]int
	for i, op := range chosen {
		for _, edits := range m.mutants(op) {
			if planted[i] >= o.limit {
				break
			}
			mutant, err := edit.Apply(text, edits)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", path, op.name, err)
			}
			if t, err := parser.Parse(ctx, path, mutant); err != nil || len(t.Errors) > 0 {
				continue
			}
			if before == nil {
				if before, err = findings(ctx, path, text); err != nil {
					return err
				}
			}
			after, err := findings(ctx, path, mutant)
			if err != nil {
				return err
			}
			planted[i]++
			scores[i].planted++
			if op.hears(before, after) {
				scores[i].heard++
			} else if o.verbose {
				fmt.Fprintf(out, "missed: %s %s:%d\n", op.name, path, 1+strings.Count(string(text[:edits[0].Start]), "\n"))
			}
		}
	}
	return nil
}

// hears reports whether one of the operator's rules says more after the change.
func (op operator) hears(before, after map[string]int) bool {
	for code, n := range after {
		if n > before[code] && slices.ContainsFunc(op.codes, func(prefix string) bool { return strings.HasPrefix(code, prefix) }) {
			return true
		}
	}
	return false
}

// findings counts what the rules find in a text that stands for a file, by code.
func findings(ctx context.Context, path string, text []byte) (map[string]int, error) {
	registry, err := rule.NewRegistry(rules.All(), rules.Retired())
	if err != nil {
		return nil, err
	}
	preview := true
	resolver := &config.Resolver{Rules: registry, Isolated: true, Override: config.Values{Preview: &preview}}
	files, err := vet.Open(vet.Request{Text: &vet.Text{Path: path, Raw: text}, Rules: registry, Resolver: resolver})
	if err != nil {
		return nil, err
	}
	result, err := files.Check(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]int{}
	for _, f := range result.Findings {
		out[f.Code]++
	}
	return out, nil
}
