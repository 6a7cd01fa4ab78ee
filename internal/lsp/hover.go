package lsp

import (
	"context"
	"fmt"
	"strings"

	"github.com/rlvet/rlvet/internal/lsp/protocol"

	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/suppress"
)

// hover is textDocument/hover: over the code in a suppression the page of the rule, over
// a finding why it hurts and what helps, over an expression what rlvet knows of its value.
func (s *server) hover(ctx context.Context, p protocol.OnDocument) (*protocol.Hover, error) {
	r, v, err := s.resultOf(ctx, p.TextDocument.URI)
	if err != nil || r == nil || r.file == nil {
		return nil, err
	}
	offset, ok := v.offset(r, p.TextDocument.URI, p.Position)
	if !ok {
		return nil, nil
	}
	if start, end, page := s.ruleAt(r.file, offset); page != "" {
		return hoverOf(page, v.client.encoding.span(r.file, start, end)), nil
	}
	said, start, end := r.reasons(offset)
	values, err := r.values(ctx)
	if err != nil {
		return nil, err
	}
	for _, x := range values { // inner ones first
		if x.start <= offset && offset < x.end {
			text := strings.Join(strings.Fields(r.file.Original(x.start, x.end)), " ")
			said, start, end = append(said, fmt.Sprintf("`%s`: %s", shortened(text), x.long)), x.start, x.end
			break
		}
	}
	if len(said) == 0 {
		return nil, nil
	}
	return hoverOf(strings.Join(said, "\n\n---\n\n"), v.client.encoding.span(r.file, start, end)), nil
}

// reasons says of each finding at an offset why it hurts and what helps; the bytes are those of
// the last one.
func (r *result) reasons(offset int) (said []string, start, end int) {
	for i := range r.findings {
		f := &r.findings[i]
		if f.Range.File != r.path || offset < f.Range.StartByte || f.Range.EndByte <= offset || f.Why == "" {
			continue
		}
		text := fmt.Sprintf("**%s** %s\n\nWhy: %s", f.Code, f.Message, f.Why)
		if f.Help != "" {
			text += "\n\nHelp: " + f.Help
		}
		said, start, end = append(said, text), f.Range.StartByte, f.Range.EndByte
	}
	return said, start, end
}

func hoverOf(markdown string, r protocol.Range) *protocol.Hover {
	return &protocol.Hover{Range: r, Contents: protocol.MarkupContent{Kind: "markdown", Value: markdown}}
}

// offset returns the byte of a file at a position of one of its documents.
func (v view) offset(r *result, uri protocol.DocumentURI, p protocol.Position) (int, bool) {
	f := r.file
	if f.Cells == nil {
		return v.client.encoding.offset(f.Lines(), f.Text, p), true
	}
	for _, c := range f.Cells {
		if r.buffer.cell(c.Number) == uri {
			p.Line += uint32(f.Lines().Row(c.Start) - 1)
			return min(v.client.encoding.offset(f.Lines(), f.Text, p), c.End), true
		}
	}
	return 0, false
}

// ruleAt returns the page of the rule that a suppression names at an offset.
func (s *server) ruleAt(f *source.File, offset int) (start, end int, page string) {
	for _, d := range suppress.Parse(f) {
		for _, name := range d.Rules {
			if name.Start <= offset && offset < name.End {
				if e, ok := s.Rules.Lookup(name.Text); ok {
					return name.Start, name.End, e.Doc.Markdown()
				}
			}
		}
	}
	return 0, 0, ""
}

// shortened cuts a long expression in the middle, and leaves nothing in it that
// would end a code span.
func shortened(text string) string {
	const most = 60
	text = strings.ReplaceAll(text, "`", "'")
	if r := []rune(text); len(r) > most {
		return string(r[:most/2]) + "…" + string(r[len(r)-most/2:])
	}
	return text
}
