package entropysign_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/objective/entropysign"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, entropysign.Analyzer, entropysign.Doc) }
