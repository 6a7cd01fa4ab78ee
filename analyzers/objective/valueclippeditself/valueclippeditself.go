// Package valueclippeditself is rule OBJ050, value-clipped-itself; rule.md says what it finds.
package valueclippeditself

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports clipped losses of a critic in which the value is kept near 0, and not near its old value.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, c := range p.Roles.ClippedValues() {
		if p.In(c.At.Frame) == nil || c.At.Node == nil {
			continue
		}
		f := pass.At(c.At.Val)
		f.Evidence = domain.Derived
		f.Related = p.Here(c.X.Val, "the value comes from here")
		p.Report(f)
	}
}
