package lateboundmonkeypatch_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/sampling/lateboundmonkeypatch"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, lateboundmonkeypatch.Analyzer, lateboundmonkeypatch.Doc) }
