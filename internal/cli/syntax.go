package cli

import (
	"context"
	"math"

	"github.com/rlvet/rlvet/internal/py/parse"
	"github.com/rlvet/rlvet/internal/source"
)

// syntaxErrors returns how many places of a file the parser does not
// understand; a file that it gives up on has more than any other.
func syntaxErrors(f *source.File) int {
	p := parse.New()
	defer p.Close()
	mod, err := p.Parse(context.Background(), f.Path, f.Text)
	if err != nil {
		return math.MaxInt
	}
	return len(mod.Errors)
}
