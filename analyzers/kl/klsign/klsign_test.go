package klsign_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/kl/klsign"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, klsign.Analyzer, klsign.Doc) }
