// Package targetcopiesitself is rule VAL005, target-copies-itself; rule.md says what it finds.
package targetcopiesitself

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports networks that are given their own weights.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	snapshots(p)
	for _, t := range p.Roles.Transfers() {
		to, from := t.ToAt, t.FromAt
		if !to.Known() || !from.Known() || to.Frame != from.Frame || !t.To.Is(domain.Module) {
			continue
		}
		if !t.At.Node.Span().Covers(from.Node.Span()) { // what was taken before may be changed before it is given back
			continue
		}
		m := to.Frame.Module.AST
		if m == nil || m.Source(to.Node) != m.Source(from.Node) || !t.To.Known() || t.To.Strip().Val != t.From.Strip().Val {
			continue
		}
		p.Report(pass.Finding{At: t.At.Node, Frame: t.At.Frame, Evidence: domain.Derived})
	}
}
