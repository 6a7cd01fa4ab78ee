package source

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// jupyter is a notebook as nbformat writes it: one blank of indentation, keys in
// order, characters as they are.
const jupyter = `{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": [
    "# PPO\n"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "metadata": {},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": ["source: \"x\"\n"]
    }
   ],
   "source": [
    "%matplotlib inline\n",
    "import torch\n",
    "name = \"π\""
   ]
  },
  {
   "cell_type": "code",
   "metadata": {},
   "outputs": [],
   "source": []
  },
  {
   "cell_type": "code",
   "metadata": {},
   "outputs": [],
   "source": [
    "loss = ratio\n"
   ]
  }
 ],
 "metadata": {
  "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
  "language_info": {"name": "python"}
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
`

func readNotebook(t *testing.T, raw string) *File {
	t.Helper()
	f, err := FromBytes("a.ipynb", []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The code cells of a notebook are one program; positions are those of its
// cells, numbered among all cells.
func TestNotebook(t *testing.T) {
	f := readNotebook(t, jupyter)
	want := strings.Repeat(" ", len("%matplotlib inline")) + "\nimport torch\nname = \"π\"\n" + "\n" + "loss = ratio\n"
	if string(f.Text) != want {
		t.Fatalf("the program is %q, want %q", f.Text, want)
	}
	var cells []string
	for _, c := range f.Cells {
		cells = append(cells, fmt.Sprintf("%d: %q %v", c.Number, f.Original(c.Start, c.End), c.Unterminated))
	}
	wantCells := []string{`2: "%matplotlib inline\nimport torch\nname = \"π\"\n" true`, `3: "\n" true`, `4: "loss = ratio\n" false`}
	if fmt.Sprint(cells) != fmt.Sprint(wantCells) {
		t.Errorf("the cells are\n%s\nwant\n%s", strings.Join(cells, "\n"), strings.Join(wantCells, "\n"))
	}
	if back, err := f.Bytes(); err != nil || string(back) != jupyter {
		t.Errorf("the notebook came back as %q, %v", back, err)
	}
}

func TestNotebookPositions(t *testing.T) {
	f := readNotebook(t, jupyter)
	at := func(text string) int { return bytes.Index(f.Text, []byte(text)) }
	tests := []struct {
		start, end, cell int
		from, to         Position
	}{
		{at("import"), at("torch"), 2, Position{2, 1}, Position{2, 8}},
		{at(`"π"`), at(`"π"`) + 4, 2, Position{3, 8}, Position{3, 11}},
		{at("loss"), at("ratio"), 4, Position{1, 1}, Position{1, 8}},
		{at("name"), f.Cells[0].End, 2, Position{3, 1}, Position{4, 1}},
		{len(f.Text), len(f.Text), 4, Position{2, 1}, Position{2, 1}},
	}
	for _, test := range tests {
		cell, from, to := f.Span(test.start, test.end)
		if cell != test.cell || from != test.from || to != test.to {
			t.Errorf("Span(%d, %d) = cell %d, %v to %v; want cell %d, %v to %v",
				test.start, test.end, cell, from, to, test.cell, test.from, test.to)
		}
		if got, ok := f.Offset(cell, from); !ok || got != test.start {
			t.Errorf("Offset(%d, %v) = %d, %v; want %d", cell, from, got, ok, test.start)
		}
	}
	if _, ok := f.Offset(1, Position{1, 1}); ok {
		t.Error("the Markdown cell has an offset in the program")
	}
	if got := f.LineText(3); got != "%matplotlib inline" {
		t.Errorf("the line of the command reads %q", got)
	}
}

// An edited cell is written in the way its neighbours are; the rest of the file
// keeps its bytes.
func TestNotebookCellsAreWrittenInPlace(t *testing.T) {
	colab := `{"nbformat":4,"nbformat_minor":0,"metadata":{"colab":{"provenance":[]},"kernelspec":{"name":"python3","display_name":"Python 3"}},` +
		`"cells":[{"cell_type":"code","source":["if a \u003c b:\n","  x = \u0027\u03c0\u0027"],"metadata":{"id":"x"},"outputs":[{"text":"\u003c"}]}]}`
	magic := strings.Repeat(" ", len("%matplotlib inline")) + "\n"
	tests := []struct {
		name, notebook string
		cell           int // index among the code cells
		text, want     string
	}{
		{"a line more", jupyter, 0, magic + "import torch\nfirst = 1\nname = \"π\"\n",
			strings.Replace(jupyter, `"name = `, `"first = 1\n",`+"\n    \"name = ", 1)},
		{"a line less", jupyter, 0, magic + "name = \"π\"\n", strings.Replace(jupyter, "    \"import torch\\n\",\n", "", 1)},
		{"a single line's list", jupyter, 2, "a\nb\n", strings.Replace(jupyter, `"loss = ratio\n"`, `"a\n",`+"\n    \"b\\n\"", 1)},
		{"an empty cell", jupyter, 1, "x\ny\n", strings.Replace(jupyter, `"source": []`, `"source": ["x\n", "y"]`, 1)},
		{"all of a cell", jupyter, 2, "", strings.Replace(jupyter, "[\n    \"loss = ratio\\n\"\n   ]", "[]", 1)},
		{"one string", `{"nbformat":4,"cells":[{"source":"a\nb","cell_type":"code"}]}`, 0, "\"\\\t\x01\nb\n",
			`{"nbformat":4,"cells":[{"source":"\"\\\t\u0001\nb","cell_type":"code"}]}`},
		{"spelling of Colab", colab, 0, "if a < b:\n  x = '\U0001d6d1' > 'π'\n", strings.Replace(colab,
			`  x = \u0027\u03c0\u0027`, `  x = \u0027\ud835\uded1\u0027 > \u0027\u03c0\u0027`, 1)},
		{"odd spelling stays", `{"nbformat":4,"cells":[{"source":["\u0061\u002f\n", "b"],"cell_type":"code"}]}`, 0, "a/\nc\n",
			`{"nbformat":4,"cells":[{"source":["\u0061\u002f\n", "c"],"cell_type":"code"}]}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := readNotebook(t, test.notebook)
			back, err := setCell(f, test.cell, test.text).Bytes()
			if err != nil || string(back) != test.want {
				t.Errorf("got\n%s\nwant\n%s\nerror %v", back, test.want, err)
			}
		})
	}
}

// setCell returns the notebook with another text in one cell. Masks of this and
// of earlier cells stay where they are, later ones move.
func setCell(f *File, index int, text string) *File {
	old := f.Cells[index]
	grown := len(text) - (old.End - old.Start)
	cells, masks := append([]Cell(nil), f.Cells...), append([]Mask(nil), f.Masks...)
	for i := range cells[index:] {
		if i > 0 {
			cells[index+i].Start += grown
		}
		cells[index+i].End += grown
	}
	for i := range masks {
		if masks[i].Start >= old.End {
			masks[i].Start, masks[i].End = masks[i].Start+grown, masks[i].End+grown
		}
	}
	whole := string(f.Text[:old.Start]) + text + string(f.Text[old.End:])
	return f.Derive(Program{Text: []byte(whole), Cells: cells, Masks: masks})
}

func TestNotebookRefuses(t *testing.T) {
	cell := func(source string) string {
		return `{"nbformat": 4, "cells": [` + "\n" + `{"cell_type": "code", "source": ` + source + `}]}`
	}
	tests := []struct {
		name, raw string
		reason    Reason
		want      string
	}{
		{"empty", "", BadNotebook, "a.ipynb:1: this is not valid JSON: unexpected end of JSON input; save the notebook again with Jupyter, or fix the JSON"},
		{"half a file", "{\"cells\": [\n{\"source\": [", BadNotebook, "a.ipynb:2: this is not valid JSON: unexpected end of JSON input; save the notebook again with Jupyter, or fix the JSON"},
		{"merge conflict", "{\"cells\": [\n\n<<<<<<< HEAD\n", BadNotebook, "a.ipynb:3: this is not valid JSON: invalid character '<' looking for beginning of value; save the notebook again with Jupyter, or fix the JSON"},
		{"conflict between members", "{\"nbformat\": 4,\n<<<<<<< HEAD\n", BadNotebook, "a.ipynb:2: this is not valid JSON: invalid character '<' looking for beginning of object key string; save the notebook again with Jupyter, or fix the JSON"},
		{"two documents", "{}\n{}", BadNotebook, "a.ipynb:2: this is not valid JSON: invalid character '{' after top-level value; save the notebook again with Jupyter, or fix the JSON"},
		{"a list", "[1]", BadNotebook, "a.ipynb:1: this is JSON, but no notebook: [ stands where { is expected; save the notebook again with Jupyter, or fix the JSON"},
		{"other JSON", `{"a": 1}`, BadNotebook, "a.ipynb:1: this is JSON, but no notebook of nbformat 4; save it again with Jupyter, or rename it"},
		{"odd version", `{"nbformat": "4"}`, BadNotebook, "a.ipynb:1: nbformat is not a whole number; save the notebook again with Jupyter, or fix the JSON"},
		{"format 3", `{"nbformat": 3, "worksheets": []}`, BadNotebook, "a.ipynb: this notebook has the old format 3; convert it with: jupyter nbconvert --to notebook --nbformat 4"},
		{"odd source", cell("7"), BadNotebook, "a.ipynb:2: the source of a cell is neither text nor a list of lines; save the notebook again with Jupyter, or fix the JSON"},
		{"no source", cell("null"), BadNotebook, "a.ipynb:2: the source of a cell is neither text nor a list of lines; save the notebook again with Jupyter, or fix the JSON"},
		{"NUL", cell(`"\u0000"`), Binary, "a.ipynb:2: cell 1 has a NUL character, which Python does not accept; remove it"},
		{"another language", `{"nbformat": 4, "cells": [], "metadata": {"kernelspec": {"language": "R"}}}`, NotPython, "a.ipynb: this notebook is written in R, not Python; nothing to check"},
		{"invalid UTF-8", "{\n\"\xe9\"", BadEncoding, "a.ipynb:2: byte 0xe9 is not valid UTF-8; save the notebook again as UTF-8"},
		{"too much code", cell(`"` + strings.Repeat("x", MaxSize) + `"`), TooLarge, "a.ipynb: the code of this notebook is larger than 10 MiB; split it, or leave it out with exclude"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := FromBytes("a.ipynb", []byte(test.raw))
			checkError(t, err)
			e := err.(*Error)
			if e.Error() != test.want || e.Reason != test.reason || e.Skipped() != (test.reason == NotPython) {
				t.Errorf("got  %s (reason %d)\nwant %s (reason %d)", e, e.Reason, test.want, test.reason)
			}
		})
	}
}

func TestNotebookTolerates(t *testing.T) {
	tests := []struct{ name, raw, text string }{
		{"no cells", `{"nbformat": 4, "cells": []}`, ""},
		{"a byte order mark", "\xEF\xBB\xBF" + `{"nbformat": 4, "cells": [{"cell_type": "code", "source": "x"}]}`, "x\n"},
		{"a cookie in a string", `{"nbformat": 4, "cells": [{"cell_type": "code", "source": "# coding: latin-1"}]}`, "# coding: latin-1\n"},
		{"raw cells and cells without source", `{"nbformat": 4, "cells": [{"cell_type": "raw", "source": "x"}, {"cell_type": "code"}]}`, ""},
		{"a cell that an editor marks as shell", `{"nbformat": 4, "cells": [{"cell_type": "code", "source": "ls", "metadata": {"vscode": {"languageId": "shellscript"}}}]}`, "  \n"},
		{"lone carriage returns", `{"nbformat": 4, "cells": [{"cell_type": "code", "source": "a\rb\r"}, {"cell_type": "code", "source": "\nc"}]}`, "a\nb\n\nc\n"},
		{"half a surrogate pair", `{"nbformat": 4, "cells": [{"cell_type": "code", "source": "'\ud83d'"}]}`, "'\uFFFD'\n"},
		{"metadata of another shape", `{"nbformat": 4, "metadata": [], "cells": [{"metadata": 3, "cell_type": "code", "source": "x"}]}`, "x\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := readNotebook(t, test.raw)
			checkText(t, f.Text)
			if string(f.Text) != test.text {
				t.Errorf("the program is %q, want %q", f.Text, test.text)
			}
			if back, err := f.Bytes(); err != nil || string(back) != test.raw {
				t.Errorf("came back as %q, %v", back, err)
			}
		})
	}
}

// Whatever layout a notebook has, a cell that is written holds the new text for
// any JSON reader, and nothing else in the document changed.
func TestWrittenNotebookReadsTheSame(t *testing.T) {
	line := rapid.StringOfN(rapid.SampledFrom([]rune("ab \"\\<>&'πé𝛑\x01\t")), 0, 6, -1)
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(line, 0, 4).Draw(t, "lines")
		var value any = strings.Join(lines, "\n")
		if rapid.Bool().Draw(t, "list") {
			value = strings.SplitAfter(strings.Join(lines, "\n"), "\n")
		}
		indent := rapid.SampledFrom([]string{"", " ", "\t"}).Draw(t, "indent")
		document := map[string]any{"nbformat": 4, "extra": lines, "cells": []any{map[string]any{"cell_type": "code", "source": value}}}
		raw, _ := json.MarshalIndent(document, "", indent)
		f, err := FromBytes("a.ipynb", raw)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(rapid.SliceOfN(line, 0, 4).Draw(t, "new"), "\n") + "\n"
		cell := Cell{Number: 1, End: len(text), Unterminated: true, json: f.Cells[0].json}
		edited := f.Derive(Program{Text: []byte(text), Cells: []Cell{cell}})
		written, err := edited.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Extra []string
			Cells []struct{ Source json.RawMessage }
		}
		if err := json.Unmarshal(written, &got); err != nil {
			t.Fatalf("%v in %s", err, written)
		}
		source, err := sourceText(got.Cells[0].Source, 0)
		if err != nil || source != strings.TrimSuffix(text, "\n") || fmt.Sprint(got.Extra) != fmt.Sprint(lines) {
			t.Fatalf("wrote %q, %v; want %q", source, err, text)
		}
	})
}

// FuzzNotebook feeds foreign bytes as notebooks: no panic, clear errors, text
// fit for the parser, cells without gaps, the same bytes back.
func FuzzNotebook(f *testing.F) {
	f.Add([]byte(jupyter))
	for _, source := range []string{`"%%time\n!ls\nx = !y\r\n"`, `["a\r","\nb?"]`, `"if x:\n ?"`, `"'''\n%"`, `"x = %y\\\n"`, `7`, `["\ud800"]`, `"%%bash\n\\\\"`} {
		f.Add([]byte(`{"nbformat": 4, "cells": [{"cell_type": "code", "source": ` + source + `}, {"cell_type": "code", "source": ` + source + `}]}`))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		file, err := FromBytes("a.ipynb", raw)
		if err != nil {
			checkError(t, err)
			return
		}
		checkText(t, file.Text)
		checkCells(t, file)
		if back, err := file.Bytes(); err != nil || !bytes.Equal(back, raw) {
			t.Fatalf("%q came back as %q, %v", raw, back, err)
		}
	})
}

// FuzzCommands feeds foreign cells: nothing moves, and the originals come back.
func FuzzCommands(f *testing.F) {
	for _, cell := range []string{"%%time\n!ls", "x = !y \\\n z", "if x:\r\n\t!l\r\n", "s = '''\n%", "f?", "%%bash\n\\", "x = (\n%a", "  %timeit -n 1 x = y\n  z"} {
		f.Add(cell)
	}
	f.Fuzz(func(t *testing.T, cell string) {
		raw, _ := json.Marshal(map[string]any{"nbformat": 4, "cells": []any{map[string]any{"cell_type": "code", "source": cell}}})
		file, err := FromBytes("a.ipynb", raw)
		if err != nil {
			checkError(t, err)
			return
		}
		checkText(t, file.Text)
		checkCells(t, file)
		if back, err := file.Bytes(); err != nil || !bytes.Equal(back, raw) {
			t.Fatalf("%q came back as %q, %v", raw, back, err)
		}
	})
}

// checkCells makes sure that cells cover the text and masks are in order, within
// one line each, and as long as their originals.
func checkCells(t *testing.T, f *File) {
	t.Helper()
	end := 0
	for _, c := range f.Cells {
		if c.Start != end || c.End <= c.Start || f.Text[c.End-1] != '\n' {
			t.Fatalf("cell %d has bytes %d to %d after %d of %q", c.Number, c.Start, c.End, end, f.Text)
		}
		end = c.End
	}
	if end != len(f.Text) {
		t.Fatalf("the cells end at %d of %d", end, len(f.Text))
	}
	end = 0
	for _, m := range f.Masks {
		if m.Start < end || m.End-m.Start != len(m.Original) || bytes.IndexByte(f.Text[m.Start:m.End], '\n') >= 0 {
			t.Fatalf("mask %+v after %d in %q", m, end, f.Text)
		}
		end = m.End
	}
}
