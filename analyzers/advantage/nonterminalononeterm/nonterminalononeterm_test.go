package nonterminalononeterm_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/advantage/nonterminalononeterm"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, nonterminalononeterm.Analyzer, nonterminalononeterm.Doc) }
