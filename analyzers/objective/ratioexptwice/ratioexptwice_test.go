package ratioexptwice_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/objective/ratioexptwice"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, ratioexptwice.Analyzer, ratioexptwice.Doc) }
