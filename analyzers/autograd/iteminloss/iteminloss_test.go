package iteminloss_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/autograd/iteminloss"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, iteminloss.Analyzer, iteminloss.Doc) }
