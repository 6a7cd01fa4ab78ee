package pass

// Violations returns the broken contracts whose rows name this rule.
func (p *Pass) Violations() []Violation {
	var out []Violation
	for _, v := range p.ResultOf[Contracts].([]Violation) {
		if v.Contract.Rule == p.Doc().Name {
			out = append(out, v)
		}
	}
	return out
}
