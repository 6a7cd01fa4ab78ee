package klcoefunused_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/kl/klcoefunused"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, klcoefunused.Analyzer, klcoefunused.Doc) }
