package deterministicflaginverted_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/sampling/deterministicflaginverted"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) {
	linttest.Run(t, deterministicflaginverted.Analyzer, deterministicflaginverted.Doc)
}
