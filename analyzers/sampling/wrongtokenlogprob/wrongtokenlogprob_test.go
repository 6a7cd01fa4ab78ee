package wrongtokenlogprob_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/sampling/wrongtokenlogprob"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, wrongtokenlogprob.Analyzer, wrongtokenlogprob.Doc) }
