package minmaxflipped_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/objective/minmaxflipped"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, minmaxflipped.Analyzer, minmaxflipped.Doc) }
