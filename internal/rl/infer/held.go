package infer

// maxHeld is how many objects within each other are looked through.
const maxHeld = 4

// IsObject reports whether r is an instance of a class, of the program's or of a library's.
func IsObject(r Ref) bool {
	switch r.(type) {
	case *Instance, *LibObject:
		return true
	}
	return false
}

// AddHeld puts an object and those that it holds, as a network its layers, into a set.
// What is in the set is not looked through again.
func AddHeld(whole Ref, set map[Ref]bool) {
	set[whole] = true
	level := []Ref{whole}
	for range maxHeld {
		var next []Ref
		add := func(v *Val) {
			for r := range v.refs {
				if !set[r] {
					set[r] = true
					next = append(next, r)
				}
			}
		}
		for _, r := range level {
			switch r := r.(type) {
			case *Instance:
				for _, v := range r.Attrs {
					add(v)
				}
			case *LibObject:
				for _, v := range r.Pos {
					add(v)
				}
			}
		}
		level = next
	}
}

// RefOf is what a value refers to, or nil; of no value too.
func RefOf(v *Val) Ref {
	if v == nil {
		return nil
	}
	return v.Ref
}

// refs calls yield for what a value refers to: of a join of several objects, each of them.
func (v *Val) refs(yield func(Ref) bool) {
	switch {
	case v == nil:
	case v.Ref != nil:
		yield(v.Ref)
	case v.Op == OpPhi:
		for _, x := range v.In {
			if x != nil && x.Ref != nil && !yield(x.Ref) {
				return
			}
		}
	}
}
