package argmaxinloss_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/autograd/argmaxinloss"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, argmaxinloss.Analyzer, argmaxinloss.Doc) }
