package mcp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/vet"
)

// TestReplacements: whoever replaces the lines that the edits name, from the last to
// the first, has the fixed text.
func TestReplacements(t *testing.T) {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c = 1", "", "é😀"}), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) string {
			text := strings.Join(lines.Draw(t, name), "\n")
			if rapid.Bool().Draw(t, name+" ends in a newline") {
				text += "\n"
			}
			return text
		}
		before, after := draw("before"), draw("after")
		edits, err := replacements(editAnswer{}, before, after)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.SplitAfter(before, "\n")
		for i := len(edits) - 1; i >= 0; i-- {
			e := edits[i]
			at := e.Line - 1
			n := len(strings.SplitAfter(e.Old, "\n"))
			if strings.HasSuffix(e.Old, "\n") || e.Old == "" {
				n--
			}
			if old := strings.Join(got[at:at+n], ""); old != e.Old {
				t.Fatalf("line %d: %q is not there, but %q", e.Line, e.Old, old)
			}
			got = append(got[:at:at], append([]string{e.New}, got[at+n:]...)...)
		}
		if text := strings.Join(got, ""); text != after {
			t.Fatalf("%q gives %q, want %q: %+v", before, text, after, edits)
		}
	})
}

// TestNotebook: lines of a notebook are counted in their cell, and cells from 1,
// Markdown too.
func TestNotebook(t *testing.T) {
	before, err := source.FromBytes("notes.ipynb", []byte(`{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
		{"cell_type": "code", "metadata": {}, "outputs": [], "source": ["%matplotlib inline\n", "import torch"]},
		{"cell_type": "markdown", "metadata": {}, "source": "# Größen"},
		{"cell_type": "code", "metadata": {}, "outputs": [], "source": ["x = 1\n", "y = x / 0\n", "z = 2"]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(before.Text), "0\n")
	after, err := edit.ApplyFile(before, []edit.Edit{{Start: at, End: at + 1, New: "3"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := editsOf(vet.Change{Before: before, After: after})
	want := []editAnswer{{Path: "notes.ipynb", Cell: 3, Line: 2, Old: "y = x / 0\n", New: "y = x / 3\n"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}
