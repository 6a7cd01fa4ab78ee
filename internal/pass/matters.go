package pass

import (
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Gains are of the order of 1, and so are entropies and divergences. A term that weighs little beside them hardly moves a policy.
const (
	slight     = 1e-3 // of the weight of what improves the policy
	negligible = 1e-4
)

// Weighed is the severity of a mistake in a term of a loss: lower where the numbers in the program, among them the defaults of settings,
// give the term a weight that is small beside that of the policy's objective. Empty is that of the page.
func Weighed(l roles.Loss, t roles.Term) finding.Severity {
	switch share, known := l.Share(t); {
	case known && share <= negligible:
		return finding.Note
	case known && share <= slight:
		return finding.Warning
	}
	return ""
}

// Quiet is the severity of a lost gradient: lower where backward() stops the run, for then the program says what is wrong as soon as it
// gets there.
func Quiet(c roles.Severed) finding.Severity {
	if c.Raises() {
		return finding.Warning
	}
	return ""
}

// OfLoss is the severity of a mistake in the call that computes a loss: a note where nothing comes of the loss but a number that people
// read, as in an evaluation that counts right choices.
func (p *Pass) OfLoss(loss *infer.Val) finding.Severity {
	if loss.Is(domain.Loss) && !p.Roles.FateOf(loss).Matters() {
		return finding.Note
	}
	return ""
}
