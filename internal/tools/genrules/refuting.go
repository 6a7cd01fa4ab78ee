package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/rule"
)

// refutingFile is the table of what probes need, and takenAway the folder of the programs that take it away.
const (
	refutingFile = "docs/refuting.md"
	takenAway    = "rules/testdata/verdicts/"
)

// refuting is what it takes to refute the findings of a rule.
type refuting struct {
	page
	probed   bool
	needs    string   // what its probe says
	programs []string // that take it away, by the names of their folders
}

// needs is the line of a probe.py that says what has to be there to refute.
var needs = regexp.MustCompile(`(?m)^    needs = "(.+)"$`)

// readRefuting reads what the probe of a rule says, and which programs there are for it.
func readRefuting(root string, p page) (refuting, error) {
	r := refuting{page: p}
	probe, err := os.ReadFile(filepath.Join(root, "analyzers", p.folder, "probe.py"))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	r.probed = true
	if m := needs.FindSubmatch(probe); m != nil {
		r.needs = string(m[1])
	}
	archive, err := os.ReadFile(filepath.Join(root, takenAway, p.Code+".txtar"))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	for _, f := range txtar.Parse(archive).Files {
		program, _, _ := strings.Cut(f.Name, "/")
		if !slices.Contains(r.programs, program) {
			r.programs = append(r.programs, program)
		}
	}
	return r, err
}

// refutingText is the table.
func refutingText(root string, pages []page) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(generated + `# What it takes to refute a finding

` + "`rlvet confirm`" + ` refutes a finding, or a claim, only by evidence: the mistake would have shown at an evaluation, and did not. The table says for each rule
what an evaluation has to hold for that. Where none of it was seen, the verdict is *inconclusive*, and the reason names it. *Taken away* names the programs
that hide it from the probe while the mistake is there, as in a helper or another module; a test runs them, and none may be refuted.
`)
	for _, family := range rule.Families {
		rows := ""
		for _, p := range pagesOf(pages, family.Name) {
			r, err := readRefuting(root, p)
			if err != nil {
				return nil, err
			}
			if r.needs != "" {
				rows += fmt.Sprintf("| [%s](rules/%[1]s.md) | %s | %s |\n", p.Code, cell(r.needs), cell(strings.Join(r.programs, ", ")))
			}
		}
		if rows != "" {
			fmt.Fprintf(&b, "\n## %s (%s)\n\n| Rule | What it takes to refute it | Taken away |\n| --- | --- | --- |\n%s", family.Title, family.Prefix, rows)
		}
	}
	return b.Bytes(), nil
}
