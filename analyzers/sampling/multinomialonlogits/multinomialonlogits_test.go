package multinomialonlogits_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/sampling/multinomialonlogits"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, multinomialonlogits.Analyzer, multinomialonlogits.Doc) }
