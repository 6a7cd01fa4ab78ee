package backwardinsidefunction_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/autograd/backwardinsidefunction"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, backwardinsidefunction.Analyzer, backwardinsidefunction.Doc) }
