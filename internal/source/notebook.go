package source

// A notebook is JSON. Its code cells, one after the other, are one program: a
// name that one cell binds is used in the next. What makes this delicate is the
// way back: an edit of one line must change that line in the file and nothing
// else, not the outputs, not the indentation, not the way some other tool wrote
// its escapes. So the file is never unmarshalled into a tree and marshalled
// again. The reader walks it with encoding/json's decoder, which knows at each
// value the offset in the file, and keeps for each cell nothing but the byte
// range of its source; the writer (notebook_write.go) replaces the ranges of
// the cells that changed, in the layout it finds there.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A notebook is what a File keeps to write its cells back.
type notebook struct {
	json []byte // the whole file, decoded to UTF-8
}

// A cellSource is the byte range of a cell's source, a JSON string or an array
// of strings, in the notebook's JSON.
type cellSource struct{ start, end int }

// A document is what is read of a notebook.
type document struct {
	format     int // nbformat's major version
	worksheets bool
	language   string // of the kernel, "" where the notebook does not say
	cells      []rawCell
}

// A rawCell is a code cell as found.
type rawCell struct {
	number   int
	isCode   bool
	language string // "" where the editor did not set one
	source   cellSource
	text     string
	hasText  bool
}

// readNotebook replaces Text, which holds the JSON, by the program of the code
// cells.
func (f *File) readNotebook() error {
	f.notebook = &notebook{json: f.Text}
	var doc document
	if err := members(f.Text, 0, doc.member); err != nil {
		return f.notebookError(err)
	}
	switch {
	case doc.worksheets || doc.format > 0 && doc.format < 4:
		return f.fail(BadNotebook, 0, "this notebook has the old format %d; convert it with: jupyter nbconvert --to notebook --nbformat 4", max(doc.format, 1))
	case doc.format != 4:
		return f.fail(BadNotebook, 1, "this is JSON, but no notebook of nbformat 4; save it again with Jupyter, or rename it")
	case !isPython(doc.language):
		return f.fail(NotPython, 0, "this notebook is written in %s, not Python; nothing to check", doc.language)
	}
	return f.joinCells(doc.cells)
}

// joinCells builds Text, Cells and Masks from the code cells.
func (f *File) joinCells(cells []rawCell) error {
	f.Text, f.Cells = nil, []Cell{}
	var ends lineEnds
	for _, raw := range cells {
		if !raw.isCode || !raw.hasText {
			continue
		}
		if strings.IndexByte(raw.text, 0) >= 0 {
			return f.fail(Binary, lineAt(f.notebook.json, raw.source.start), "cell %d has a NUL character, which Python does not accept; remove it", raw.number)
		}
		text := []byte(raw.text)
		ends.add(text)
		f.appendCell(raw, text)
	}
	f.Newline = ends.style()
	if len(f.Text) > MaxSize {
		return f.fail(TooLarge, 0, "the code of this notebook is larger than %d MiB; split it, or leave it out with exclude", MaxSize>>20)
	}
	return nil
}

// appendCell adds one cell to Text; text may be changed.
func (f *File) appendCell(raw rawCell, text []byte) {
	start := len(f.Text)
	cell := Cell{Number: raw.number, Start: start, json: raw.source}
	f.Returns = replaceReturns(text, start, f.Returns)
	if !bytes.HasSuffix(text, []byte("\n")) {
		text, cell.Unterminated = append(text, '\n'), true
	}
	m := masker{text: text, offset: start, masks: f.Masks}
	if isPython(raw.language) {
		m.maskCommands()
	} else {
		m.maskForeign(0)
	}
	f.Masks, cell.Foreign = m.masks, m.foreign
	f.Text = append(f.Text, text...)
	cell.End = len(f.Text)
	f.Cells = append(f.Cells, cell)
}

// isPython says whether a language is the one we read; a notebook that does not
// say is in Python, as Colab's early ones were.
func isPython(language string) bool {
	language = strings.ToLower(language)
	return language == "" || strings.HasPrefix(language, "python") || strings.HasPrefix(language, "ipython")
}

// member takes one member of the notebook's top level object.
func (d *document) member(key string, value []byte, at int) error {
	switch key {
	case "nbformat":
		if err := json.Unmarshal(value, &d.format); err != nil {
			return &shapeError{at, "nbformat is not a whole number"}
		}
	case "worksheets":
		d.worksheets = true
	case "metadata":
		d.language = kernelLanguage(value)
	case "cells":
		return elements(value, at, d.cell)
	}
	return nil
}

// kernelLanguage returns the language that a notebook's metadata name, or "".
// Metadata of another shape than expected say nothing.
func kernelLanguage(metadata []byte) string {
	var m struct {
		Kernel struct {
			Language string `json:"language"`
		} `json:"kernelspec"`
		Language struct {
			Name string `json:"name"`
		} `json:"language_info"`
	}
	if json.Unmarshal(metadata, &m) != nil {
		return ""
	}
	if m.Language.Name != "" {
		return m.Language.Name
	}
	return m.Kernel.Language
}

// cell takes one element of the list of cells.
func (d *document) cell(index int, value []byte, at int) error {
	c := rawCell{number: index + 1}
	err := members(value, at, func(key string, value []byte, at int) error {
		switch key {
		case "cell_type":
			c.isCode = string(value) == `"code"`
		case "metadata":
			c.language = cellLanguage(value)
		case "source":
			text, err := sourceText(value, at)
			c.source, c.text, c.hasText = cellSource{at, at + len(value)}, text, true
			return err
		}
		return nil
	})
	d.cells = append(d.cells, c)
	return err
}

// cellLanguage returns the language that an editor set for one cell, or "".
func cellLanguage(metadata []byte) string {
	var m struct {
		Editor struct {
			Language string `json:"languageId"`
		} `json:"vscode"`
	}
	if json.Unmarshal(metadata, &m) != nil {
		return ""
	}
	return m.Editor.Language
}

// sourceText returns the text of a JSON string or of an array of strings.
func sourceText(value []byte, at int) (string, error) {
	var text string
	if json.Unmarshal(value, &text) == nil && value[0] == '"' {
		return text, nil
	}
	var lines []string
	if json.Unmarshal(value, &lines) == nil && value[0] == '[' {
		return strings.Join(lines, ""), nil
	}
	return "", &shapeError{at, "the source of a cell is neither text nor a list of lines"}
}

// A shapeError says that the JSON is well formed but no notebook.
type shapeError struct {
	at   int // offset in the file
	what string
}

func (e *shapeError) Error() string { return e.what }

// members calls visit for each member of a JSON object, which starts at offset
// base of the file. value is the exact text of the member's value and at its
// offset in the file.
func members(object []byte, base int, visit func(key string, value []byte, at int) error) error {
	decoder, err := open(object, base, '{')
	for err == nil && decoder.More() {
		var key json.Token
		if key, err = decoder.Token(); err != nil {
			break
		}
		var value json.RawMessage
		if err = decoder.Decode(&value); err == nil {
			err = visit(fmt.Sprint(key), value, base+int(decoder.InputOffset())-len(value))
		}
	}
	return finish(decoder, err)
}

// elements calls visit for each element of a JSON array, as members does.
func elements(array []byte, base int, visit func(index int, value []byte, at int) error) error {
	decoder, err := open(array, base, '[')
	for i := 0; err == nil && decoder.More(); i++ {
		var value json.RawMessage
		if err = decoder.Decode(&value); err == nil {
			err = visit(i, value, base+int(decoder.InputOffset())-len(value))
		}
	}
	return finish(decoder, err)
}

// open starts to decode an object or array.
func open(value []byte, base int, bracket json.Delim) (*json.Decoder, error) {
	decoder := json.NewDecoder(bytes.NewReader(value))
	token, err := decoder.Token()
	if err == nil && token != bracket {
		err = &shapeError{base, fmt.Sprintf("this is JSON, but no notebook: %v stands where %v is expected", token, bracket)}
	}
	return decoder, err
}

// finish checks that nothing but the closing bracket follows.
func finish(decoder *json.Decoder, err error) error {
	if err == nil {
		_, err = decoder.Token()
	}
	if err == nil {
		if _, err = decoder.Token(); err == io.EOF {
			return nil
		}
		if err == nil {
			err = errors.New("text after the end of the notebook")
		}
	}
	return err
}

// notebookError makes an Error of what reading the JSON gave.
func (f *File) notebookError(err error) error {
	const fix = "save the notebook again with Jupyter, or fix the JSON"
	document := f.notebook.json
	if shape := (*shapeError)(nil); errors.As(err, &shape) {
		return f.fail(BadNotebook, lineAt(document, shape.at), "%v; %s", err, fix)
	}
	// The decoder counts offsets of errors from where its value starts; the
	// check of a whole document counts from its start.
	var whole json.RawMessage
	if again := json.Unmarshal(document, &whole); again != nil {
		err = again
	}
	line := 0
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		line = lineAt(document, max(0, int(syntax.Offset)-1))
	}
	return f.fail(BadNotebook, line, "this is not valid JSON: %v; %s", err, fix)
}
