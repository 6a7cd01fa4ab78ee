package lsp_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/lsp"
)

// A notebook is one program: what a cell is called wrong for may stand in another,
// magics are no Python, and cells come, go and move while one works.
func TestNotebookSession(t *testing.T) {
	e := connect(t, folder(t, &txtar.Archive{}), lsp.Options{}, `{}`, "")
	book := e.uri("train.ipynb")
	e.cells(book, "# What this is", "%pip install torch\nimport torch\n", "y = torch.log_softmax(torch.randn(8), -1)", "# 😀\nx = torch.multinomial(y, 1)\n!ls")
	e.wantCell(book, 4, "2:5-2:28 error DIST024")
	e.wantCell(book, 3, "nothing")

	// The fix is an edit of the cell, and of nothing else in it.
	actions := e.actionsAt(book, 4, position{1, 6})
	if len(actions) == 0 || !actions[0].IsPreferred {
		t.Fatalf("no fix is offered: %v", actions)
	}
	e.apply(actions[0].Edit)
	if got := e.texts[cellName(book, 4)]; got != "# 😀\nx = torch.multinomial(y.exp(), 1)\n!ls" {
		t.Errorf("the cell is now %q", got)
	}
	e.wantCell(book, 4, "nothing")

	// Without the cell that defines it nothing is known of the variable.
	e.edit(cellName(book, 4), "y.exp()", "y")
	e.wantCell(book, 4, "2:5-2:28 error DIST024")
	e.notify("notebookDocument/didChange", map[string]any{
		"notebookDocument": map[string]any{"uri": book, "version": 2},
		"change": map[string]any{"cells": map[string]any{"structure": map[string]any{
			"array":    map[string]any{"start": 2, "deleteCount": 1},
			"didClose": []any{map[string]any{"uri": cellName(book, 3)}},
		}}},
	})
	e.until("the finding to go", func() bool { return len(e.shown[cellName(book, 4)].Diagnostics) == 0 })

	e.notify("notebookDocument/didClose", map[string]any{
		"notebookDocument":  map[string]any{"uri": book},
		"cellTextDocuments": []any{map[string]any{"uri": cellName(book, 2)}, map[string]any{"uri": cellName(book, 4)}},
	})
	if code := e.leave(); code != 0 {
		t.Errorf("the exit code is %d", code)
	}
}

// A notebook that is not open says how much was found in it; once it is open its cells say what.
func TestClosedNotebook(t *testing.T) {
	cell := `{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": "import torch\nr = torch.ones(8)\na = r / r.std()\nx = torch.multinomial(torch.log_softmax(r, -1), 1)"}`
	e := connect(t, folder(t, &txtar.Archive{Files: []txtar.File{
		{Name: "book.ipynb", Data: []byte(`{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [` + cell + `]}`)},
		{Name: "torn.ipynb", Data: []byte(`{"nbformat": 4, "cells": [`)},
	}}), lsp.Options{}, `{"textDocument": {"diagnostic": {}}}`, "")
	type item struct {
		URI   string
		Items []struct {
			diagnostic
			Data struct{ Findings int }
		}
	}
	workspace := func() map[string]item {
		var report struct{ Items []item }
		e.call("workspace/diagnostic", map[string]any{"previousResultIds": []any{}}, &report)
		out := map[string]item{}
		for _, i := range report.Items {
			out[i.URI] = i
		}
		return out
	}
	book := e.uri("book.ipynb")
	closed := workspace()
	if list := closed[book].Items; len(list) != 1 || list[0].Message != "2 findings in this notebook; open it to see them" || list[0].Severity != 1 || list[0].Data.Findings != 2 || list[0].Range != (span{}) {
		t.Errorf("closed it shows %+v", list)
	}
	if list := closed[e.uri("torn.ipynb")].Items; len(list) != 1 || list[0].Data.Findings != 0 || list[0].Severity != 2 {
		t.Errorf("one that cannot be read shows %+v", list)
	}
	e.cells(book, "import torch\nr = torch.ones(8)", "a = r / r.std()")
	open := workspace()
	if list, known := open[book]; !known || len(list.Items) > 0 {
		t.Errorf("open it still shows %+v", list)
	}
	if list := open[cellName(book, 2)].Items; len(list) != 1 || list[0].Code != "ADV009" {
		t.Errorf("its cell shows %+v", list)
	}
}

func cellName(book string, number int) string { return book + "#" + string(rune('0'+number)) }

// cells opens a notebook; cells that start with "# W" are prose.
func (e *editor) cells(book string, texts ...string) {
	e.t.Helper()
	var cells, documents []any
	for i, text := range texts {
		uri, kind := cellName(book, i+1), 2
		if strings.HasPrefix(text, "# W") {
			kind = 1
		} else {
			e.versions[uri], e.texts[uri] = 1, text
			documents = append(documents, map[string]any{"uri": uri, "languageId": "python", "version": 1, "text": text})
		}
		cells = append(cells, map[string]any{"kind": kind, "document": uri})
	}
	e.notify("notebookDocument/didOpen", map[string]any{
		"notebookDocument":  map[string]any{"uri": book, "notebookType": "jupyter-notebook", "version": 1, "cells": cells},
		"cellTextDocuments": documents,
	})
}

// edit replaces a text in a cell, as notebooks' clients do.
func (e *editor) edit(cell, old, new string) {
	e.t.Helper()
	book, _, _ := strings.Cut(cell, "#")
	text := e.texts[cell]
	at := strings.Index(text, old)
	e.versions[cell]++
	e.notify("notebookDocument/didChange", map[string]any{
		"notebookDocument": map[string]any{"uri": book, "version": 1},
		"change": map[string]any{"cells": map[string]any{"textContent": []any{map[string]any{
			"document": map[string]any{"uri": cell, "version": e.versions[cell]},
			"changes":  []any{map[string]any{"range": map[string]any{"start": e.position(text, at), "end": e.position(text, at+len(old))}, "text": new}},
		}}}},
	})
	e.texts[cell] = text[:at] + new + text[at+len(old):]
}

// wantCell compares what is shown in a cell for its newest text.
func (e *editor) wantCell(book string, number int, want string) {
	e.t.Helper()
	uri := cellName(book, number)
	e.until("diagnostics of "+uri, func() bool {
		p, ok := e.shown[uri]
		return ok && p.Version == e.versions[uri]
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	got := strings.Join(lines(e.shown[uri].Diagnostics), "; ")
	if !strings.HasPrefix(got, want) {
		e.t.Errorf("cell %d shows %q, not %q", number, got, want)
	}
}

func (e *editor) actionsAt(book string, number int, p position) []codeAction {
	e.t.Helper()
	var out []codeAction
	place := map[string]int{"line": p.Line, "character": p.Character}
	e.call("textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": cellName(book, number)},
		"range":        map[string]any{"start": place, "end": place}, "context": map[string]any{"diagnostics": []any{}},
	}, &out)
	return out
}
