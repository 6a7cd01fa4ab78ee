package reluonhead_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/sampling/reluonhead"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, reluonhead.Analyzer, reluonhead.Doc) }
