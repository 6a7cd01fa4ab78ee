package gradoutputignored_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/autograd/gradoutputignored"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, gradoutputignored.Analyzer, gradoutputignored.Doc) }
