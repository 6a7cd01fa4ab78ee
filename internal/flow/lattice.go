package flow

// Semilattice describes how facts of type E join where paths of a program meet.
// Its methods must be pure, never change their arguments, and obey four laws:
//
//	Merge(a, a) = a                            idempotent
//	Merge(a, b) = Merge(b, a)                  commutative
//	Merge(a, Merge(b, c)) = Merge(Merge(a, b), c)  associative
//	Merge(Ident(), a) = a                      identity
//
// where = is Equals. They make the result of Forward independent of the order
// in which it visits nodes. For Forward to end, there must moreover be no
// endless sequence of ever larger merges: the lattice has finite height.
type Semilattice[E any] interface {
	// Ident is the fact of a point that no path reaches.
	Ident() E
	// Equals reports whether two facts say the same.
	Equals(a, b E) bool
	// Merge is what holds after either of two facts.
	Merge(a, b E) E
}

// MapLattice lifts a semilattice on V to maps from K, key by key. A missing key
// stands for the identity of V, so that the empty map is the identity.
type MapLattice[K comparable, V any, L Semilattice[V]] struct{ Values L }

// Ident returns the nil map.
func (MapLattice[K, V, L]) Ident() map[K]V { return nil }

// Equals compares two maps, with missing keys as identities.
func (m MapLattice[K, V, L]) Equals(a, b map[K]V) bool {
	return m.within(a, b) && m.within(b, a)
}

// within reports whether b holds for every key of a what a holds.
func (m MapLattice[K, V, L]) within(a, b map[K]V) bool {
	for k, v := range a {
		w, ok := b[k]
		if !ok {
			w = m.Values.Ident()
		}
		if !m.Values.Equals(v, w) {
			return false
		}
	}
	return true
}

// Merge merges two maps key by key. It may return one of its arguments.
func (m MapLattice[K, V, L]) Merge(a, b map[K]V) map[K]V {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	out := make(map[K]V, max(len(a), len(b)))
	for k, v := range a {
		out[k] = v
	}
	for k, w := range b {
		if v, ok := out[k]; ok {
			w = m.Values.Merge(v, w)
		}
		out[k] = w
	}
	return out
}

// Bits is a set of small numbers, for facts such as "these definitions reach".
// Missing words are zero.
type Bits []uint64

// Has reports whether i is in the set.
func (b Bits) Has(i int) bool {
	return i>>6 < len(b) && b[i>>6]&(1<<(i&63)) != 0
}

// Set adds i in place and returns the set, grown where needed.
func (b Bits) Set(i int) Bits {
	for len(b) <= i>>6 {
		b = append(b, 0)
	}
	b[i>>6] |= 1 << (i & 63)
	return b
}

// Clear removes i in place.
func (b Bits) Clear(i int) {
	if i>>6 < len(b) {
		b[i>>6] &^= 1 << (i & 63)
	}
}

// Within reports whether b is a subset of c.
func (b Bits) Within(c Bits) bool {
	for i, w := range b {
		if i < len(c) {
			w &^= c[i]
		}
		if w != 0 {
			return false
		}
	}
	return true
}

// BitLattice is the semilattice of sets of small numbers under union.
type BitLattice struct{}

// Ident returns the empty set.
func (BitLattice) Ident() Bits { return nil }

// Equals reports whether two sets have the same members.
func (BitLattice) Equals(a, b Bits) bool { return a.Within(b) && b.Within(a) }

// Merge returns the union. It may return one of its arguments.
func (BitLattice) Merge(a, b Bits) Bits {
	if b.Within(a) {
		return a
	}
	if a.Within(b) {
		return b
	}
	if len(a) < len(b) {
		a, b = b, a
	}
	out := make(Bits, len(a))
	copy(out, a)
	for i, w := range b {
		out[i] |= w
	}
	return out
}
