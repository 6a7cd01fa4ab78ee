package pass

import "github.com/rlvet/rlvet/internal/rl/domain"

// Violations returns the broken contracts whose rows name this rule.
func (p *Pass) Violations() []Violation { return p.violations(false) }

// NamedViolations returns the contracts of this rule that are broken if a variable holds the logits that it is called after.
func (p *Pass) NamedViolations() []Violation { return p.violations(true) }

// LogitsFinding is the finding of a broken contract that takes no logits. Where only their name says that they
// are logits, it leaves no doubt.
func (v Violation) LogitsFinding() Finding {
	f := At(v.Call, v.Arg)
	f.Unmistakable = v.ByName || v.Arg.Q.Is(domain.Logits)
	if v.ByName {
		f.Evidence = domain.NameOnly
	}
	return f
}

func (p *Pass) violations(byName bool) []Violation {
	var out []Violation
	for _, v := range p.ResultOf[Contracts].([]Violation) {
		if v.Contract.Rule == p.Doc().Name && v.ByName == byName {
			out = append(out, v)
		}
	}
	return out
}
