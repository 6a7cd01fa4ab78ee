package inplacebeforebackward_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/autograd/inplacebeforebackward"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, inplacebeforebackward.Analyzer, inplacebeforebackward.Doc) }
