package truncatedsamplingratio_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/sampling/truncatedsamplingratio"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, truncatedsamplingratio.Analyzer, truncatedsamplingratio.Doc) }
