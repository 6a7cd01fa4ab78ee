package main

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/rlvet/rlvet/internal/frameworks"
	"github.com/rlvet/rlvet/internal/runconf"
)

// setting is one that a source defines; value is its literal default, "" where it is computed or required.
type setting struct{ name, value string }

// settings reads the definitions of a file: of the class that the origin names, the options of argparse, or a document.
func settings(o frameworks.Origin, text string) ([]setting, error) {
	switch ext := path.Ext(o.File); {
	case ext == ".yaml" || ext == ".yml":
		return ofDocument(text)
	case o.Class != "":
		return ofClass(o.Class, text), nil
	}
	return ofOptions(text), nil
}

func ofDocument(text string) (out []setting, err error) {
	docs, err := runconf.YAML([]byte(text), 0, nil)
	if err != nil {
		return nil, err
	}
	for _, d := range docs {
		for _, s := range d.Settings {
			value := s.Value.Text
			if s.Value.Kind == runconf.Null {
				value = "null"
			}
			if value != "???" {
				out = append(out, setting{s.Key, value})
			}
		}
	}
	return out, nil
}

var (
	classField = regexp.MustCompile(`(?m)^    ([a-z_]\w*): [^=\n]*= *(.*)$`)
	parameter  = regexp.MustCompile(`(?m)^        ([a-z_]\w*): [^=\n]*= *([^,\n]*),`)
	attribute  = regexp.MustCompile(`(?m)^        self\.([a-z_]\w*)(?:: [^=\n]*)? = (.*)$`)
	inField    = regexp.MustCompile(`default=([^,\n)]+)`)
	option     = regexp.MustCompile(`add_argument\(\s*["']--([\w.\-]+)["']([^\n]*?(?:\n[^\n]*?){0,12}?)\)\s*\n`)
	store      = regexp.MustCompile(`action=["']store_true["']`)
)

// ofClass reads the fields of a dataclass, or the parameters of a constructor, or the attributes that one without parameters sets.
func ofClass(class, text string) (out []setting) {
	start := regexp.MustCompile(`(?m)^class ` + class + `\b`).FindStringIndex(text)
	if start == nil {
		return nil
	}
	body := text[start[1]:]
	if end := regexp.MustCompile(`(?m)^(class |@dataclass|def )`).FindStringIndex(body); end != nil {
		body = body[:end[0]]
	}
	pattern := classField
	if init := strings.Index(body, "    def __init__("); init >= 0 {
		pattern, body = parameter, body[init:]
		if end := strings.Index(body, "\n    )"); end >= 0 && end < strings.Index(body+"\n\n", "\n\n") {
			body = body[:end]
		} else {
			pattern, body = attribute, body[:strings.Index(body+"\n    @", "\n    @")]
		}
	}
	for _, m := range pattern.FindAllStringSubmatchIndex(body, -1) {
		value := body[m[4]:m[5]]
		if strings.HasPrefix(value, "field(") {
			value = ""
			rest := body[m[4]:min(m[4]+200, len(body))]
			if d := inField.FindStringSubmatch(rest); d != nil {
				value = d[1]
			}
		}
		if first, isField := strings.CutPrefix(value, "Field("); isField { // of pydantic
			value = first[:strings.IndexAny(first+")", ",)")]
		}
		out = append(out, setting{body[m[2]:m[3]], literal(value)})
	}
	return out
}

// ofOptions reads the options of argparse.
func ofOptions(text string) (out []setting) {
	for _, m := range option.FindAllStringSubmatch(text, -1) {
		value := "null"
		if store.MatchString(m[2]) {
			value = "false"
		}
		if d := inField.FindStringSubmatch(m[2]); d != nil {
			value = literal(d[1])
		}
		out = append(out, setting{strings.ReplaceAll(m[1], "-", "_"), value})
	}
	return out
}

// literal is a value of Python as the tables write it, "" for what is none.
func literal(text string) string {
	text, _, _ = strings.Cut(text, "  #")
	text = strings.TrimSpace(text)
	switch {
	case text == "None":
		return "null"
	case text == "True" || text == "False":
		return strings.ToLower(text)
	case len(text) > 1 && (text[0] == '"' || text[0] == '\''):
		return strings.Trim(text, `"'`)
	}
	if _, ok := runconf.Of(text).Number(); ok {
		return text
	}
	return ""
}

func same(a, b string) bool {
	x, okX := runconf.Of(a).Number()
	y, okY := runconf.Of(b).Number()
	return strings.EqualFold(a, b) || okX && okY && x == y
}

func (s setting) String() string { return fmt.Sprintf("%s = %s", s.name, s.value) }
