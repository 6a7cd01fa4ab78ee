package doublesoftmax_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/sampling/doublesoftmax"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, doublesoftmax.Analyzer, doublesoftmax.Doc) }
