package parse

// A slab hands out values of one type from chunks that grow, so that a file's
// thousands of nodes cost some dozens of allocations. The values live as long
// as the module does.
type slab[T any] struct {
	free []T
	size int
}

const (
	firstChunk = 8
	maxChunk   = 512
)

func (s *slab[T]) new() *T {
	if len(s.free) == 0 {
		s.size = min(max(2*s.size, firstChunk), maxChunk)
		s.free = make([]T, s.size)
	}
	p := &s.free[0]
	s.free = s.free[1:]
	return p
}

// A list collects the children of nodes: elements are pushed on a stack shared
// by all nesting levels, and taken off it as exact slices of larger chunks.
type list[T any] struct {
	stack []T
	free  []T
	size  int
}

func (l *list[T]) push(v T) { l.stack = append(l.stack, v) }

func (l *list[T]) mark() int { return len(l.stack) }

// take returns the elements pushed since the mark, nil if none.
func (l *list[T]) take(mark int) []T {
	n := len(l.stack) - mark
	if n == 0 {
		return nil
	}
	if n > len(l.free) {
		l.size = min(max(2*l.size, firstChunk), maxChunk)
		l.free = make([]T, max(l.size, n))
	}
	out := l.free[:n:n]
	l.free = l.free[n:]
	copy(out, l.stack[mark:])
	clear(l.stack[mark:])
	l.stack = l.stack[:mark]
	return out
}
