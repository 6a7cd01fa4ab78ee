package postmortem

import (
	"fmt"
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

// percent is a rate in two digits: "5.8 %".
func percent(rate float64) string {
	if rate >= 0.1 {
		return fmt.Sprintf("%.0f %%", 100*rate)
	}
	return fmt.Sprintf("%.2g %%", 100*rate)
}
