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

// contracts is the folder of the probes of quantities.
const contracts = "internal/confirm/claim/contracts/"

// refuting is what it takes to refute a finding of a rule, or a claim about a quantity.
type refuting struct {
	probed   bool
	needs    string   // what the probe says
	programs []string // that take it away, by the names of their folders
}

// needs is the line of a probe that says what has to be there to refute.
var needs = regexp.MustCompile(`(?m)^    needs = "(.+)"$`)

// readRefuting reads what a probe says, whose file is named from the root, and which programs there are for what it is about.
func readRefuting(root, probe, what string) (r refuting, err error) {
	text, err := os.ReadFile(filepath.Join(root, probe))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	r.probed = true
	if m := needs.FindSubmatch(text); m != nil {
		r.needs = string(m[1])
	}
	archive, err := os.ReadFile(filepath.Join(root, takenAway, what+".txtar"))
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

// refutesOf is readRefuting for the probe of a rule.
func refutesOf(root string, p page) (refuting, error) {
	return readRefuting(root, filepath.Join("analyzers", p.folder, "probe.py"), p.Code)
}

// row is the row of a table, "" where nothing is said.
func (r refuting) row(what string) string {
	if r.needs == "" {
		return ""
	}
	return fmt.Sprintf("| %s | %s | %s |\n", what, cell(r.needs), cell(strings.Join(r.programs, ", ")))
}

// refutingText is the page of all tables.
func refutingText(root string, pages []page) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(generated + `# What it takes to refute a finding

` + "`rlvet confirm`" + ` refutes a finding, or a claim, only by evidence: the mistake would have shown at an evaluation, and did not. The table says for each rule
what an evaluation has to hold for that. Where none of it was seen, the verdict is *inconclusive*, and the reason names it. *Taken away* names the programs
that hide it from the probe while the mistake is there, as in a helper or another module; a test runs them, and none may be refuted.
`)
	table := func(title, of, rows string) {
		if rows != "" {
			fmt.Fprintf(&b, "\n## %s\n\n| %s | What it takes to refute it | Taken away |\n| --- | --- | --- |\n%s", title, of, rows)
		}
	}
	for _, family := range rule.Families {
		rows := ""
		for _, p := range pagesOf(pages, family.Name) {
			r, err := refutesOf(root, p)
			if err != nil {
				return nil, err
			}
			rows += r.row(fmt.Sprintf("[%s](rules/%[1]s.md)", p.Code))
		}
		table(fmt.Sprintf("%s (%s)", family.Title, family.Prefix), "Rule", rows)
	}
	probes, err := filepath.Glob(filepath.Join(root, contracts, "*.py"))
	if err != nil {
		return nil, err
	}
	rows := ""
	for _, probe := range probes {
		quantity := strings.TrimSuffix(filepath.Base(probe), ".py")
		r, err := readRefuting(root, filepath.Join(contracts, filepath.Base(probe)), quantity)
		if err != nil {
			return nil, err
		}
		rows += r.row("`" + quantity + "`")
	}
	table("Claims about quantities", "Quantity", rows)
	return b.Bytes(), nil
}
