package backwardnotderivative_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/autograd/backwardnotderivative"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, backwardnotderivative.Analyzer, backwardnotderivative.Doc) }
