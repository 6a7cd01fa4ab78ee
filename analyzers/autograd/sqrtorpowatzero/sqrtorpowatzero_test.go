package sqrtorpowatzero_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/autograd/sqrtorpowatzero"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, sqrtorpowatzero.Analyzer, sqrtorpowatzero.Doc) }
