// Package fractionscutoff is rule OFF029, fractions-cut-off; rule.md says what it finds.
package fractionscutoff

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports what is written into arrays of integers though it has digits behind the point.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for f, st := range query.Everywhere[*ast.Assign](p.Graph) {
		for _, t := range st.Targets {
			sub, ok := t.(*ast.Subscript)
			if !ok || !p.See(f.Val(sub.X)).HoldsWhole() || !p.See(f.Val(t)).IsFractional() {
				continue
			}
			p.Report(pass.Finding{At: st.Value, Frame: f, Evidence: domain.Derived, Related: p.Here(f.Val(sub.X), "this holds integers")})
		}
	}
}
