package pass

// Violations returns the broken contracts whose rows name this rule.
func (p *Pass) Violations() []Violation { return p.violations(false) }

// NamedViolations returns the contracts of this rule that are broken if a variable holds the logits that it is called after.
func (p *Pass) NamedViolations() []Violation { return p.violations(true) }

func (p *Pass) violations(byName bool) []Violation {
	var out []Violation
	for _, v := range p.ResultOf[Contracts].([]Violation) {
		if v.Contract.Rule == p.Doc().Name && v.ByName == byName {
			out = append(out, v)
		}
	}
	return out
}
