package infer

// Release drops what only readers of this very result look at: the values of
// function bodies. What modules that import this one need stays: the module's own
// values, its objects, and the variables that nested functions close over. The
// result must not be read afterwards.
func (r *Result) Release() {
	closed := closures(r.Frames)
	for _, f := range r.Frames {
		f.loops, f.brk, f.exits, f.returns, f.reads, f.stores, f.sites, f.missed, f.cur = nil, nil, nil, nil, nil, nil, nil, nil, nil
		f.code.memo = nil
		if f.Func == nil {
			continue
		}
		f.vals, f.heap = nil, nil
		if !closed[f] {
			f.final, f.Result = env{}, nil
		}
	}
	bare := map[*code]*code{}
	for _, f := range r.Frames {
		if f.Func != nil && !closed[f] && f.final.isEmpty() {
			if bare[f.code] == nil {
				bare[f.code] = &code{layout: &layout{base: f.code.base, body: f.code.body}}
			}
			f.code = bare[f.code]
		}
	}
	r.Module.layouts.drop()
	*r = Result{Module: r.Module, Stats: r.Stats}
}

// closures are the evaluations in which functions or classes were defined, which
// may be evaluated again for those who import the module.
func closures(frames []*Frame) map[*Frame]bool {
	closed := map[*Frame]bool{}
	for _, f := range frames {
		for _, ref := range f.heap {
			switch ref.(type) {
			case *FuncRef, *ClassRef:
				closed[f] = true
			}
		}
	}
	return closed
}
