package ratiooflogprobs_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/objective/ratiooflogprobs"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, ratiooflogprobs.Analyzer, ratiooflogprobs.Doc) }
