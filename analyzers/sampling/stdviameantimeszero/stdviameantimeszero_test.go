package stdviameantimeszero_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/sampling/stdviameantimeszero"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, stdviameantimeszero.Analyzer, stdviameantimeszero.Doc) }
