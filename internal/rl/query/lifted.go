package query

// IsLifted reports whether the least of some scores was subtracted from them, or a number was added that hardly any score is below the negative
// of: none is negative then.
func (s Seen) IsLifted() bool {
	for _, t := range TermsOf(s.Strip(), 1) {
		x := t.Seen.Strip()
		if c, ok := x.Float(); ok && float64(t.Sign)*c >= lift {
			return true
		}
		for range 4 { // the least stands in a field or a place of what min yields
			if !x.Known() || len(x.In) == 0 || x.IsOp("min", "amin") {
				break
			}
			x = x.Input(0).Strip()
		}
		if t.Sign < 0 && x.Known() && x.IsOp("min", "amin") {
			return true
		}
	}
	return false
}

const lift = 1000
