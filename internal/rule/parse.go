package rule

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// ParseError is a mistake in a rule.md. Its text is "PATH:LINE: what".
type ParseError struct {
	Path string
	Line int
	Msg  string
}

// Error returns "PATH:LINE: what".
func (e *ParseError) Error() string { return fmt.Sprintf("%s:%d: %s", e.Path, e.Line, e.Msg) }

// Parse reads a rule.md. The name is used in messages only. The error, if any,
// is a *ParseError for the first mistake in the file.
func Parse(name string, data []byte) (*Doc, error) {
	p := &parser{path: name, data: data}
	meta, err := p.frontMatter()
	if err != nil {
		return nil, err
	}
	sections, err := p.sections()
	if err != nil {
		return nil, err
	}
	return &Doc{Meta: *meta, Path: name, sections: func() []Section { return sections }}, nil
}

// Open is a rule.md that is part of the program. Its front matter was read when the program was generated;
// the sections are read when they are first asked for: each start of the program opens all pages and shows few. Where the page has a
// mistake, which is one of the program, and which Parse finds in the tests, asking for them panics.
func Open(name string, front Meta, data []byte) *Doc {
	return &Doc{Meta: front, Path: name, sections: sync.OnceValue(func() []Section {
		d, err := Parse(name, data)
		if err != nil {
			panic(err)
		}
		return d.Sections()
	})}
}

// parser walks the lines of one rule.md. line is the 1-based number of the line
// that starts at off.
type parser struct {
	path string
	data []byte
	off  int
	line int
}

func (p *parser) errorf(line int, format string, args ...any) error {
	return &ParseError{p.path, line, fmt.Sprintf(format, args...)}
}

// next returns the next line without its end, and false at the end of the file.
func (p *parser) next() (string, bool) {
	if p.off >= len(p.data) {
		return "", false
	}
	rest := p.data[p.off:]
	end := bytes.IndexByte(rest, '\n')
	if end < 0 {
		end = len(rest)
		p.off = len(p.data)
	} else {
		p.off += end + 1
	}
	p.line++
	return strings.TrimSuffix(string(rest[:end]), "\r"), true
}

// sections reads the body, behind the front matter, and checks that the sections are the fixed ones, in
// their order.
func (p *parser) sections() (sections []Section, err error) {
	for text, ok := p.next(); ok; text, ok = p.next() {
		switch {
		case strings.HasPrefix(text, sectionPrefix):
			s, err := p.heading(text, len(sections))
			if err != nil {
				return nil, err
			}
			sections = append(sections, s)
		case len(sections) == 0:
			if strings.TrimSpace(text) != "" {
				return nil, p.errorf(p.line, "text before the first section; start with %q", sectionPrefix+sectionOrder[0])
			}
		default:
			if err := p.content(&sections[len(sections)-1], text); err != nil {
				return nil, err
			}
		}
	}
	if n := len(sections); n < len(sectionOrder) {
		return nil, p.errorf(max(p.line, 1), "section %q is missing", sectionOrder[n])
	}
	for i := range sections {
		if err := p.finish(&sections[i]); err != nil {
			return nil, err
		}
	}
	return sections, nil
}

// heading checks the heading of section number n.
func (p *parser) heading(text string, n int) (Section, error) {
	title := strings.TrimSpace(strings.TrimPrefix(text, sectionPrefix))
	switch {
	case !contains(sectionOrder, title):
		return Section{}, p.errorf(p.line, "unknown section %q; the sections are %s", title, strings.Join(sectionOrder, ", "))
	case n >= len(sectionOrder):
		return Section{}, p.errorf(p.line, "section %q stands twice", title)
	case sectionOrder[n] != title:
		return Section{}, p.errorf(p.line, "section %q where %q is expected; the order is %s", title, sectionOrder[n], strings.Join(sectionOrder, ", "))
	}
	return Section{Title: title, Line: p.line}, nil
}

// content adds one line, or the fenced block that it opens, to s.
func (p *parser) content(s *Section, text string) error {
	if marker := fenceMarker(text); marker != "" {
		f, err := p.fence(marker, text[len(marker):])
		if err != nil {
			return err
		}
		s.Parts = append(s.Parts, Part{Fence: f})
		return nil
	}
	if n := len(s.Parts); n > 0 && s.Parts[n-1].Fence == nil {
		s.Parts[n-1].Prose = append(s.Parts[n-1].Prose, text)
	} else {
		s.Parts = append(s.Parts, Part{Prose: []string{text}})
	}
	return nil
}

// fenceMarker returns the run of backquotes or tildes that opens a fence.
func fenceMarker(text string) string {
	for _, c := range []string{"`", "~"} {
		n := len(text) - len(strings.TrimLeft(text, c))
		if n >= 3 {
			return text[:n]
		}
	}
	return ""
}

// fence reads up to the closing line, which repeats the marker or a longer one.
func (p *parser) fence(marker, info string) (*Fence, error) {
	f := &Fence{Line: p.line, Start: p.off}
	if err := p.info(f, info); err != nil {
		return nil, err
	}
	for {
		f.End = p.off
		text, ok := p.next()
		m := fenceMarker(text)
		closes := strings.HasPrefix(m, marker) && strings.TrimSpace(text) == m
		if !ok || m == marker && !closes {
			return nil, p.errorf(f.Line, "this block is never closed; add a line %s", marker)
		}
		if closes {
			f.Text = string(p.data[f.Start:f.End])
			return f, nil
		}
	}
}

var attribute = regexp.MustCompile(`^([a-z]+)="([^"]*)"(?:\s+|$)`)

// info reads the language and the attributes of an opening fence.
func (p *parser) info(f *Fence, info string) error {
	lang, rest, _ := strings.Cut(strings.TrimSpace(info), " ")
	f.Lang = lang
	for rest = strings.TrimSpace(rest); rest != ""; {
		m := attribute.FindStringSubmatch(rest)
		if m == nil || m[1] != "title" {
			return p.errorf(f.Line, "unknown attribute %q of a block; only title=\"FILE\" is known", rest)
		}
		if f.Attrs == nil {
			f.Attrs = map[string]string{}
		}
		f.Attrs[m[1]] = m[2]
		rest = rest[len(m[0]):]
	}
	return nil
}
