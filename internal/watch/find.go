package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/confirm/claim"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/program"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/source"
)

// mostOwn is how many places are watched where nobody names any.
const mostOwn = 12

// finder finds places in the files of a program.
type finder struct {
	program *program.Program
	*claim.Reader
	known *known
}

func newFinder(ctx context.Context, p *program.Program) *finder {
	return &finder{p, claim.NewReader(p.Name, p.Root, p.Checked.Files), knownOf(ctx, p.Name)}
}

// targets finds the places that are asked for, or else those that inference and names recommend.
func (f *finder) targets(ctx context.Context, asked []At, out *Result) (targets []harness.Target) {
	add := func(at At, span *ast.Span) {
		t, p, err := f.find(ctx, at, span)
		if err != nil {
			out.Misplaced = append(out.Misplaced, fmt.Sprintf("%s: %v", at, err))
			return
		}
		t.ID = len(targets)
		targets, out.Places = append(targets, t), append(out.Places, p)
	}
	for _, at := range asked {
		add(at, nil)
	}
	if len(asked) > 0 {
		return targets
	}
	own := f.own(ctx)
	for _, s := range own {
		add(s.at, s.span)
	}
	if len(own) == 0 {
		out.Misplaced = append(out.Misplaced, fmt.Sprintf("%s: neither inference nor a name tells a ratio, an advantage, a loss or the like; name places with --at", f.program.Name))
	}
	return targets
}

// spot is a place to watch, with its expression where it is not asked for by its line.
type spot struct {
	at       At
	span     *ast.Span
	quantity string
}

// own are the places to watch where nobody names any: what inference knows, and of the quantities that it does not know
// those whose names say what they are. They stand in the order of the program.
func (f *finder) own(ctx context.Context) (list []spot) {
	for _, s := range f.known.own {
		file, err := f.Read(ctx, s.file)
		if err != nil || len(list) == mostOwn {
			continue
		}
		here := spot{span: &s.span, quantity: s.quantity}
		if s.variable != "" {
			here = spot{at: At{Expression: s.variable}, span: nil, quantity: s.quantity}
			s.span = s.statement
		}
		here.at = here.at.to(file, s.file, int(s.span.Start))
		list = append(list, here)
	}
	list = append(list, f.named(ctx, list)...)
	slices.SortStableFunc(list, func(a, b spot) int {
		return cmp.Or(cmp.Compare(a.at.File, b.at.File), cmp.Compare(a.at.Cell, b.at.Cell), cmp.Compare(a.at.Line, b.at.Line))
	})
	return list
}

// to is the place at an offset of a file.
func (a At) to(file *claim.Text, name string, offset int) At {
	cell, at, _ := file.Span(offset, offset)
	a.File, a.Cell, a.Line = name, cell, at.Row
	if a.Expression == "" {
		a.Column = at.Column
	}
	return a
}

// named are assignments of the script to names that say what they are, of quantities that are not watched yet.
func (f *finder) named(ctx context.Context, known []spot) (list []spot) {
	file, err := f.Read(ctx, f.program.Name)
	if err != nil {
		return nil
	}
	seen := map[string]bool{}
	for _, p := range file.Places {
		q := claim.QuantityOf(p.Name)
		if p.Form != "assignment" || seen[p.Name] || !isQuantity(q) || len(known)+len(list) >= mostOwn || !slices.Contains([]string{"", q}, f.known.all[location{filepath.Clean(file.Path), p.Span}]) {
			continue
		}
		if slices.ContainsFunc(known, func(s spot) bool { return s.quantity == q }) {
			continue
		}
		seen[p.Name] = true
		list = append(list, spot{at: At{}.to(file, f.program.Name, int(p.Start)), span: &p.Span, quantity: q})
	}
	return list
}

// find makes a target of a place; span is its expression, nil where its line tells.
func (f *finder) find(ctx context.Context, at At, span *ast.Span) (harness.Target, Place, error) {
	none := func(err error) (harness.Target, Place, error) { return harness.Target{}, Place{}, err }
	file, err := f.Read(ctx, at.File)
	if err != nil {
		return none(err)
	}
	rel, err := f.Inside(at.File)
	if err != nil {
		return none(err)
	}
	if file.Cells != nil {
		if f.Name(at.File) != f.Name(f.program.Name) {
			return none(errors.New("it is another notebook than the one that runs"))
		}
		rel = program.NotebookScript(rel)
	}
	start, end, err := file.Line(at.Cell, at.Line)
	if err != nil {
		return none(err)
	}
	lines := file.Lines()
	row := lines.Row(start)
	t := harness.Target{File: rel, Row: row, EndRow: row, Expression: at.Expression}
	p := Place{At: at, Text: at.Expression}
	if at.Expression != "" {
		if p.Quantity, err = f.expression(ctx, at.Expression); err != nil {
			return none(err)
		}
		if !begins(file.Tree.Body, start, end) {
			return none(errors.New("no statement begins on this line"))
		}
		t.Start, t.End, t.Text = start, start, ""
	} else {
		chosen, err := choose(file, at, span, start, end)
		if err != nil {
			return none(err)
		}
		t.Start, t.End = int(chosen.Start), int(chosen.End)
		t.EndRow, t.Text = lines.Row(t.End), string(file.Text[t.Start:t.End])
		p.Text, p.Quantity = strings.Join(strings.Fields(t.Text), " "), claim.QuantityOf(chosen.Name)
		if name := assigned(file, chosen, start, end); name != "" {
			p.Text, p.Quantity = name, claim.QuantityOf(name)
		}
	}
	p.ByName = p.Quantity != ""
	if q := f.inferred(file, t, p); q != "" {
		p.Quantity, p.ByName = q, false
	}
	t.Label, t.Code = p.Text, "value"
	if p.Quantity != "" {
		t.Code = p.Quantity
	}
	return t, p, nil
}

// choose finds the expression of a place.
func choose(file *claim.Text, at At, span *ast.Span, start, end int) (claim.Place, error) {
	if span != nil {
		i := slices.IndexFunc(file.Places, func(p claim.Place) bool { return p.Span == *span && p.Form != "function" })
		if i < 0 {
			return claim.Place{}, errors.New("there is no expression that a run could watch")
		}
		return file.Places[i], nil
	}
	column := -1
	if at.Column > 0 {
		column, _ = file.Offset(at.Cell, source.Position{Row: at.Line, Column: at.Column})
	}
	return claim.Whole.Choose(file, start, end, column)
}

// inferred is the quantity of a place by inference, "" where it is not known.
func (f *finder) inferred(file *claim.Text, t harness.Target, p Place) string {
	for _, s := range f.known.own {
		if s.variable != "" && s.variable == p.Expression && s.file == filepath.Clean(file.Path) && file.Lines().Row(int(s.statement.Start)) == t.Row {
			return s.quantity
		}
	}
	return f.known.all[location{filepath.Clean(file.Path), ast.Span{Start: uint32(t.Start), End: uint32(t.End)}}]
}

// expression is the quantity of an expression by its name: ratio[mask] is a ratio, ratio.std() is a std. The
// error says in one line what is wrong with it.
func (f *finder) expression(ctx context.Context, text string) (quantity string, err error) {
	m, err := f.Parse(ctx, "expression", []byte("("+text+")"))
	if err != nil {
		return "", err
	}
	if len(m.Errors) > 0 || len(m.Body) != 1 {
		return "", fmt.Errorf("%q is no expression of Python", text)
	}
	for _, p := range claim.Places(m) {
		if p.Whole {
			quantity = claim.QuantityOf(p.Name)
		}
	}
	return quantity, nil
}

// begins reports whether a statement begins between two offsets.
func begins(body []ast.Stmt, start, end int) bool {
	found := false
	ast.InspectStmts(body, func(s ast.Stmt) bool {
		at := int(s.Span().Start)
		found = found || at >= start && at < end
		return !found
	})
	return found
}

// assigned is the only variable that a statement gives the value at a place, "" where there is none.
func assigned(file *claim.Text, chosen claim.Place, start, end int) string {
	var names []string
	for _, p := range file.Places {
		if at := int(p.Start); p.Form == "assignment" && at >= start && at < end && (chosen.Whole || chosen.Form == "assignment" && p.Span == chosen.Span) {
			names = append(names, string(file.Text[p.Start:p.End]))
		}
	}
	if len(names) != 1 || slices.Contains(names, "") {
		return ""
	}
	return names[0]
}
