package query

// Centre reads s as values less their mean; of are the values.
func (s Seen) Centre() (of Seen, ok bool) {
	d := s.Strip()
	if !d.Known() || !d.IsOp("sub") || len(d.In) < 2 || !d.Input(1).isMeanOf(d.Input(0)) {
		return Seen{}, false
	}
	return d.Input(0), true
}

// WithoutEps takes off what keeps s from zero: an epsilon, or a least value.
func (s Seen) WithoutEps() Seen {
	for range 4 {
		x := s.Strip()
		if !x.Known() || len(x.In) == 0 || x.In[0] == nil {
			return x
		}
		switch v, _, ok := Eps(x.Val); {
		case ok:
			s = x.Of(v)
		case x.IsOp("clamp", "clamp_min", "clip", "maximum"):
			s = x.Input(0)
		default:
			return x
		}
	}
	return s
}
