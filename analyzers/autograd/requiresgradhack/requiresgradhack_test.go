package requiresgradhack_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/autograd/requiresgradhack"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, requiresgradhack.Analyzer, requiresgradhack.Doc) }
