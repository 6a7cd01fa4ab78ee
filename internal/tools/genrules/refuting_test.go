package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// Every probe says what it takes to refute a finding of its rule, and a program takes that away.
func TestEveryProbeSaysWhatRefutes(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	pages, incomplete := readPages(root)
	if incomplete != nil {
		t.Fatal(incomplete)
	}
	complete := func(what string, r refuting) {
		if r.probed && (r.needs == "" || len(r.programs) == 0) {
			t.Errorf("%s: the probe says in no line `    needs = \"...\"` what it takes to refute, or %s%s.txtar has no program that takes it away", what, takenAway, what)
		}
	}
	for _, p := range pages {
		r, err := refutesOf(root, p)
		if err != nil {
			t.Fatal(err)
		}
		complete(p.Code, r)
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
		complete(quantity, r)
	}
}
