package backwardarity_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/autograd/backwardarity"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, backwardarity.Analyzer, backwardarity.Doc) }
