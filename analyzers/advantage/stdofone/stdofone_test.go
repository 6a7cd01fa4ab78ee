package stdofone_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/advantage/stdofone"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, stdofone.Analyzer, stdofone.Doc) }
