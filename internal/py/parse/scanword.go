package parse

// heads are the keywords that begin a compound statement.
var heads = map[string]bool{
	"def": true, "class": true, "if": true, "elif": true, "else": true, "for": true, "while": true, "with": true,
	"try": true, "except": true, "finally": true,
}

// starters are the keywords that no expression contains, so that one at the
// start of a line means that a statement begins there.
var starters = map[string]bool{
	"def": true, "class": true, "elif": true, "while": true, "with": true, "try": true, "except": true, "finally": true,
	"return": true, "import": true, "raise": true, "assert": true, "del": true, "global": true, "nonlocal": true,
	"pass": true, "break": true, "continue": true,
}

// connectives are the keywords that may stand between two operands or before one.
var connectives = map[string]bool{
	"in": true, "is": true, "and": true, "or": true, "not": true, "if": true, "else": true, "for": true, "async": true,
	"await": true, "lambda": true, "yield": true, "from": true, "as": true, "import": true,
}

// keywordOf returns the word as a string without allocating, if the scanner
// treats it specially, and else an empty one.
func keywordOf(word []byte) string {
	switch string(word) {
	case "async":
		return "async"
	case "type":
		return "type"
	case "def":
		return "def"
	case "class":
		return "class"
	case "if":
		return "if"
	case "elif":
		return "elif"
	case "else":
		return "else"
	case "for":
		return "for"
	case "while":
		return "while"
	case "with":
		return "with"
	case "try":
		return "try"
	case "except":
		return "except"
	case "finally":
		return "finally"
	}
	return ""
}

// softKeyword hides a name that the grammar takes for a keyword where Python
// does not. The name is read from the original later.
func (s *scanner) softKeyword(start int) {
	first := s.line.words == 1
	switch string(s.src[start:s.at]) {
	case "type":
		if first && s.nameFollows() {
			s.line.first = "type"
			return
		}
	case "print", "exec":
		if first && (s.nameFollows() || s.literalFollows()) {
			return
		}
	default:
		return
	}
	s.out[start] = placeholder
}

func (s *scanner) afterBlanks() []byte {
	k := s.at
	for k < len(s.src) && class[s.src[k]] == isBlank {
		k++
	}
	return s.src[k:]
}

func (s *scanner) literalFollows() bool {
	rest := s.afterBlanks()
	return len(rest) > 0 && (class[rest[0]] == isQuote || rest[0] == '`')
}

// nameFollows reports whether a name or number follows, not an operator in letters.
func (s *scanner) nameFollows() bool {
	word := wordAt(s.afterBlanks())
	return len(word) > 0 && !connectives[string(word)]
}

// wordAt returns the word with which the text begins.
func wordAt(text []byte) []byte {
	n := 0
	for n < len(text) && class[text[n]] == isWord {
		n++
	}
	return text[:n]
}
