package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/python"
)

// parseTree reads and parses every .py file below dir with the bare library, and
// looks at nothing: the least that any checker built on it must spend.
func parseTree(dir string, workers int) error {
	names := make(chan string)
	var group sync.WaitGroup
	failed := make(chan error, workers)
	for range workers {
		group.Go(func() {
			for err := range parseNames(names) {
				select {
				case failed <- err:
				default:
				}
			}
		})
	}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Ext(name) == ".py" {
			names <- name
		}
		return err
	})
	close(names)
	group.Wait()
	close(failed)
	if first := <-failed; first != nil {
		return first
	}
	return err
}

// parseNames parses the files named, with one parser, and yields the errors.
func parseNames(names <-chan string) func(yield func(error) bool) {
	return func(yield func(error) bool) {
		parser := sitter.NewParser()
		defer parser.Close()
		parser.SetLanguage(python.GetLanguage())
		for name := range names {
			if err := parseFile(parser, name); err != nil && !yield(err) {
				return
			}
		}
	}
}

func parseFile(parser *sitter.Parser, name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	tree, err := parser.ParseCtx(context.Background(), nil, text)
	if err != nil {
		return err
	}
	tree.Close()
	return nil
}
