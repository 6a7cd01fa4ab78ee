package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/frameworks"
)

// report is what a comparison found.
type report struct {
	table   *frameworks.Table
	found   map[string]bool // fields of the table that a source defines
	defined int
	wrong   []string // defaults that differ
	unknown []string // fields that no source defines
	missing []string // settings that the table lacks
}

func newReport(t *frameworks.Table) *report { return &report{table: t, found: map[string]bool{}} }

// compare takes in the settings of one source.
func (r *report) compare(o frameworks.Origin, defined []setting) {
	last := map[string]setting{}
	for _, s := range defined {
		last[s.name] = s
	}
	for _, name := range slices.Sorted(maps.Keys(last)) {
		s := last[name]
		r.defined++
		key, ok := r.table.Key(o.Prefix + s.name)
		if !ok {
			r.missing = append(r.missing, fmt.Sprintf("%s: %s%s", o.File, o.Prefix, s))
			continue
		}
		r.found[key] = true
		written, known := r.table.Default(key, o.Method)
		if known && s.value != "" && !same(written, s.value) {
			r.wrong = append(r.wrong, fmt.Sprintf("%s: %s%s, but the table says %s", o.File, o.Prefix, s, written))
		}
	}
}

// finish lists the fields that were not found. Those of trainers and methods are arguments, not settings.
func (r *report) finish() {
	for _, key := range slices.Sorted(maps.Keys(r.table.Field)) {
		if !r.found[key] && !slices.Contains(r.table.Beside, key) && !strings.HasPrefix(key, "trainer.") && !strings.HasPrefix(key, "generate.") && key != "method" {
			r.unknown = append(r.unknown, key)
		}
	}
}

func (r *report) print(w io.Writer, missing bool) {
	for _, line := range r.wrong {
		fmt.Fprintln(w, "wrong:", line)
	}
	for _, key := range r.unknown {
		fmt.Fprintln(w, "unknown:", key, "is in no source")
	}
	if missing {
		for _, line := range r.missing {
			fmt.Fprintln(w, "missing:", line)
		}
	}
	fmt.Fprintf(w, "%s, of which %s was read; the last comparison: %s\n", r.table.Title, r.table.Read, r.table.Compared)
	fmt.Fprintf(w, "%s: %d settings in the sources, %d of them in the table; %d defaults differ, %d fields are in no source\n",
		r.table.Title, r.defined, len(r.found), len(r.wrong), len(r.unknown))
}
