package pass

import (
	"fmt"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/coverage"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/words"
)

// Unheard says of which losses inference understood little. What it reports is no finding:
// whoever checks tells people that silence means nothing there. The headline is how much was
// understood, why what is missing.
var Unheard = &analysis.Analyzer{
	Name:     "unheard",
	Doc:      "says of which losses little was understood",
	Requires: steps,
	Run: func(ap *analysis.Pass) (any, error) {
		p := newPass(ap)
		p.reportUnheard()
		p.flush()
		return nil, nil
	},
}

// reportUnheard asks each loss of the module, as the call of the function around it that
// understands most has it.
func (p *Pass) reportUnheard() {
	best, order := map[ast.Node]coverage.Loss{}, []*infer.Val{}
	room := 4*coverage.Reach + 2*len(p.Values.Values()) // one loss may be made of all those before
	for _, b := range p.Roles.Backwards {
		call := b.Call
		if call.Node == nil || call.Frame == nil || call.Frame.Stale() || p.In(call.Frame) != p.Source {
			continue
		}
		if room <= 0 {
			p.Values.Stats.LossHits++
			continue
		}
		l := coverage.OfLoss(b.Loss)
		room -= l.Seen
		known, seen := best[call.Node]
		if !seen {
			order = append(order, call)
		}
		if !seen || l.Known*known.Of > known.Known*l.Of {
			best[call.Node] = l
		}
	}
	for _, call := range order {
		if l := best[call.Node]; l.Deaf() {
			p.Report(Finding{
				At: call.Node, Frame: call.Frame, Evidence: domain.Derived,
				Message: fmt.Sprintf("only %d of %d expressions behind this loss %s understood", l.Known, l.Of, words.Choose(l.Known, "was", "were")), Why: l.Why,
			})
		}
	}
}
