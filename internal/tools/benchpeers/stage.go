package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// corpus is the copy of the files that every tool reads.
type corpus struct {
	dir                 string
	files, lines, bytes int
}

// stage copies the regular .py files below tree into dir, with their folders.
// Having read them all, it leaves them in the system's file cache.
func stage(tree, dir string) (corpus, error) {
	c := corpus{dir: dir}
	err := filepath.WalkDir(tree, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.Type().IsRegular() || filepath.Ext(name) != ".py" {
			return nil
		}
		rel, err := filepath.Rel(tree, name)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		c.files++
		c.lines += bytes.Count(text, []byte("\n"))
		c.bytes += len(text)
		return writeFile(filepath.Join(dir, rel), text)
	})
	if err == nil && c.files == 0 {
		err = fmt.Errorf("no .py files below %s", tree)
	}
	return c, err
}

func writeFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o644)
}
