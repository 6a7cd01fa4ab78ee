package retaingraph_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/autograd/retaingraph"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, retaingraph.Analyzer, retaingraph.Doc) }
