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
	compare := func(what string, r refuting) {
		switch missing := r.probed && (r.needs == "" || len(r.programs) == 0); {
		case missing && !slices.Contains(listed, what):
			t.Errorf("%s: the probe says in no line `    needs = \"...\"` what it takes to refute, or %s%s.txtar has no program that takes it away", what, takenAway, what)
		case !missing && slices.Contains(listed, what):
			t.Errorf("%s is in %smissing.txt, but nothing is missing: take it out", what, takenAway)
		}
	}
	for _, p := range pages {
		r, err := refutesOf(root, p)
		if err != nil {
			t.Fatal(err)
		}
		compare(p.Code, r)
	}
	probes, err := filepath.Glob(filepath.Join(root, contracts, "*.py"))
	if err != nil || len(probes) == 0 {
		t.Fatal("no contracts", err)
	}
	for _, probe := range probes {
		quantity := strings.TrimSuffix(filepath.Base(probe), ".py")
		r, err := readRefuting(root, filepath.Join(contracts, filepath.Base(probe)), quantity)
		if err != nil {
			t.Fatal(err)
		}
		compare(quantity, r)
	}
}
