package postmortem

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rlvet/rlvet/internal/hunt"
)

// quoted sets a text of the program as code.
func quoted(text string) string {
	return "`" + strings.ReplaceAll(hunt.OneLine(text), "`", "'") + "`"
}

// sentence begins with a capital and ends with a full stop.
func sentence(text string) string {
	text = hunt.OneLine(text)
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
