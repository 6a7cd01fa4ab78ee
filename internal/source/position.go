package source

// Position is a line and column for people.
type Position struct {
	Row    int // 1-based line, in the cell for a notebook
	Column int // 1-based, in Unicode code points
}
