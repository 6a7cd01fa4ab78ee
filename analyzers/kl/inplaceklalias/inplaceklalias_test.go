package inplaceklalias_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/kl/inplaceklalias"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, inplaceklalias.Analyzer, inplaceklalias.Doc) }
