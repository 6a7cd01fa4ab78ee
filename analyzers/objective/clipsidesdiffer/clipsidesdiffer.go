// Package clipsidesdiffer is rule OBJ026, clip-sides-differ; rule.md says what it finds.
package clipsidesdiffer

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports clipped objectives whose two sides are not weighed by one advantage.
var Analyzer = pass.Rule(Doc, run)

var texts = map[roles.Difference][2]string{
	roles.NoAdvantage:      {"ratio clipped before it is multiplied by the advantage", "multiply both the ratio and the clipped ratio by the advantage, then take the minimum"},
	roles.PlainAdvantage:   {"clipped side of the objective lacks the advantage", "multiply the clipped ratio by the advantage, too"},
	roles.ClippedAdvantage: {"unclipped side of the objective lacks the advantage", "multiply the ratio by the advantage, too"},
	roles.OtherSign:        {"sides of the clipped objective have different signs", "give both sides the same sign"},
	roles.OtherAdvantage:   {"sides of the clipped objective have different advantages", "standardise the advantage before both sides are computed"},
}

func run(p *pass.Pass) {
	for _, l := range p.Roles.LopsidedSurrogates() {
		if p.In(l.At.Frame) == nil || l.At.Node == nil {
			continue
		}
		if l.How == roles.NoAdvantage && (l.Ratio.IsCutRatio() || p.Weighed(l.At.Val) == nil) {
			continue // a number to look at, or it weighs what cannot be negative: then both choose alike
		}
		f := pass.At(l.At.Val, l.Ratio.Val)
		f.Message, f.Help = texts[l.How][0], texts[l.How][1]
		f.Evidence = domain.Derived
		if l.How == roles.ClippedAdvantage || l.How == roles.OtherAdvantage || l.How == roles.PlainAdvantage {
			f.Related = side(p, l)
		}
		p.Report(f)
	}
}

// side points to the side that has to change, where it stands elsewhere.
func side(p *pass.Pass, l roles.Lopsided) []pass.Related {
	wrong := l.Clipped
	if l.How == roles.ClippedAdvantage {
		wrong = l.Plain
	}
	if at := query.PlaceOf(wrong.Strip().Val); at.Known() && at.Frame == l.At.Frame {
		return p.There(at, "this side")
	}
	return nil
}
