package lsp

import (
	"context"
	"fmt"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/lsp/protocol"
)

// codeLenses is textDocument/codeLens: above each finding that a run can confirm an
// offer to run the script, and what the last run said. Hints get none, or every guess
// by a name would be a line of its own.
func (s *server) codeLenses(ctx context.Context, p protocol.OnDocument) ([]protocol.CodeLens, error) {
	out := []protocol.CodeLens{}
	s.mu.Lock()
	on := s.Confirm != nil && !s.settings.noLenses
	s.mu.Unlock()
	if !on {
		return out, nil
	}
	r, v, err := s.resultOf(ctx, p.TextDocument.URI)
	if err != nil || r == nil || r.file == nil {
		return out, err
	}
	a := actions{view: v, result: r, uri: p.TextDocument.URI, confirms: true}
	known := map[string]bool{}
	for i := range r.findings {
		f := &r.findings[i]
		if severityOf(f) == protocol.SeverityHint || !a.confirmable(f) {
			continue
		}
		span := v.span(r.file, f.Range)
		if same := fmt.Sprint(span.Start.Line, f.Code); !known[same] {
			known[same] = true
			out = append(out, protocol.CodeLens{Range: span, Command: a.lens(f)})
		}
	}
	return out, nil
}

// lens is the command of a finding's lens; its title has the verdict where there is one.
func (a *actions) lens(f *finding.Finding) *protocol.Command {
	title := fmt.Sprintf("Confirm %s by running", f.Code)
	if verdict := a.verdicts[a.result.path][f.Fingerprint]; verdict != "" {
		title, _, _ = strings.Cut(verdict, ": ")
	}
	return &protocol.Command{Title: title, Command: commandConfirm, Arguments: []string{string(a.uri), f.Fingerprint}}
}
