// Command newrule starts a rule: its folder, with a document, an analyzer and a probe. Its
// test fails until the analyzer keeps the document's promises.
//
// Input: a code and a name, as `newrule ADV021 return-not-centred`; the code's
// prefix says the family. Output: analyzers/FAMILY/RULE with rule.md, RULE.go
// and probe.py. Nothing is overwritten.
//
// Limits: it registers nothing; `go generate ./rules` finds the folder.
package main

import (
	"fmt"
	"os"
)

const usage = "usage: go run ./internal/tools/newrule CODE NAME, as: newrule ADV021 return-not-centred"

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
	dir, err := scaffold(".", os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
	fmt.Printf(nextSteps, dir, os.Args[1])
}

const nextSteps = `Started %[1]s. Now
  1. say in rule.md what the rule finds, with a program it must flag and one it must not;
  2. go generate ./rules     (registers it)
  3. go test ./rules -run TestRule/%[2]s     (fails: the analyzer finds nothing yet)
  4. write run until the test passes;
  5. go test ./rules -run TestRule/%[2]s -update     records the output in rule.md
  6. say in probe.py what confirms the finding in a run, and go test ./rules -run TestConfirmed/%[2]s -update
  7. write programs in rules/testdata/verdicts/%[2]s.txtar that hide what the probe looks at, and go test ./rules -run TestNeverRefuted/%[2]s
`
