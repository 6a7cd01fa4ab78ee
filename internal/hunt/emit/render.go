package emit

import (
	"bytes"
	"embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"
)

//go:embed templates
var files embed.FS

// rendered is a template with its fields filled in.
func rendered(name string, fields any) ([]byte, error) {
	t, err := template.New(name).Funcs(template.FuncMap{"py": literal}).ParseFS(files, "templates/head.py", "templates/"+name)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.ExecuteTemplate(&b, name, fields)
	return b.Bytes(), err
}

// literal is a text, or a list of them, as Python writes it.
func literal(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return python(v), nil
	case []string:
		var parts []string
		for _, s := range v {
			parts = append(parts, python(s))
		}
		return "[" + strings.Join(parts, ", ") + "]", nil
	}
	return "", fmt.Errorf("%T has no literal", value)
}

// python is a text as a literal: the escapes of Go are those of Python.
func python(text string) string { return strconv.QuoteToASCII(text) }
