package read

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// Options say how a run is read. The zero value reads everything.
type Options struct {
	// Names gives a meaning to names of the logger; they win over the names that are known.
	Names map[string]Meaning
	// Prompts is the number of prompts whose completions are kept of each step; 0 means 256.
	Prompts int
	// Progress is told now and then how many bytes were read, of how many in all; nil for nobody.
	Progress func(done, total int64)
}

// Meaning is what a logger's name stands for.
type Meaning struct {
	Quantity record.Quantity
	Unit     record.Unit
}

// Run reads what is under dir. It fails only where nothing can be read: then the error is one
// line that says where, what, and how to fix it. What was damaged or not used is in the
// notes of the result.
func Run(ctx context.Context, dir string, o Options) (*record.Run, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("%s: no such folder: give the folder that the trainer wrote its logs to", dir)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("%s is a file: give the folder that the trainer wrote its logs to", dir)
	}
	var asides []aside
	for {
		c := newCollector(dir, o)
		c.asides = asides
		if err := c.collect(ctx); err != nil {
			return nil, err
		}
		c.resolve()
		more := c.foldersApart()
		if len(more) == 0 {
			return c.finish()
		}
		asides = withFolders(asides, more)
	}
}
