// Package analyzers holds the rules, a folder each, and with them the probes by which
// their findings are confirmed.
//
// Input: the probe.py files of the folders, whose first line names the rule. Output:
// [Probe], the source of a rule's probe. Limits: the rules themselves are not linked
// from here; package rules is the catalogue.
package analyzers

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"sync"
)

//go:embed */*/probe.py
var files embed.FS

// head is the first line of a probe.py: the code of its rule, and what is watched.
var head = regexp.MustCompile(`^"""([A-Z]+[0-9]{3}): `)

// probes are the sources by code.
var probes = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		m := head.FindSubmatch(text)
		if m == nil {
			return fmt.Errorf("%s must begin with a docstring of the form \"CODE: what is watched\"", path)
		}
		out[string(m[1])] = string(text)
		return nil
	})
	if err != nil {
		panic(err) // the files are embedded: a mistake in the program, which every test meets
	}
	return out
})

// Probe returns the source of a rule's probe, or "" where it has none.
func Probe(code string) string { return probes()[code] }
