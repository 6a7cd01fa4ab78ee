// Command genrules writes what follows from the folders of the rules.
//
// Purpose: a rule is one folder, analyzers/FAMILY/RULE; nobody lists it by hand.
// `go generate ./rules` runs this command.
//
// Input: every analyzers/*/*/rule.md, and the settings of internal/config. Output: rules/registry.go (the list that
// the program links), docs/rules (a page a rule, without the marks of its tests,
// and their index), the page of all settings, and the table of rules in README.md. With -check nothing is written; the exit code is 1 where
// a file would change. A folder that is no rule yet is left out and named, and the
// exit code is 1.
//
// Limits: that an analyzer fits its document is checked by the registry's own
// test, not here; this command reads documents only.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	check := flag.Bool("check", false, "write nothing; fail where a generated file is not current")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	outputs, incomplete, err := generate(root)
	if err != nil {
		return err
	}
	stale, err := outdated(root, outputs)
	if err != nil {
		return err
	}
	for _, name := range stale {
		if check {
			return fmt.Errorf("%s is not current; run `go generate ./rules`", name)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(root, name), outputs[name], 0o644); err != nil {
			return err
		}
		fmt.Println("wrote", name)
	}
	return incomplete
}

// moduleRoot returns the nearest folder above the working directory with a
// go.mod: `go generate` runs in ./rules, people run in the root.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("no go.mod above the working directory")
		}
		dir = parent
	}
}

// outdated returns the outputs that differ from the files on disk, in a fixed
// order.
func outdated(root string, outputs map[string][]byte) ([]string, error) {
	var stale []string
	for _, name := range slices.Sorted(maps.Keys(outputs)) {
		old, err := os.ReadFile(filepath.Join(root, name))
		if err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		if !bytes.Equal(old, outputs[name]) {
			stale = append(stale, name)
		}
	}
	return stale, nil
}
