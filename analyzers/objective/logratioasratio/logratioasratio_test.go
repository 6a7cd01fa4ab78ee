package logratioasratio_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/objective/logratioasratio"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, logratioasratio.Analyzer, logratioasratio.Doc) }
