package softmaxwrongdim_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/sampling/softmaxwrongdim"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, softmaxwrongdim.Analyzer, softmaxwrongdim.Doc) }
