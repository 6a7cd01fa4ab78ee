package refaliasespolicy_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/kl/refaliasespolicy"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, refaliasespolicy.Analyzer, refaliasespolicy.Doc) }
