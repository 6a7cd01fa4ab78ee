package engine

import (
	"cmp"
	"go/token"
	"slices"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/source"
)

// raw is a finding before it is merged with its like from other passes.
type raw struct {
	finding.Finding
	module    *module
	statement string // its text
}

// keep converts the diagnostics of one analyzer on the unit's module. They may
// lie in modules that it imports: a function is evaluated for each caller.
func (u *unit) keep(a *analysis.Analyzer, list []analysis.Diagnostic) {
	var out []raw
	for _, d := range list {
		m := u.moduleAt(d.Pos)
		if m == nil || !m.requested && u.options.RequestedOnly {
			continue
		}
		out = append(out, u.convert(a, m, d))
	}
	if len(out) == 0 {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	y := u.yieldOn(u.module)
	y.findings = append(y.findings, out...)
}

// moduleAt returns the module that a position lies in.
func (u *unit) moduleAt(pos token.Pos) *module {
	if tf := u.fset.File(pos); tf != nil {
		return u.sources[tf.Name()]
	}
	return nil
}

func (u *unit) convert(a *analysis.Analyzer, m *module, d analysis.Diagnostic) raw {
	evidence, applicability, severity := pass.ParseCategory(d.Category)
	r := raw{module: m, Finding: finding.Finding{
		Code: a.Name, URL: d.URL, Severity: severity, Evidence: evidence, Range: u.rangeOf(d.Pos, d.End),
	}}
	r.Message, r.Why, r.Help, r.Source = pass.SplitTexts(d.Message)
	if r.URL == "" {
		r.URL = a.URL
	}
	for _, rel := range d.Related {
		if u.moduleAt(rel.Pos) != nil {
			r.Related = append(r.Related, finding.Related{Range: u.rangeOf(rel.Pos, rel.End), Message: rel.Message})
		}
	}
	if len(d.SuggestedFixes) > 0 {
		r.Fix = u.fix(d.SuggestedFixes[0], applicability)
	}
	r.statement, r.NoqaRow = statement(m.File, u.treeOf(m), r.Range.StartByte)
	return r
}

// treeOf returns the tree of the unit's module or of one that it imports.
func (u *unit) treeOf(m *module) *ast.Module {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.live[m].AST
}

func (u *unit) fix(s analysis.SuggestedFix, a finding.Applicability) *finding.Fix {
	f := &finding.Fix{Applicability: a, Message: s.Message}
	for _, e := range s.TextEdits {
		f.Edits = append(f.Edits, finding.Edit{Range: u.rangeOf(e.Pos, e.End), Content: string(e.NewText)})
	}
	slices.SortStableFunc(f.Edits, func(a, b finding.Edit) int {
		return cmp.Or(cmp.Compare(a.Range.File, b.Range.File), cmp.Compare(a.Range.StartByte, b.Range.StartByte), cmp.Compare(a.Range.EndByte, b.Range.EndByte))
	})
	return f
}

// rangeOf turns positions into a range of their file.
func (u *unit) rangeOf(pos, end token.Pos) finding.Range {
	tf := u.fset.File(pos)
	m := u.sources[tf.Name()]
	start := int(pos) - tf.Base()
	stop := start
	if end.IsValid() {
		stop = max(start, int(end)-tf.Base())
	}
	r := finding.Range{File: m.Path, StartByte: start, EndByte: stop}
	r.Cell, r.Start, r.End = m.File.Span(start, stop)
	return r
}

// statement returns the text of the innermost statement around an offset, of a
// compound one its head, and the row in its cell on which it ends, where a
// comment that suppresses stands.
func statement(file *source.File, tree *ast.Module, offset int) (text string, row int) {
	span := ast.Span{Start: uint32(offset), End: uint32(offset)}
	if source.LanguageOf(file.Path).Configures() {
		row := file.Lines().Row(offset)
		span = ast.Span{Start: uint32(file.Lines().Start(row)), End: uint32(file.Lines().End(row))}
	}
	if tree != nil {
		span = innermost(tree.Body, uint32(offset), span)
	}
	_, _, end := file.Span(int(span.Start), int(span.End))
	return string(file.Text[span.Start:span.End]), end.Row
}

// innermost descends to the statement around an offset.
func innermost(body []ast.Stmt, offset uint32, span ast.Span) ast.Span {
	i, found := slices.BinarySearchFunc(body, offset, func(s ast.Stmt, at uint32) int { return cmp.Compare(s.Span().Start, at) })
	if !found {
		i--
	}
	if i < 0 || offset > body[i].Span().End {
		return span
	}
	span = body[i].Span()
	blocks := ast.Blocks(body[i])
	for _, b := range blocks {
		if offset >= b[0].Span().Start && offset <= b[len(b)-1].Span().End {
			return innermost(b, offset, span)
		}
	}
	if len(blocks) > 0 {
		span.End = headEnd(body[i], blocks[0][0].Span().Start)
	}
	return span
}

// headEnd returns the end of the last part of a compound statement before its
// body.
func headEnd(s ast.Stmt, body uint32) uint32 {
	end := s.Span().Start
	ast.Children(s, func(n ast.Node) {
		if e := n.Span().End; e <= body {
			end = max(end, e)
		}
	})
	return end
}
