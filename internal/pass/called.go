package pass

import (
	"cmp"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Called says what the program calls the stand-ins of a rule's help. The help of a page is written with names that explain
// themselves, as in "write `target - alpha * logp`"; a reader wants to see the own line rewritten. The keys are the
// names that stand between the backquotes of the help, the values are source text of the program.
type Called map[string]string

// codeSpans are what stands between backquotes, names the identifiers of code that are no attributes.
var (
	codeSpans = regexp.MustCompile("`[^`]+`")
	names     = regexp.MustCompile(`(^|[^\w.])([A-Za-z_]\w*)`)
)

// MaxHelp is how many characters a help may have: one sentence that is read at a glance.
const MaxHelp = 120

// maxCalled is how long a text may be that takes the place of a name: longer ones make the help harder to read than
// the names of the page.
const maxCalled = 40

// own writes the help with the program's names. It is left as it is where the program's text for one of them is missing, long or
// of several lines: half of the names would be worse than none.
func (c Called) own(help string) string {
	for _, text := range c {
		if text == "" || len(text) > maxCalled || strings.Contains(text, "\n") || strings.Contains(text, "`") {
			return help
		}
	}
	written := codeSpans.ReplaceAllStringFunc(help, func(code string) string {
		return names.ReplaceAllStringFunc(code, func(found string) string {
			part := names.FindStringSubmatch(found)
			text, ok := c[part[2]]
			if !ok {
				return found
			}
			return part[1] + operand(text)
		})
	})
	if utf8.RuneCountInString(written) > MaxHelp {
		return help
	}
	return written
}

// operand puts parentheses around what is more than a name, a call or an element: what has blanks or signs outside of
// its brackets.
func operand(text string) string {
	depth := 0
	for _, c := range text {
		switch {
		case strings.ContainsRune("([{", c):
			depth++
		case strings.ContainsRune(")]}", c):
			depth--
		case depth == 0 && strings.ContainsRune(" +-*/@%<>=!&|^~:,", c):
			return "(" + text + ")"
		}
	}
	return text
}

// helpOf is what a finding says to write.
func (p *Pass) helpOf(f *Finding) string {
	if len(f.Called) == 0 {
		return f.Help
	}
	return f.Called.own(cmp.Or(f.Help, p.doc().Help))
}
