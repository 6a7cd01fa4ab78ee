package lsp

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/lsp/protocol"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// part is a part of a training program in one file.
type part struct {
	name, detail string
	kind         int
	start, end   int // bytes of the file
	head         int // the end of what an editor selects
}

// documentSymbols is textDocument/documentSymbol: the parts of the training program that
// the file holds: where it collects, where it updates, and its losses.
func (s *server) documentSymbols(ctx context.Context, p protocol.OnDocument) ([]protocol.DocumentSymbol, error) {
	out := []protocol.DocumentSymbol{}
	r, v, err := s.resultOf(ctx, p.TextDocument.URI)
	if err != nil || r == nil || r.file == nil || r.file.Cells != nil {
		return out, err // a cell has no parts of its own
	}
	parts, err := r.parts(ctx)
	for _, x := range parts {
		out = append(out, protocol.DocumentSymbol{
			Name: x.name, Detail: x.detail, Kind: x.kind,
			Range: v.client.encoding.span(r.file, x.start, x.end), SelectionRange: v.client.encoding.span(r.file, x.start, x.head),
		})
	}
	return out, err
}

// partsOf returns the parts of a program that stand in a module, in the order of the text.
func partsOf(m *roles.Model, tree *ast.Module, text string) []part {
	var out []part
	add := func(p part) {
		same := func(o part) bool { return o.name == p.name && o.start == p.start }
		if !slices.ContainsFunc(out, same) {
			out = append(out, p)
		}
	}
	loops := func(name, detail string, vals []*infer.Val) {
		for _, v := range vals {
			for _, l := range slices.Backward(m.Nest(query.PlaceOf(v))) {
				if l.Frame.Module.AST == tree {
					add(loopOf(name, detail, l, text))
					break // the innermost says it
				}
			}
		}
	}
	loops("rollout", "collects training data", m.EnvSteps)
	scheduled := func(v *infer.Val) bool { return m.IsSchedule(v.In[0]) } // which changes a learning rate, often a loop further out
	loops("update", "changes parameters", slices.DeleteFunc(slices.Clone(m.Steps), scheduled))
	for _, l := range m.Backwards {
		if l.Loss.Node != nil && l.Loss.Frame != nil && l.Loss.Frame.Module.AST == tree {
			s := l.Loss.Node.Span()
			add(part{"loss", firstLine(text, s), protocol.SymbolVariable, int(s.Start), int(s.End), int(s.End)})
		}
	}
	slices.SortFunc(out, func(a, b part) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.name, b.name)) })
	return out
}

func loopOf(name, detail string, l query.Loop, text string) part {
	s := l.Stmt.Span()
	return part{name, detail, protocol.SymbolEvent, int(s.Start), int(s.End), int(s.Start) + len(firstLine(text, s))}
}

// firstLine is the first line of a range of the text.
func firstLine(text string, s ast.Span) string {
	line, _, _ := strings.Cut(text[s.Start:s.End], "\n")
	return strings.TrimRight(line, "\r")
}
