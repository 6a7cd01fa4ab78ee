package detachedcopyunused_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/autograd/detachedcopyunused"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, detachedcopyunused.Analyzer, detachedcopyunused.Doc) }
