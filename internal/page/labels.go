package page

// labels places the names of a drawing where they cover no line and no other name.
type labels struct {
	within box
	lines  [][]point
	names  []box
}

// write writes a name at the first of some places that is free, else at the first of all. A
// place is the upper left corner of the name.
func (l *labels) write(c *canvas, name string, places func(width, height float64) []point) {
	if name == "" {
		return
	}
	width := widthOf(name, nameSize)
	around := func(at point) box { return box{at.x, at.y, at.x + width, at.y + nameSize} }
	all := places(width, nameSize)
	at := all[0]
	for _, place := range all {
		if l.free(around(place)) {
			at = place
			break
		}
	}
	l.names = append(l.names, around(at))
	c.name(name, point{at.x, at.y + 0.8*nameSize}, start)
}

// free reports whether a part of the drawing holds no line and no name.
func (l *labels) free(b box) bool {
	if b.left < l.within.left || b.right > l.within.right || b.top < l.within.top-2 || b.bottom > l.within.bottom {
		return false
	}
	for _, n := range l.names {
		if b.left < n.right && n.left < b.right && b.top < n.bottom && n.top < b.bottom {
			return false
		}
	}
	for _, line := range l.lines {
		for i := 1; i < len(line); i++ {
			if b.crossed(line[i-1], line[i]) {
				return false
			}
		}
	}
	return true
}

// pieces are those of a stretch that are looked at: shorter than a letter.
const pieces = 64

// crossed reports whether a stretch of a line comes into the box.
func (b box) crossed(from, to point) bool {
	if max(from.x, to.x) < b.left || min(from.x, to.x) > b.right || max(from.y, to.y) < b.top || min(from.y, to.y) > b.bottom {
		return false
	}
	for i := range pieces + 1 {
		part := float64(i) / pieces
		x, y := from.x+part*(to.x-from.x), from.y+part*(to.y-from.y)
		if x >= b.left && x <= b.right && y >= b.top && y <= b.bottom {
			return true
		}
	}
	return false
}
