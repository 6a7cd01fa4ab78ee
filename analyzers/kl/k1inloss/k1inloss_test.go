package k1inloss_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/kl/k1inloss"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, k1inloss.Analyzer, k1inloss.Doc) }
