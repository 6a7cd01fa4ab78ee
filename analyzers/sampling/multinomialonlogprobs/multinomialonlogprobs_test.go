package multinomialonlogprobs_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/sampling/multinomialonlogprobs"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, multinomialonlogprobs.Analyzer, multinomialonlogprobs.Doc) }
