// Command unused prints what only tests, or nothing at all, use: functions, methods, types,
// fields, constants and variables of the module's own packages, exported or not, each with
// its place. It exits with 1 where there is any.
//
// Compilers see unused variables, staticcheck what a package does not use itself; but an
// exported method of a type that is in use counts as used with both of them. Here the whole
// module is one program: main, init and what they reach, see reach.go.
//
// Input: the module in the working directory, as `go list` sees it on this machine. Limits:
// what only files of another operating system use looks unused here; what generators write
// is not judged; a field that is set and never read counts as used.
package main

import (
	"fmt"
	"os"
)

func main() {
	p, err := load(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, "unused:", err)
		os.Exit(2)
	}
	found := p.unused()
	for _, line := range found {
		fmt.Println(line)
	}
	if len(found) > 0 {
		fmt.Printf("%d without a use outside of tests: remove them, or move them into the test that uses them\n", len(found))
		os.Exit(1)
	}
}
