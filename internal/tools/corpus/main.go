// Command corpus checks public training code and compares what is found with what a person
// has judged.
//
// Purpose: precision is measured on code that nobody here wrote. A change of a rule or of
// inference shows here what it adds and what it silences, finding by finding, before anybody
// meets it.
//
// Input: repositories.txt, names and commits on GitHub, and judged.tsv, a finding a line with
// what a person said of it: harmful, idle (true, and of no consequence there), wrong, or unread.
// The repositories are bare or whole clones in the folder of -mirror, as OWNER+NAME or OWNER/NAME;
// -clone gets those that are missing. None of their code is kept here.
// Output: the findings that are new and those that are gone, and a table of the rules with the
// wrong findings per 1,000 lines. With -update judged.tsv is written anew, new findings as
// unread, and the counts in the front matter of the rules with it.
//
// Limits: a finding is known by its line, so moving a repository's commit loses the judgements
// of files that changed. Only Python files and notebooks are taken out of a repository, with what
// says which packages it needs; files that a partial clone lacks are left out.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/rlvet/rlvet/internal/benchtest"
)

func main() {
	var o options
	flag.StringVar(&o.mirror, "mirror", ".mirror", "folder of the clones")
	flag.StringVar(&o.trees, "trees", "", "folder for the files of the commits, kept for the next run (default: a temporary one)")
	flag.StringVar(&o.only, "only", "", "only repositories whose name contains this")
	flag.StringVar(&o.rules, "rules", "ALL", "rules to run: codes, names, prefixes or families, with commas")
	flag.BoolVar(&o.clone, "clone", false, "clone repositories that the mirror lacks")
	flag.BoolVar(&o.update, "update", false, "write judged.tsv and the counts of the rules anew")
	benchtest.Main(func(ctx context.Context) error { return o.run(ctx, ".", os.Stdout) })
}

type options struct {
	mirror, trees, only, rules string
	clone, update              bool
}

// The files of the tool, from the root of the project.
const (
	listFile   = "internal/tools/corpus/repositories.txt"
	judgedFile = "internal/tools/corpus/judged.tsv"
)

// run works in the project at root.
func (o options) run(ctx context.Context, root string, out io.Writer) error {
	if o.update && (o.only != "" || o.rules != "ALL") {
		return fmt.Errorf("-update needs all repositories and all rules: leave out -only and -rules")
	}
	list, err := readList(filepath.Join(root, listFile))
	if err != nil {
		return err
	}
	known, err := readJudged(filepath.Join(root, judgedFile))
	if err != nil {
		return err
	}
	trees := o.trees
	if trees == "" {
		if trees, err = os.MkdirTemp("", "corpus"); err != nil {
			return err
		}
		defer os.RemoveAll(trees)
	}
	var all summary
	for _, r := range list {
		if !strings.Contains(r.name, o.only) {
			continue
		}
		dir, err := checkout(ctx, r, o.mirror, trees, o.clone)
		if err != nil {
			fmt.Fprintf(out, "left out: %s\n", err)
			all.missing = append(all.missing, r.name)
			continue
		}
		if err := all.check(ctx, r.name, dir, strings.Split(o.rules, ",")); err != nil {
			return err
		}
	}
	all.compare(known)
	all.write(out)
	if o.update {
		if err := all.update(root); err != nil {
			return err
		}
	}
	if len(all.failed) > 0 {
		return fmt.Errorf("rules broke down:\n%s", strings.Join(all.failed, "\n"))
	}
	return nil
}
