package plogp_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/autograd/plogp"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, plogp.Analyzer, plogp.Doc) }
