package cfg_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/cfg"
	"github.com/rlvet/rlvet/internal/py/parsetest"
)

func TestReach(t *testing.T) {
	golden(t, "testdata/reach.txt", ".reach", func(t *testing.T, text string) string {
		m := parsetest.Parse(t, text)
		return reachText(m, cfg.Reaching(cfg.New(m.Body), nil))
	})
}

// reachText lists the uses with definitions in source order.
func reachText(m *ast.Module, r *cfg.Reach) string {
	var out strings.Builder
	ast.WalkModule(m, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok || r.Defs(e) == nil {
			return true
		}
		fmt.Fprintf(&out, "%d: %s <-", lineOf(m, n), m.Source(n))
		for _, d := range r.Defs(e) {
			out.WriteString(" " + defText(m, d))
		}
		out.WriteString("\n")
		return true
	})
	return out.String()
}

func defText(m *ast.Module, d *cfg.Def) string {
	if d.Node == nil {
		return d.Kind.String()
	}
	text := fmt.Sprintf("%s:%d", d.Kind, lineOf(m, d.Node))
	if d.Weak {
		text += "?"
	}
	return text
}

func lineOf(m *ast.Module, n ast.Node) int {
	return 1 + bytes.Count(m.Text[:n.Span().Start], []byte("\n"))
}
