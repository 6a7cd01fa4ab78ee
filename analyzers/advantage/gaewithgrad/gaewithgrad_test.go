package gaewithgrad_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/advantage/gaewithgrad"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, gaewithgrad.Analyzer, gaewithgrad.Doc) }
