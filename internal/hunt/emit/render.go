package emit

import (
	_ "embed"
	"strconv"
	"strings"
)

//go:generate go run github.com/valyala/quicktemplate/qtc -skipLineComments -ext=qtpl

//go:embed prove.py
var prover []byte

// literals is a list of texts as Python writes it.
func literals(list []string) string {
	var parts []string
	for _, s := range list {
		parts = append(parts, python(s))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// python is a text as a literal: the escapes of Go are those of Python.
func python(text string) string { return strconv.QuoteToASCII(text) }
