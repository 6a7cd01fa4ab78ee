package scalarnoise_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/sampling/scalarnoise"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, scalarnoise.Analyzer, scalarnoise.Doc) }
