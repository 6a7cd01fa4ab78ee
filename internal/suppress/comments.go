package suppress

import "strings"

// comment is one comment of a Python text. Rows count from 1 over the whole
// text.
type comment struct {
	start, end int  // bytes, '#' included, line end not
	row        int  //
	ownLine    bool // nothing but blanks before it
	// first and last are the rows of the logical line that follows an own-line
	// comment; both are row for a comment behind code.
	first, last int
}

// scanner finds comments without parsing, so that suppressions hold in code
// that is half typed. It knows strings, brackets and line joining, which is all
// that decides where a comment starts and a logical line ends. One construct
// misleads it: an f-string that nests its own kind of quote around a '#'.
type scanner struct {
	text     string
	off      int
	row      int
	depth    int // of open brackets
	lineFrom int // byte at which the row starts
	first    int // row on which the current logical line began, 0 before its first token
	comments []comment
	waiting  int // how many comments at the end of comments wait for their logical line
}

// scan returns the comments of text.
func scan(text string) []comment {
	s := &scanner{text: text, row: 1}
	for s.off < len(s.text) {
		s.step()
	}
	s.endLogical()
	return s.comments
}

func (s *scanner) step() {
	switch c := s.text[s.off]; c {
	case '\n', '\r':
		s.newline()
	case ' ', '\t', '\f':
		s.off++
	case '#':
		s.comment()
	case '\\':
		s.token()
		s.off++
		if s.off < len(s.text) && (s.text[s.off] == '\n' || s.text[s.off] == '\r') {
			s.nextRow()
		}
	case '\'', '"':
		s.token()
		s.str(c)
	default:
		s.token()
		switch c {
		case '(', '[', '{':
			s.depth++
		case ')', ']', '}':
			s.depth = max(0, s.depth-1)
		}
		s.off++
	}
}

// token notes that the current row has code.
func (s *scanner) token() {
	if s.first == 0 {
		s.first = s.row
	}
}

// nextRow steps over one line end: \n, \r\n or \r.
func (s *scanner) nextRow() {
	if strings.HasPrefix(s.text[s.off:], "\r\n") {
		s.off++
	}
	s.off++
	s.row++
	s.lineFrom = s.off
}

func (s *scanner) newline() {
	if s.depth == 0 {
		s.endLogical()
	}
	s.nextRow()
}

// endLogical gives the finished logical line to the own-line comments before
// it. A bracket that is never closed must not stretch a suppression to the end
// of the file: then only the first row counts.
func (s *scanner) endLogical() {
	if s.first == 0 {
		return
	}
	last := s.row
	if s.depth > 0 {
		last = s.first
	}
	for i := len(s.comments) - s.waiting; i < len(s.comments); i++ {
		if c := &s.comments[i]; c.ownLine && c.row < s.first {
			c.first, c.last = s.first, last
		}
	}
	s.first, s.waiting = 0, 0
}

func (s *scanner) comment() {
	c := comment{start: s.off, row: s.row, first: s.row, last: s.row}
	c.ownLine = strings.TrimLeft(s.text[s.lineFrom:s.off], " \t\f\ufeff") == ""
	n := strings.IndexAny(s.text[s.off:], "\r\n")
	if n < 0 {
		n = len(s.text) - s.off
	}
	s.off += n
	c.end = s.off
	s.comments = append(s.comments, c)
	s.waiting++
}

// str steps over a string literal. A backslash hides the next byte in every
// kind of string, raw ones included; a short string ends at the line's end.
func (s *scanner) str(quote byte) {
	mark := string(quote)
	if triple := strings.Repeat(mark, 3); strings.HasPrefix(s.text[s.off:], triple) {
		mark = triple
	}
	s.off += len(mark)
	for s.off < len(s.text) {
		switch c := s.text[s.off]; {
		case strings.HasPrefix(s.text[s.off:], mark):
			s.off += len(mark)
			return
		case c == '\\' && s.off+1 < len(s.text):
			s.off++
			if c := s.text[s.off]; c == '\n' || c == '\r' {
				s.nextRow()
			} else {
				s.off++
			}
		case c == '\n' || c == '\r':
			if len(mark) == 1 {
				return
			}
			s.nextRow()
		default:
			s.off++
		}
	}
}
