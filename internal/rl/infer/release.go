package infer

// Release drops what only readers of this very result look at: the values of
// function bodies. What modules that import this one need stays: the module's own
// values, its objects, and the variables that nested functions close over. The
// result must not be read afterwards.
func (r *Result) Release() {
	for _, f := range r.Frames {
		f.loops, f.brk, f.exits, f.returns, f.reads, f.sites = nil, nil, nil, nil, nil, nil
		f.code.memo = nil
		if !f.final.isEmpty() {
			f.cur = nil
		}
		if f.Func != nil {
			f.vals, f.heap = nil, nil
		}
	}
	r.Frames, r.Instances, r.idx = nil, nil, nil
}
