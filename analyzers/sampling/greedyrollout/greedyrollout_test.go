package greedyrollout_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/sampling/greedyrollout"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, greedyrollout.Analyzer, greedyrollout.Doc) }
