package kldetachedinloss_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/kl/kldetachedinloss"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, kldetachedinloss.Analyzer, kldetachedinloss.Doc) }
