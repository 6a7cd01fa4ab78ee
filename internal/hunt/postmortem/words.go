package postmortem

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// quoted sets a text of the program as code.
func quoted(text string) string {
	return "`" + strings.ReplaceAll(oneLine(text), "`", "'") + "`"
}

// oneLine is a text of the program's as one line, without what steers a terminal.
func oneLine(text string) string {
	text = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// sentence begins with a capital and ends with a full stop.
func sentence(text string) string {
	text = oneLine(text)
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

// plural is "1 seed" or "3 seeds".
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// listed is "a, b and c".
func listed(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// percent is a rate in two digits: "5.8 %".
func percent(rate float64) string {
	if rate >= 0.1 {
		return fmt.Sprintf("%.0f %%", 100*rate)
	}
	return fmt.Sprintf("%.2g %%", 100*rate)
}
