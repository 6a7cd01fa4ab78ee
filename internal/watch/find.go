package watch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/confirm/claim"
	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/program"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/source"
)

// mostOwn is how many places are watched of a file where nobody names any.
const mostOwn = 12

// finder finds places in the files of a program.
type finder struct {
	program *program.Program
	*claim.Reader
}

func newFinder(p *program.Program) *finder {
	return &finder{p, claim.NewReader(p.Name, p.Root, p.Checked.Files)}
}

// targets finds the places that are asked for, or else those that their names recommend.
func (f *finder) targets(ctx context.Context, asked []At, out *Result) (targets []harness.Target) {
	if len(asked) == 0 {
		asked = f.own(ctx, out)
	}
	for _, at := range asked {
		t, p, err := f.find(ctx, at, len(targets))
		if err != nil {
			out.Misplaced = append(out.Misplaced, fmt.Sprintf("%s: %v", at, err))
			continue
		}
		targets, out.Places = append(targets, t), append(out.Places, p)
	}
	return targets
}

// own are assignments of the script to names that say what they are.
func (f *finder) own(ctx context.Context, out *Result) (list []At) {
	name := f.program.Name
	file, err := f.read(ctx, name)
	if err != nil {
		out.Misplaced = append(out.Misplaced, fmt.Sprintf("%s: %v", name, err))
		return nil
	}
	seen := map[string]bool{}
	for _, p := range file.Places {
		if p.Form != "assignment" || seen[p.Name] || !isQuantity(p.Name) || len(list) == mostOwn {
			continue
		}
		seen[p.Name] = true
		at := file.Lines().Position(int(p.Start))
		list = append(list, At{File: name, Line: at.Row, Column: at.Column})
	}
	if len(list) == 0 {
		out.Misplaced = append(out.Misplaced, fmt.Sprintf("%s: no variable is called ratio, advantages, loss or the like; name places with --at", name))
	}
	return list
}

// read reads a file of the project.
func (f *finder) read(ctx context.Context, name string) (*claim.Text, error) {
	text, err := f.Read(ctx, name)
	if err == nil && text.Cells != nil {
		err = errors.New("places in notebooks cannot be watched yet; save the notebook as a script")
	}
	return text, err
}

// find makes a target of a place.
func (f *finder) find(ctx context.Context, at At, number int) (harness.Target, Place, error) {
	none := func(err error) (harness.Target, Place, error) { return harness.Target{}, Place{}, err }
	file, err := f.read(ctx, at.File)
	if err != nil {
		return none(err)
	}
	rel, err := f.Inside(at.File)
	if err != nil {
		return none(err)
	}
	start, end, err := file.Line(0, at.Line)
	if err != nil {
		return none(err)
	}
	lines := file.Lines()
	t := harness.Target{ID: number, File: rel, Row: at.Line, EndRow: at.Line, Expression: at.Expression}
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
		column := -1
		if at.Column > 0 {
			column = lines.Offset(source.Position{Row: at.Line, Column: at.Column})
		}
		chosen, err := claim.Whole.Choose(file, start, end, column)
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
	t.Code = "value"
	if p.Quantity != "" {
		t.Code = p.Quantity
	}
	return t, p, nil
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
