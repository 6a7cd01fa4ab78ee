package stdwithouteps_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/advantage/stdwithouteps"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, stdwithouteps.Analyzer, stdwithouteps.Doc) }
