package noisewrongshape_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/sampling/noisewrongshape"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, noisewrongshape.Analyzer, noisewrongshape.Doc) }
