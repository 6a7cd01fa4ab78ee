package engine

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// A cell that uses what only a later one defines is said, once; what a function calls when it is called later is not.
func TestOrderOfCells(t *testing.T) {
	for _, c := range []struct {
		name  string
		cells []string
		want  []string // places
	}{
		{"in order", []string{"def discount(r):\n    return later(r)", "def later(r):\n    return r", "g = discount(1)"}, nil},
		{"a use above", []string{"import torch\ng = discount(1)\nh = discount(2)", "def discount(r):\n    return r"}, []string{"a.ipynb:cell 1:2"}},
		{"a class", []string{"net = Net()", "x = 1", "class Net:\n    pass"}, []string{"a.ipynb:cell 1:1"}},
		{"defined twice", []string{"def f():\n    pass", "f()", "def f():\n    pass"}, nil},
		{"bound before", []string{"from helpers import f", "f()", "def f():\n    pass"}, nil},
		{"bound by another notebook", []string{"%run helpers.ipynb", "f()", "def f():\n    pass"}, nil},
		{"tried", []string{"try:\n    f()\nexcept NameError:\n    pass", "def f():\n    pass"}, nil},
	} {
		res, err := Check(t.Context(), []string{"a.ipynb"}, Options{Overlay: map[string][]byte{"a.ipynb": notebookOf(t, c.cells)}, Named: map[string]bool{"a.ipynb": true}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range res.Problems {
			got = append(got, p.Place())
			if p.Fatal || !strings.Contains(p.Message, "cells are read from the top") {
				t.Errorf("%s: %+v", c.name, p)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: problems at %q, want %q", c.name, got, c.want)
		}
	}
}

func notebookOf(t *testing.T, cells []string) []byte {
	type cell map[string]any
	book := map[string]any{"nbformat": 4, "nbformat_minor": 4, "metadata": cell{}}
	var list []cell
	for _, text := range cells {
		list = append(list, cell{"cell_type": "code", "metadata": cell{}, "outputs": []any{}, "execution_count": nil, "source": text})
	}
	book["cells"] = list
	raw, err := json.Marshal(book)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
