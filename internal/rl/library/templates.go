package library

import (
	"fmt"
	"slices"
	"strings"
)

// Template is a chat template.
type Template struct {
	Name string
	// Marks are what opens its turns.
	Marks         []string
	names, models []string
}

// templateSource is the layout of a chat template.
type templateSource struct {
	Names  []string `toml:"names"`
	Models []string `toml:"models"`
	Marks  []string `toml:"marks"`
}

// templates loads the chat templates.
func (l *loader) templates(f fileSource) error {
	for _, name := range sorted(f.Template) {
		src := f.Template[name]
		if len(src.Marks) == 0 {
			return l.fail(name, fmt.Errorf("a template without marks"))
		}
		l.t.templates = append(l.t.templates, &Template{Name: name, Marks: src.Marks, names: src.Names, models: src.Models})
	}
	return nil
}

// ChatTemplate returns the template of a name, in any spelling, or nil.
func (t *Table) ChatTemplate(name string) *Template {
	name = letters(name)
	for _, suffix := range []string{"", "thinking", "instruct"} {
		if x := t.templateNamed(strings.TrimSuffix(name, suffix)); x != nil {
			return x
		}
	}
	if strings.HasPrefix(name, "qwen") {
		return t.templateNamed("chatml")
	}
	return nil
}

func (t *Table) templateNamed(name string) *Template {
	if i := slices.IndexFunc(t.templates, func(x *Template) bool { return slices.Contains(x.names, name) }); i >= 0 {
		return t.templates[i]
	}
	return nil
}

// ChatTemplateOf returns the template that a model brings along, by its name; nil where it is not known, as of base models, which
// bring none.
func (t *Table) ChatTemplateOf(model string) *Template {
	name := letters(model[strings.LastIndexByte(model, '/')+1:])
	if !strings.Contains(name, "instruct") && !strings.Contains(name, "chat") && !strings.HasSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "bnb4bit"), "unsloth"), "it") {
		return nil
	}
	var best *Template
	length := 0
	for _, x := range t.templates {
		for _, m := range x.models {
			if strings.HasPrefix(strings.TrimPrefix(name, "meta"), m) && len(m) > length {
				best, length = x, len(m)
			}
		}
	}
	return best
}

// OtherMark returns a mark in a text that is another template's, where none of its own is; "" for other texts.
func (t *Table) OtherMark(own *Template, text string) string {
	has := func(mark string) bool { return strings.Contains(text, mark) }
	if slices.ContainsFunc(own.Marks, has) {
		return ""
	}
	for _, x := range t.templates {
		if i := slices.IndexFunc(x.Marks, has); i >= 0 {
			return x.Marks[i]
		}
	}
	return ""
}

// letters is a name without what spellings differ in.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("-_. ", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))
}
