package logofsoftmax_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/autograd/logofsoftmax"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, logofsoftmax.Analyzer, logofsoftmax.Doc) }
