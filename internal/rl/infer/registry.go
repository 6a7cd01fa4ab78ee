package infer

import "slices"

// A registry is a dict that one module makes and others fill, by hand or by a
// decorator: LOSSES["ppo"] = loss. The dict belongs to the module that made it, which
// may be in use elsewhere at the same time, so a write from outside is kept with the
// module that makes it, and read by the modules that import that one.

// register notes what this module puts into a dict of another.
func (in *interp) register(d *DictRef, idx, v *Val) {
	m := in.cfg.Module
	if m.writes == nil {
		m.writes = map[*DictRef]*DictRef{}
		m.writers = append(m.writers, m)
	}
	own := m.writes[d]
	if own == nil {
		own = in.newDict()
		m.writes[d] = own
	}
	in.setField(own, idx, v)
}

// imported takes over from a module that is imported who fills registries, and who derives from
// abstract classes.
func (in *interp) imported(m *Module) {
	own := in.cfg.Module
	for _, w := range m.writers {
		if !slices.Contains(own.writers, w) {
			own.writers = append(own.writers, w)
		}
	}
	for _, d := range m.derivers {
		if !slices.Contains(own.derivers, d) {
			own.derivers = append(own.derivers, d)
		}
	}
}

// filled is a dict with what the modules imported so far put into it.
func (in *interp) filled(d *DictRef) *DictRef {
	out := d
	for _, w := range in.cfg.Module.writers {
		more := w.writes[d]
		if more == nil {
			continue
		}
		if out == d {
			out = in.each(d, func(v *Val) *Val { return v })
			out.owner = d.owner
		}
		for _, k := range more.order {
			in.add(out, k, more.Fields[k])
		}
		out.Elem, out.Open = in.join(out.Elem, more.Elem), out.Open || more.Open
	}
	return out
}
