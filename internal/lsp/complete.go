package lsp

import (
	"context"
	"regexp"
	"strings"

	"github.com/rlvet/rlvet/internal/lsp/protocol"
)

// inSuppression matches a line up to the cursor where that is among the rules which a
// comment suppresses; its group is the part of a rule that is typed.
var inSuppression = regexp.MustCompile(`#\s*(?:rlvet\s*:\s*ignore(?:-file)?\s*\[(?:[^\]#]*[\s,])?|(?i:noqa)\s*:(?:[^#]*[\s,])?)([A-Za-z0-9-]*)$`)

// completions is textDocument/completion: in a suppression the rules, those first that
// have a finding on its line.
func (s *server) completions(ctx context.Context, p protocol.OnDocument) ([]protocol.CompletionItem, error) {
	out := []protocol.CompletionItem{}
	r, v, err := s.resultOf(ctx, p.TextDocument.URI)
	if err != nil || r == nil || r.file == nil {
		return out, err
	}
	offset, ok := v.offset(r, p.TextDocument.URI, p.Position)
	if !ok {
		return out, nil
	}
	lines := r.file.Lines()
	row := lines.Row(offset)
	m := inSuppression.FindSubmatchIndex(r.file.Text[lines.Start(row):offset])
	if m == nil {
		return out, nil
	}
	here := map[string]bool{}
	for _, f := range r.findings {
		// A comment that is being written may be wrong itself, which is not what it is for.
		if !strings.HasPrefix(f.Code, "RLV") && lines.Row(f.Range.StartByte) <= row && row <= lines.Row(f.Range.EndByte) {
			here[f.Code] = true
		}
	}
	replaced := v.client.encoding.span(r.file, lines.Start(row)+m[2], offset)
	for _, e := range s.Rules.Entries() {
		order := "1"
		if here[e.Doc.Code] {
			order = "0"
		}
		out = append(out, protocol.CompletionItem{
			Label: e.Doc.Code, LabelDetails: protocol.LabelDetails{Description: e.Doc.Name}, Kind: protocol.CompletionValue, Detail: e.Doc.Name,
			Documentation: protocol.MarkupContent{Kind: "markdown", Value: e.Doc.Summary()},
			SortText:      order + e.Doc.Code, FilterText: e.Doc.Code + " " + e.Doc.Name,
			TextEdit: protocol.TextEdit{Range: replaced, NewText: e.Doc.Code},
		})
	}
	return out, nil
}
