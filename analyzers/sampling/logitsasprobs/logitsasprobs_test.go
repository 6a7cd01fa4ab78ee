package logitsasprobs_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/sampling/logitsasprobs"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, logitsasprobs.Analyzer, logitsasprobs.Doc) }
