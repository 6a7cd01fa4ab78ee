package nogradaroundupdate_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/autograd/nogradaroundupdate"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, nogradaroundupdate.Analyzer, nogradaroundupdate.Doc) }
