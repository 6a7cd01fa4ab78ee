package rules_test

import (
	"testing"

	"github.com/rlvet/rlvet/internal/linttest"
)

// TestStyles holds all rules together against the same three algorithms in ten styles of
// code: nothing is found in the correct script, and each bug that its comments propose
// is found, alone and at its line, however the script is written.
func TestStyles(t *testing.T) {
	for _, algorithm := range []string{"grpo", "ppo", "dqn", "order"} {
		t.Run(algorithm, func(t *testing.T) {
			linttest.Planted(t, "../testdata/styles/"+algorithm+"/*.*", analyzers()...)
		})
	}
}

// TestFaults does the same with the faults of the taxonomy of deep reinforcement learning programs by Nikanjam et al.
// (Automated Software Engineering 29, 2022), as far as they have a form in PyTorch.
func TestFaults(t *testing.T) {
	linttest.Planted(t, "../testdata/faults/*.py", analyzers()...)
}
