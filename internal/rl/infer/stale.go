package infer

import "slices"

// settle marks the evaluations that later ones make obsolete. A function that
// was evaluated on unknown arguments, since nobody had called it yet, and is
// called later for real tells nothing more by the first evaluation; nor do the
// functions that only it called.
func (in *interp) settle() {
	in.settleCallees()
	for changed := true; changed; { // whom an evaluation answered may be obsolete in turn
		changed = false
		for _, c := range in.codes {
			for _, e := range c.memo {
				if !e.stale && e.Entry && in.superseded(e, c.memo) {
					e.stale, changed = true, true
				}
			}
		}
		in.settleCallees()
	}
}

// settleCallees marks what only stale evaluations called.
func (in *interp) settleCallees() {
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
// one that the evaluation itself made, and the evaluation on unknown arguments answers no real call itself.
func (in *interp) superseded(entry *Frame, all []*Frame) bool {
	if in.isHook(entry.Func) || entry.answers() {
		return false
	}
	for _, f := range all {
		if !f.Entry && !f.stale && !f.CalledFrom(entry) {
			return true
		}
	}
	return false
}

// isHook reports whether a method is one by which a trainer of a library asks the
// program for its loss: whoever calls it as well, to evaluate the model without
// gradients, the library still does.
func (in *interp) isHook(fn *FuncRef) bool {
	if fn.Class == nil {
		return false
	}
	isNamed := fn.Name() == "compute_loss" || fn.Name() == "training_step"
	return slices.ContainsFunc(fn.Class.mro(), func(c *ClassRef) bool {
		return isNamed && len(c.LibBases) > 0 || slices.ContainsFunc(c.LibBases, func(b string) bool {
			lib := in.table.Class(b)
			return lib != nil && lib.AsksForLoss(fn.Name())
		})
	})
}

// takesModel reports whether a trainer hands the model to the method in which it asks for the loss.
func (in *interp) takesModel(fn *FuncRef) bool {
	return fn.Name() != "training_step" && in.isHook(fn)
}

// CalledFrom reports whether the first call of f was made in g, or in what g calls.
func (f *Frame) CalledFrom(g *Frame) bool {
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

// answers reports whether a call that counts, other than one that f itself comes to, was answered by f.
func (f *Frame) answers() bool {
	return slices.ContainsFunc(f.sites, func(s *Site) bool { return !s.Caller.stale && s.Caller != f && !s.Caller.CalledFrom(f) })
}
