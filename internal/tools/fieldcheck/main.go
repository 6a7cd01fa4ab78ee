// Command fieldcheck compares a table of internal/frameworks with the sources of its framework.
//
// Purpose: tables are written by people, and frameworks change. It reads the files that define the
// settings, and lists the defaults that the table has wrong, the fields that the sources do
// not have, and, with -missing, the fields that the table lacks.
//
//	go run ./internal/tools/fieldcheck -git PATH/TO/REPOSITORY.git [-at v0.7.0] verl
//
// Input: a git directory, whose files are read with `git show`, and the name of a table, whose [[origin]] rows say
// where the settings stand. Output: a line a difference; the exit code is 1 where there is one.
//
// Limits: it reads literal defaults of dataclasses, of argparse and of YAML, line by line; what is computed
// is passed over.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/frameworks"
)

func main() {
	dir := flag.String("git", "", "the git directory of the framework")
	at := flag.String("at", "HEAD", "the revision to read")
	missing := flag.Bool("missing", false, "list the fields that the table lacks, too")
	flag.Parse()
	if *dir == "" || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: fieldcheck -git DIR [-at REVISION] [-missing] TABLE")
		os.Exit(2)
	}
	read := func(path string) (string, error) {
		out, err := exec.Command("git", "--git-dir", *dir, "show", *at+":"+path).Output()
		return string(out), err
	}
	report, err := run(flag.Arg(0), read)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	report.print(os.Stdout, *missing)
	if len(report.wrong)+len(report.unknown) > 0 {
		os.Exit(1)
	}
}

// run compares a table with what read returns.
func run(name string, read func(path string) (string, error)) (*report, error) {
	i := slices.IndexFunc(frameworks.Tables(), func(t *frameworks.Table) bool { return t.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no table %q", name)
	}
	t := frameworks.Tables()[i]
	if len(t.Origin) == 0 {
		return nil, fmt.Errorf("the table %s has no [[origin]] rows", name)
	}
	r := newReport(t)
	for _, o := range t.Origin {
		text, err := read(o.File)
		if err != nil {
			return nil, fmt.Errorf("%s cannot be read: %w", o.File, err)
		}
		defined, err := settings(o, text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.File, err)
		}
		if len(defined) == 0 {
			return nil, fmt.Errorf("%s: no settings found %s", o.File, strings.TrimSpace("in "+o.Class))
		}
		r.compare(o, defined)
	}
	r.finish()
	return r, nil
}
