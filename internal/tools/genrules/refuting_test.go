package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every probe says what it takes to refute a finding of its rule, and a program takes that away. The
// list of those that do not is in testdata, and has to be true.
func TestEveryProbeSaysWhatRefutes(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	pages, incomplete := readPages(root)
	if incomplete != nil {
		t.Fatal(incomplete)
	}
	text, err := os.ReadFile(filepath.Join(root, takenAway, "missing.txt"))
	if err != nil {
		t.Fatal(err)
	}
	listed := strings.Fields(string(text))
	for _, p := range pages {
		r, err := readRefuting(root, p)
		if err != nil {
			t.Fatal(err)
		}
		switch missing := r.probed && (r.needs == "" || len(r.programs) == 0); {
		case missing && !slices.Contains(listed, p.Code):
			t.Errorf("%s: the probe says in no line `    needs = \"...\"` what it takes to refute, or %s%s.txtar has no program that takes it away", p.Code, takenAway, p.Code)
		case !missing && slices.Contains(listed, p.Code):
			t.Errorf("%s is in %smissing.txt, but nothing is missing: take it out", p.Code, takenAway)
		}
	}
}
