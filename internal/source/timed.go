package source

import (
	"bytes"
	"slices"
	"strings"
)

// timers are the line magics that run the statement behind their options, with the
// letters of these options; a colon follows where one takes a value, as in getopt.
var timers = map[string]string{"time": "", "timeit": "n:r:tcp:qov:", "prun": "D:l:rs:T:q"}

// compound are the words that begin a statement which cannot follow another on its line.
var compound = []string{"async", "class", "def", "for", "if", "try", "while", "with"}

// What stands in place of a magic, at most as long as the shortest one. A statement that
// %timeit runs binds its names in a function of its own.
const (
	plainTimer    = "pass;"
	functionTimer = "def _():"
)

// maskTimer replaces %time and the like of the command at an offset by code that lets
// the statement behind it stand where it is. It is false where there is none, or none
// that can be read by itself.
func (m *masker) maskTimer(at, end int) bool {
	line := m.text[at:m.bodyEnd(at)]
	word, _, spaced := bytes.Cut(line, []byte(" "))
	name := strings.TrimPrefix(string(word), "%")
	options, known := timers[name]
	if !known || !spaced || word[0] != '%' {
		return false
	}
	skipped, ok := skipOptions(string(line[len(word):]), options)
	code := at + len(word) + skipped
	if !ok || code == at+len(line) {
		return false
	}
	s := scanner{text: m.text[:end], at: code}
	if !s.whole() {
		return false
	}
	m.maskSpan(at, code, ' ')
	if name == "timeit" && s.assigns {
		copy(m.text[at:], functionTimer)
	} else {
		copy(m.text[at:], plainTimer)
	}
	return true
}

// whole says whether the text from here to its end is one simple statement of Python
// without a command in it. It moves the scanner.
func (s *scanner) whole() bool {
	first := s.text[s.at:]
	if strings.IndexByte(commandStarts+`\#@`, first[0]) >= 0 || slices.Contains(compound, firstName(first)) {
		return false
	}
	s.statement()
	// A long string that does not end takes the last line end with it.
	return s.command == 0 && s.depth == 0 && s.at == len(s.text) && s.lastCode >= 0 && strings.IndexByte("?\n", s.text[s.lastCode]) < 0
}

// firstName returns the letters that a text starts with.
func firstName(text []byte) string {
	end := bytes.IndexFunc(text, func(r rune) bool { return r > 0x7f || !isLetter(byte(r)) })
	return string(text[:max(end, 0)])
}

// skipOptions returns the length of the options, and of the blanks around them, at the
// start of what follows a magic. It is false where they are not as getopt takes them.
func skipOptions(line, options string) (int, bool) {
	rest := strings.TrimLeft(line, " \t")
	for strings.HasPrefix(rest, "-") {
		var word string
		word, rest = cutWord(rest)
		if word == "--" {
			break
		}
		wantsValue, ok := readOption(word, options)
		if !ok {
			return 0, false
		}
		if wantsValue {
			var value string
			value, rest = cutWord(rest)
			if strings.ContainsAny(value, `'"`) { // it may go on behind a blank
				return 0, false
			}
		}
	}
	return len(line) - len(rest), true
}

// readOption reads a word of options, as -n, -n10 or -qo. It says whether the next word
// is the value of the last, and whether all are known. Long ones take no value.
func readOption(word, options string) (wantsValue, ok bool) {
	if strings.HasPrefix(word, "--") {
		return false, true
	}
	for i := 1; i < len(word); i++ {
		_, after, known := strings.Cut(options, word[i:i+1])
		switch {
		case !known || word[i] == ':':
			return false, false
		case strings.HasPrefix(after, ":"):
			return i == len(word)-1, true
		}
	}
	return false, len(word) > 1
}

// cutWord returns the first word of a text and what follows it, without the blanks between.
func cutWord(text string) (word, rest string) {
	end := strings.IndexAny(text, " \t")
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimLeft(text[end:], " \t")
}
