package lsp

import (
	"context"
	"slices"

	"github.com/rlvet/rlvet/internal/lsp/protocol"
)

// inlayHints is textDocument/inlayHint: behind each variable that is assigned what
// it is, where the settings ask for it.
func (s *server) inlayHints(ctx context.Context, p protocol.OnDocument) ([]protocol.InlayHint, error) {
	out := []protocol.InlayHint{}
	s.mu.Lock()
	on := s.settings.inlayHints
	s.mu.Unlock()
	if !on {
		return out, nil
	}
	r, v, err := s.resultOf(ctx, p.TextDocument.URI)
	if err != nil || r == nil || r.file == nil {
		return out, err
	}
	from, ok1 := v.offset(r, p.TextDocument.URI, p.Range.Start)
	to, ok2 := v.offset(r, p.TextDocument.URI, p.Range.End)
	values, err := r.values(ctx)
	if err != nil || !ok1 || !ok2 {
		return out, err
	}
	for _, x := range values {
		if x.assigned && x.brief != "" && from <= x.end && x.end <= to {
			out = append(out, protocol.InlayHint{
				Position: v.client.encoding.span(r.file, x.end, x.end).Start, Kind: protocol.InlayHintType,
				Label: ": " + x.brief,
			})
		}
	}
	slices.SortFunc(out, func(a, b protocol.InlayHint) int {
		if precedes(a.Position, b.Position) {
			return -1
		}
		return 1
	})
	return out, nil
}
