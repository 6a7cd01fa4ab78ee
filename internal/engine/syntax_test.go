package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/source"
)

// wrongLines makes the file of the given number of lines and an error on each of
// the listed ones.
func wrongLines(t *testing.T, lines int, wrong ...int) []finding.Problem {
	t.Helper()
	f, err := source.FromBytes("train.py", []byte(strings.Repeat("x = 1\n", lines)))
	if err != nil {
		t.Fatal(err)
	}
	var errors []ast.SyntaxError
	for _, line := range wrong {
		start := uint32(6 * (line - 1))
		errors = append(errors, ast.SyntaxError{Span: ast.Span{Start: start, End: start + 5}, Message: fmt.Sprintf("line %d is wrong; fix it", line)})
	}
	return syntaxProblems(f, errors)
}

// A slip or two is named line by line; several on one line are one.
func TestFewSyntaxErrorsAreNamed(t *testing.T) {
	got := wrongLines(t, 100, 3, 3, 50)
	if len(got) != 2 || got[0].Line != 3 || got[1].Line != 50 || got[1].Message != "line 50 is wrong; fix it" || !got[0].Fatal {
		t.Errorf("got %+v", got)
	}
	if short := wrongLines(t, 3, 1, 2); len(short) != 2 {
		t.Errorf("two wrong lines of three: got %+v", short)
	}
}

// A long list ends with how much is left.
func TestManySyntaxErrorsAreCut(t *testing.T) {
	got := wrongLines(t, 1000, 10, 20, 30, 40, 50, 60, 70, 80)
	if len(got) != manyErrors+1 {
		t.Fatalf("got %d problems: %+v", len(got), got)
	}
	if last := got[manyErrors].Message; !strings.HasPrefix(last, "line 60 is wrong") || !strings.Contains(last, "this and 2 lines below it are not understood") {
		t.Errorf("the last one is %q", last)
	}
	if six := wrongLines(t, 1000, 10, 20, 30, 40, 50, 60); len(six) != 6 || strings.Contains(six[5].Message, "below") {
		t.Errorf("six wrong lines need no summary: %+v", six)
	}
}

// What is no Python gets one line in all.
func TestAnotherLanguageIsOneProblem(t *testing.T) {
	for _, c := range []struct{ lines, wrong int }{{3, 3}, {7, 5}, {100, 11}} {
		var wrong []int
		for i := range c.wrong {
			wrong = append(wrong, i+1)
		}
		got := wrongLines(t, c.lines, wrong...)
		want := fmt.Sprintf("this is hardly Python 3: %d of its %d lines are not understood, and here the first (line 1 is wrong); port the file, or leave it out with exclude", c.wrong, c.lines)
		if len(got) != 1 || got[0].Line != 1 || got[0].Message != want {
			t.Errorf("%d wrong lines of %d: got %+v", c.wrong, c.lines, got)
		}
	}
}

// The problems of a notebook stand in the order of its text: by cell, and then by
// the line in the cell.
func TestProblemsOfNotebooksAreInOrder(t *testing.T) {
	raw := `{"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [
{"cell_type": "markdown", "metadata": {}, "source": "# Training"},
{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": "%cd runs\nif a:\n\tb\n        c\n%time x\nr = = 2\n"},
{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": "!ls\nx = (\n%cd data\n)\n"},
{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": null, "source": "def f(:\n"}]}`
	res, err := Check(context.Background(), []string{"a.ipynb"}, Options{Overlay: map[string][]byte{"a.ipynb": []byte(raw)}, Named: map[string]bool{"a.ipynb": true}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range res.Problems {
		got = append(got, p.Place())
	}
	want := []string{"a.ipynb:cell 2:4", "a.ipynb:cell 2:6", "a.ipynb:cell 3:3", "a.ipynb:cell 4:1"}
	if !slices.Equal(got, want) || !strings.Contains(res.Problems[0].Message, "mixes tabs and spaces") {
		t.Errorf("problems %+v at %q, want %q", res.Problems, got, want)
	}
}
