package hunt

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/vet"
)

// # The static explanation
//
// What the rules say of a line is a claim; what the run showed there is evidence. A finding
// explains the failure where it flags the line of the first bad operation, or something in
// the class of a function whose gradient is wrong.

// explanation is a finding that explains the failure, with the report that it is of.
type explanation struct {
	finding.Finding
	of *vet.Result
}

// explain puts into the result the findings that explain what was seen.
func (h *hunter) explain(ctx context.Context) error {
	list, err := h.explanations(ctx)
	for _, e := range list {
		h.result.Findings = append(h.result.Findings, vet.ToJSON(e.Finding, e.of.Dir))
	}
	return err
}

// explanations are the findings on the suspect lines, those of the first bad line first.
func (h *hunter) explanations(ctx context.Context) (out []explanation, err error) {
	for _, s := range h.suspects() {
		r, err := h.check(ctx, s.filename)
		if err != nil {
			return nil, err
		}
		if r == nil {
			continue
		}
		for _, f := range r.Findings {
			known := slices.ContainsFunc(out, func(e explanation) bool { return e.Code == f.Code && e.Range == f.Range })
			if !known && s.holds(ctx, r.Files[f.Range.File], f.Range) {
				out = append(out, explanation{f, r})
			}
		}
	}
	return out, nil
}

// suspect is a place that something was seen at: a line, or the class around it.
type suspect struct {
	filename  string
	cell, row int
	class     bool
}

func (h *hunter) suspects() (out []suspect) {
	if bad := h.result.FirstBad; bad != nil {
		out = append(out, suspect{bad.Filename, bad.Cell, bad.Row, false})
		if bad.Function != nil {
			out = append(out, suspect{bad.Filename, bad.Cell, bad.Row, true})
		}
	}
	for _, g := range wrong(h.result.Gradients) {
		out = append(out, suspect{g.Filename, g.Cell, g.Row, true})
	}
	for _, c := range h.result.Changed {
		out = append(out, suspect{c.Filename, c.Cell, c.Row, false})
	}
	return slices.DeleteFunc(out, func(s suspect) bool { return s.filename == "" })
}

// holds reports whether a range touches the suspect lines.
func (s suspect) holds(ctx context.Context, file *source.File, at finding.Range) bool {
	if at.Cell != s.cell {
		return false
	}
	first, last := s.row, s.row
	if s.class && file != nil && s.cell == 0 {
		first, last = classAround(ctx, file, s.row)
	}
	return at.Start.Row <= last && at.End.Row >= first
}

// classAround returns the rows of the innermost class that holds a row, or that row.
func classAround(ctx context.Context, file *source.File, row int) (first, last int) {
	first, last = row, row
	parser := parse.New()
	defer parser.Close()
	tree, err := parser.Parse(ctx, file.Path, file.Text)
	if err != nil {
		return first, last
	}
	lines := file.Lines()
	ast.WalkModule(tree, func(n ast.Node) bool {
		if c, ok := n.(*ast.ClassDef); ok {
			from, to := lines.Row(int(c.Span().Start)), lines.Row(int(c.Span().End))
			if from <= row && row <= to {
				first, last = from, to
			}
		}
		return true
	})
	return first, last
}

// check returns the static findings of a file of the project, nil where it has none to be
// looked at: a library's file, or one that cannot be checked.
func (h *hunter) check(ctx context.Context, path string) (*vet.Result, error) {
	if rel, err := filepath.Rel(h.Plan.Root, path); err != nil || !filepath.IsLocal(rel) || h.Check == nil {
		return nil, nil
	}
	if r, known := h.checked[path]; known {
		return r, nil
	}
	r, err := h.Check(ctx, path)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		h.note("%s could not be checked: %v", h.result.Shown(path), err)
		r = nil
	}
	h.checked[path] = r
	return r, nil
}
