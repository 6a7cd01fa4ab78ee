package losslistretention_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/autograd/losslistretention"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, losslistretention.Analyzer, losslistretention.Doc) }
