package library

// Scratch is memory for the operands of calls. Operands are large and live no longer
// than the call they are for, so whoever applies rows by the thousand takes them off
// a stack: Mark, Take and BindIn, Release. The zero Scratch is ready; of a nil one
// Take allocates.
type Scratch struct{ free []Operand }

// scratchSize is how many operands are allocated at once.
const scratchSize = 64

// Take returns n zero operands, which are valid until a mark from before is released.
func (s *Scratch) Take(n int) []Operand {
	if s == nil {
		return make([]Operand, n)
	}
	if len(s.free) < n {
		s.free = make([]Operand, max(n, scratchSize))
	}
	out := s.free[:n:n]
	s.free = s.free[n:]
	clear(out)
	return out
}

// Mark returns what Release needs to take everything back that is taken from here on.
func (s *Scratch) Mark() []Operand { return s.free }

// Release makes what was taken since the mark free again.
func (s *Scratch) Release(mark []Operand) {
	if len(mark) > len(s.free) {
		s.free = mark
	}
}
