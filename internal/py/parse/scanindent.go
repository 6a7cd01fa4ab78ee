package parse

import (
	"slices"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// Indentation. A line that is indented like no block around it makes the parser
// lose the blocks, and with them most of the file. The scanner knows which block
// the line must belong to, and can move it there without moving its offsets:
// of the blanks before it, a form feed sets the parser's count back to zero, and
// a tab counts eight. The same serves where tabs and spaces are mixed, which the
// parser counts differently from Python.

// level is a block around the line.
type level struct {
	column  int // its indentation as Python counts it
	parsed  int // and as the parser does
	tabless int // and with tabs of one column
	// head is the keyword with which its latest statement began, if that was a
	// compound one or a clause of one.
	head string
	// try is where a try begins that has no except or finally yet, or -1.
	try int
}

func (s *scanner) top() *level { return &s.levels[len(s.levels)-1] }

func (s *scanner) push(column, parsed int) {
	s.levels = append(s.levels, level{column: column, parsed: parsed, tabless: s.tablessColumn(), try: -1})
}

// pop leaves the innermost block.
func (s *scanner) pop() {
	s.endTry()
	s.levels = s.levels[:len(s.levels)-1]
}

// indent looks at the blanks before the first token of a line, which stands
// where the scanner does.
func (s *scanner) indent() {
	column := pythonColumn(s.src[s.lineStart:s.at])
	parsed := parsedColumn(s.out[s.lineStart:s.at])
	if column <= s.top().column {
		s.blockless()
	}
	switch top := s.top(); {
	case column > top.column && s.opens:
		if s.tablessColumn() <= top.tabless {
			s.mixedTabs()
		}
		s.push(column, max(parsed, top.parsed+1))
	case column > top.column:
		// The parser shall see no block, but its end must still be found.
		s.misplaced("the line is indented deeper than its block; indent it like the lines around it")
		s.push(column, top.parsed)
	default:
		s.dedent(column)
	}
	if want := s.top().parsed; want != parsed {
		s.setIndent(want)
	}
}

// dedent leaves the blocks that end before a line at the column.
func (s *scanner) dedent(column int) {
	keep := len(s.levels) - 1
	for keep > 0 && s.levels[keep].column > column {
		keep--
	}
	if s.levels[keep].column != column {
		s.misplaced("the line is indented like no block around it; indent it like one of them")
		keep = s.likelyLevel(keep + 1)
	}
	for len(s.levels) > keep+1 {
		s.pop()
	}
	if top := s.top(); top.column == column && top.tabless != s.tablessColumn() {
		s.mixedTabs()
	}
}

// tablessColumn returns the column of the first token of a line if tabs counted
// one. Python compares indentations by both counts.
func (s *scanner) tablessColumn() (column int) {
	for _, c := range s.src[s.lineStart:s.at] {
		switch c {
		case ' ', '\t':
			column++
		case '\f':
			column = 0
		case '\\':
			if column > 0 {
				return column
			}
		}
	}
	return column
}

// mixedTabs reports, once a file, that two lines stand in one column only where
// tabs count eight.
func (s *scanner) mixedTabs() {
	if !s.mixed {
		s.mixed = true
		s.misplaced("the indentation mixes tabs and spaces, which Python does not accept; use one of them (a tab counts eight here)")
	}
}

// likelyLevel returns the index of the level that a line between two levels was
// meant for, of which above is the index of the higher one. The line that
// follows tells: it stands beside this one, or in the block that this one opens.
func (s *scanner) likelyLevel(above int) int {
	next := s.nextColumn()
	_, head := headMends[string(wordAt(s.src[s.at:]))]
	for k := len(s.levels) - 1; k > above; k-- {
		if column := s.levels[k].column; head && column < next || !head && column == next {
			return k
		}
	}
	return above
}

// nextColumn returns the column of the next physical line that is not empty.
func (s *scanner) nextColumn() int {
	for at := s.lineEnd(s.at); at < len(s.src); at = s.lineEnd(at) {
		at += s.newlineAt(at)
		start := at
		for at < len(s.src) && class[s.src[at]] == isBlank {
			at++
		}
		if at < len(s.src) && class[s.src[at]] != isNewline && s.src[at] != '#' {
			return pythonColumn(s.src[start:at])
		}
	}
	return 0
}

// blockless reports, where the logical line before opened a block, that none
// follows.
func (s *scanner) blockless() {
	if s.opens && !s.wasBroken {
		s.mod.Errors = append(s.mod.Errors, ast.SyntaxError{
			Span: span(s.last.start, s.last.end), Message: "no block follows this colon; indent what belongs to it, or write pass"})
	}
}

// misplaced reports an indentation, unless the line before was wrong already.
func (s *scanner) misplaced(what string) {
	if !s.wasBroken {
		s.mod.Errors = append(s.mod.Errors, ast.SyntaxError{Span: span(s.lineStart, s.at), Message: what})
	}
}

// pythonColumn returns the column after the blanks, tabs going to multiples of
// eight. Where lines are joined before the first token, the first one counts.
func pythonColumn(blanks []byte) (column int) {
	for _, c := range blanks {
		switch c {
		case ' ':
			column++
		case '\t':
			column = column/8*8 + 8
		case '\f':
			column = 0
		case '\\':
			if column > 0 {
				return column
			}
		}
	}
	return column
}

// parsedColumn returns the column after the blanks as the parser counts.
func parsedColumn(blanks []byte) (column int) {
	for _, c := range blanks {
		switch c {
		case '\t':
			column += 8
		case '\f', '\r':
			column = 0
		default:
			column++
		}
	}
	return column
}

// setIndent makes the parser count the blanks before the scanner's place as
// column, if that many bytes can be made to.
func (s *scanner) setIndent(column int) {
	blanks := s.out[s.lineStart:s.at]
	tabs := column / 8
	used := column - 7*tabs
	if used > len(blanks) {
		return
	}
	blank(blanks)
	rest := blanks[len(blanks)-used:]
	for k := range tabs {
		rest[k] = '\t'
	}
	if used < len(blanks) {
		blanks[len(blanks)-used-1] = '\f'
	}
}

// clause holds the first word of a line against the statement before it: an else
// must belong to something, and a try must be followed by a handler. The parser
// would lose the blocks around them.
func (s *scanner) clause() {
	word := s.headWord()
	top := s.top()
	if word == "" && top.try < 0 {
		top.head = ""
		return
	}
	if belongs, ok := clauses[word]; ok && !slices.Contains(belongs, top.head) {
		s.orphan(s.at, "`"+word+"` belongs to no statement before it; remove it or add the head that it belongs to")
	}
	if word != "except" && word != "finally" {
		s.endTry()
	}
	switch {
	case word == "try":
		top.try = s.at
	case word == "else" && top.head == "except":
		word = "else of try"
	case !heads[word]:
		word = ""
	}
	top.head = word
}

// clauses names the heads after which a clause may come.
var clauses = map[string][]string{
	"elif": {"if", "elif"}, "else": {"if", "elif", "for", "while", "except"},
	"except": {"try", "except"}, "finally": {"try", "except", "else of try"},
}

// headWord returns the keyword where the scanner stands, behind async.
func (s *scanner) headWord() string {
	word := wordAt(s.src[s.at:])
	if string(word) == "async" {
		rest := s.src[s.at+len(word):]
		for len(rest) > 0 && class[rest[0]] == isBlank {
			rest = rest[1:]
		}
		word = wordAt(rest)
	}
	return keywordOf(word)
}

// endTry notes the innermost block's open try, if there is one, as left alone.
func (s *scanner) endTry() {
	if top := s.top(); top.try >= 0 {
		s.orphan(top.try, "the try has neither except nor finally; add one of them")
		top.try = -1
	}
}

// orphan notes that the line that starts at an offset is wrong where it stands.
// The scanner has to begin again, since the block below the line must go too.
func (s *scanner) orphan(start int, what string) {
	if _, known := s.wrong[start]; known {
		return
	}
	if s.orphans == nil {
		s.orphans = map[int]lineError{}
	}
	s.orphans[start] = lineError{where: span(start, s.lineEnd(start)), message: what + Skipped, alone: true}
}
