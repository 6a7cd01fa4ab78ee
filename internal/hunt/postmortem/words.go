package postmortem

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rlvet/rlvet/internal/words"
)

// quoted sets a text of the program as code.
func quoted(text string) string {
	return "`" + strings.ReplaceAll(words.Plain(text), "`", "'") + "`"
}

// sentence begins with a capital and ends with a full stop.
func sentence(text string) string {
	text = words.Plain(text)
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	return text
}
