package pass

import (
	"fmt"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// ReportPairings reports the tables of pairs that a rule asks for, each with the operand that has an axis
// too many.
func (p *Pass) ReportPairings(asked func(query.Pairing) bool) {
	for _, x := range p.Pairings() {
		if !asked(x) {
			continue
		}
		f := At(x.At, x.Column, x.Vector)
		f.Evidence = domain.Derived // whatever the quantities are: the shapes are of a column and a vector
		if e := p.Operand(x.At, x.Column); e != nil {
			f.Help = fmt.Sprintf("take the last axis off the column: `%s.squeeze(-1)`, or give the other side one", p.In(x.At.Frame).Operand(e))
		}
		if x.Use == query.PairError && x.Vector.Is(domain.Raw) { // what a network yields is no return
			f.Message = "every row is taken from every other row"
			f.Why = "(N,) less (N, 1) is an N x N table, so what belongs to one row meets that of all others"
		}
		f.Related = append(p.Here(x.Column, "a column, (N, 1)"), p.Here(x.Vector, "a vector, (N,)")...)
		p.Report(f)
	}
}
