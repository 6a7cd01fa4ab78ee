package infer

// settle marks the evaluations that later ones make obsolete. A function that
// was evaluated on unknown arguments, since nobody had called it yet, and is
// called later for real tells nothing more by the first evaluation; nor do the
// functions that only it called.
func (in *interp) settle() {
	for _, c := range in.codes {
		for _, e := range c.memo {
			e.stale = e.stale || e.Entry && superseded(e, c.memo)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range in.res.Frames {
			if !f.stale && f.class == nil && f.Caller != nil && f.allCallersStale() {
				f.stale, changed = true, true
			}
		}
	}
}

// superseded reports whether a body was evaluated for a real call, other than
// one that the evaluation itself made.
func superseded(entry *Frame, all []*Frame) bool {
	for _, f := range all {
		if !f.Entry && !f.calledFrom(entry) {
			return true
		}
	}
	return false
}

func (f *Frame) calledFrom(g *Frame) bool {
	for c := f.Caller; c != nil; c = c.Caller {
		if c == g {
			return true
		}
	}
	return false
}

func (f *Frame) allCallersStale() bool {
	for _, s := range f.sites {
		if !s.Caller.stale {
			return false
		}
	}
	return f.Caller.stale
}
