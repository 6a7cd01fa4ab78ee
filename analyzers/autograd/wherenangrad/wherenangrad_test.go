package wherenangrad_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/autograd/wherenangrad"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, wherenangrad.Analyzer, wherenangrad.Doc) }
