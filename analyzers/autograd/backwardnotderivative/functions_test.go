package backwardnotderivative_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/autograd/backwardnotderivative"
	"github.com/rlvet/rlvet/internal/linttest"
)

// TestFunctions tries the rule on the programs on which gradients are also compared at run
// time: it finds those that are built from known operations, and accuses none that is right or a surrogate.
func TestFunctions(t *testing.T) {
	for _, folder := range []string{"wrong", "right", "surrogate"} {
		linttest.Marked(t, "../../../testdata/hunt/functions/"+folder+"/*.py", backwardnotderivative.Analyzer)
	}
}
