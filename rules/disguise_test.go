package rules_test

import (
	"testing"

	"github.com/rlvet/rlvet/internal/linttest"
	"github.com/rlvet/rlvet/rules"
)

// TestDisguises holds all rules to what they follow: the examples of their pages keep their findings if local variables have names
// without meaning, if what a call returns is taken apart a statement later, and if every value has one more name. Losses that are
// known stand in a file, which shrinks.
func TestDisguises(t *testing.T) {
	linttest.Disguised(t, "testdata/disguises.txt", rules.All())
}
