package rule

import (
	"regexp"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"
)

// Example is a program of a rule.md, with the marks that say what the linter
// must and must not report on it.
type Example struct {
	Section string
	Line    int // of its first fence
	Files   []File
	Output  *Fence // the recorded output of the linter, if any
	Run     *Fence // what is added to the last file so that it runs, if anything
	Verdict *Fence // the recorded verdict of the run, if any
}

// File is one module of an example. Text still has the marks: they are
// comments, so that line numbers in the page and in messages agree.
type File struct {
	Name  string // example.py unless named
	Text  string
	Line  int // in the rule.md, of the file's first line
	Marks []Mark
}

// MarkKind says what a mark demands of its line.
type MarkKind string

// The marks. A todo mark records a known gap: the linter does not yet do what
// the mark demands, and the test fails once it does.
const (
	Want     MarkKind = "want"
	OK       MarkKind = "ok"
	TodoWant MarkKind = "todo-want"
	TodoOK   MarkKind = "todo-ok"
)

// Mark is one demand on a line.
type Mark struct {
	Kind    MarkKind
	Line    int // in the file, 1-based
	Pattern *regexp.Regexp
}

// defaultFiles are the names of an example's only file, by the language of its block.
var defaultFiles = map[string]string{"python": "example.py", "yaml": "example.yaml", "toml": "example.toml", "json": "example.json", "bash": "example.sh"}

// finish groups the blocks of s into examples and checks them.
func (p *parser) finish(s *Section) error {
	adjacent := false
	for _, part := range s.Parts {
		if part.Fence == nil {
			adjacent = adjacent && blank([]Part{part})
			continue
		}
		if err := p.block(s, part.Fence, adjacent); err != nil {
			return err
		}
		adjacent = true
	}
	return p.checkSection(s)
}

// block adds one fenced block to the examples of s. adjacent says that nothing
// stands between it and the block before.
func (p *parser) block(s *Section, f *Fence, adjacent bool) error {
	switch f.Lang {
	case "python", "yaml", "toml", "json", "bash":
		return p.program(s, f, adjacent)
	case "output", "verdict", "run":
		if len(s.Examples) == 0 {
			return p.errorf(f.Line, "an %s block belongs to the program before it; there is none", f.Lang)
		}
		e := &s.Examples[len(s.Examples)-1]
		slot := map[string]**Fence{"output": &e.Output, "verdict": &e.Verdict, "run": &e.Run}[f.Lang]
		if *slot != nil {
			return p.errorf(f.Line, "a second %s block for one example", f.Lang)
		}
		*slot = f
	}
	return nil
}

// program adds the files of a block: one, or those of a txtar archive. Named
// blocks that follow each other form one program.
func (p *parser) program(s *Section, f *Fence, adjacent bool) error {
	files, err := p.files(f)
	if err != nil {
		return err
	}
	if n := len(s.Examples); adjacent && n > 0 && f.Attrs["title"] != "" && !s.Examples[n-1].has(files[0].Name) {
		s.Examples[n-1].Files = append(s.Examples[n-1].Files, files...)
		return nil
	}
	s.Examples = append(s.Examples, Example{Section: s.Title, Line: f.Line, Files: files})
	return nil
}

func (e *Example) has(name string) bool {
	for _, f := range e.Files {
		if f.Name == name || f.Name == defaultFiles["python"] {
			return true
		}
	}
	return false
}

func (p *parser) files(f *Fence) ([]File, error) {
	archive := txtar.Parse([]byte(f.Text))
	if len(archive.Files) == 0 {
		name := f.Attrs["title"]
		if name == "" {
			name = defaultFiles[f.Lang]
		}
		file, err := p.file(name, f.Text, f.Line+1)
		return []File{file}, err
	}
	if len(strings.TrimSpace(string(archive.Comment))) > 0 {
		return nil, p.errorf(f.Line+1, "code before the first \"-- FILE --\" line")
	}
	var out []File
	line := f.Line + 1 + strings.Count(string(archive.Comment), "\n")
	for _, a := range archive.Files {
		file, err := p.file(a.Name, string(a.Data), line+1)
		if err != nil {
			return nil, err
		}
		out = append(out, file)
		line += 1 + strings.Count(string(a.Data), "\n")
	}
	return out, nil
}

// file reads the marks of one file.
func (p *parser) file(name, text string, line int) (File, error) {
	f := File{Name: name, Text: text, Line: line}
	for i, l := range strings.Split(text, "\n") {
		at := markAt(l)
		if at == nil {
			continue
		}
		kind, arg := MarkKind(l[at[2]:at[3]]), strings.TrimSpace(l[at[3]:])
		marks, err := readMark(kind, arg)
		if err != "" {
			return f, p.errorf(line+i, "%s", err)
		}
		for _, m := range marks {
			m.Line = i + 1
			f.Marks = append(f.Marks, m)
		}
	}
	return f, nil
}

var markComment = regexp.MustCompile(`(?:^|\s)\s*# (todo-want|todo-ok|want|ok)(?:[ :]|$)`)

// markAt returns the submatch indexes of the last mark on a line.
func markAt(line string) []int {
	all := markComment.FindAllStringSubmatchIndex(line, -1)
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

// readMark returns one mark for each pattern of a want, or one ok.
func readMark(kind MarkKind, arg string) (marks []Mark, problem string) {
	if kind == OK || kind == TodoOK {
		if arg != "" && arg[0] != ':' {
			return nil, "after \"# " + string(kind) + "\" write nothing, or a colon and the reason"
		}
		return []Mark{{Kind: kind}}, ""
	}
	for arg != "" {
		quoted, err := strconv.QuotedPrefix(arg)
		if err != nil || quoted[0] == '\'' {
			return nil, "after \"# " + string(kind) + "\" write regular expressions in double quotes or backquotes"
		}
		text, _ := strconv.Unquote(quoted)
		re, err := regexp.Compile(text)
		if err != nil {
			return nil, "bad regular expression in a mark: " + err.Error()
		}
		marks = append(marks, Mark{Kind: kind, Pattern: re})
		arg = strings.TrimSpace(arg[len(quoted):])
	}
	if len(marks) == 0 {
		return nil, "\"# " + string(kind) + "\" needs a regular expression in quotes"
	}
	return marks, ""
}

// StripMarks returns the text without marks and the blanks before them. Line
// numbers do not change.
func StripMarks(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if at := markAt(l); at != nil {
			lines[i] = strings.TrimRight(l[:at[0]], " \t")
		}
	}
	return strings.Join(lines, "\n")
}

// checkSection demands what each section is for: prose where things are
// explained, wanted findings in Bad, none in Good and Not flagged.
func (p *parser) checkSection(s *Section) error {
	count := map[MarkKind]int{}
	for _, e := range s.Examples {
		for _, f := range e.Files {
			for _, m := range f.Marks {
				count[m.Kind]++
			}
		}
	}
	switch {
	case len(s.Parts) == 0 || blank(s.Parts):
		return p.errorf(s.Line, "section %q is empty", s.Title)
	case (s.Title == Bad || s.Title == Good || s.Title == NotFlagged) && len(s.Examples) == 0:
		return p.errorf(s.Line, "section %q needs a block of a program: python, yaml, toml, json or bash", s.Title)
	case s.Title == Bad && count[Want] == 0:
		return p.errorf(s.Line, "section %q needs a line marked # want \"regexp\"", s.Title)
	case (s.Title == Good || s.Title == NotFlagged) && count[Want]+count[TodoWant] > 0:
		return p.errorf(s.Line, "section %q must not have # want marks", s.Title)
	case s.Title != KnownGaps && count[TodoWant]+count[TodoOK] > 0:
		return p.errorf(s.Line, "todo marks stand in %q only", KnownGaps)
	}
	return nil
}

// blank reports whether the parts hold nothing but empty lines.
func blank(parts []Part) bool {
	for _, part := range parts {
		if part.Fence != nil || strings.TrimSpace(strings.Join(part.Prose, "")) != "" {
			return false
		}
	}
	return true
}

// Rewrite returns the rule.md with the texts of some fences replaced. Nothing
// else changes.
func Rewrite(data []byte, texts map[*Fence]string) []byte {
	out, last := []byte(nil), 0
	for _, f := range sortedFences(texts) {
		text := texts[f]
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		out = append(append(out, data[last:f.Start]...), text...)
		last = f.End
	}
	return append(out, data[last:]...)
}

func sortedFences(texts map[*Fence]string) []*Fence {
	var out []*Fence
	for f := range texts {
		out = append(out, f)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Start < out[j].Start })
	return out
}
