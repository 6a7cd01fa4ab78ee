package rules_test

import (
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/linttest"
	"github.com/rlvet/rlvet/rules"
)

// TestPrograms holds all rules together against the programs of testdata: every
// marked bug is found at its line, and nothing else is reported, in correct
// trainers least of all.
func TestPrograms(t *testing.T) {
	var all []*analysis.Analyzer
	for _, e := range rules.All() {
		if e.Analyzer != nil {
			all = append(all, e.Analyzer)
		}
	}
	for _, pattern := range []string{
		"ok/*.py", "ok/*.ipynb", "grpo/usual/*.py", "grpo/names/*.py", "grpo/helpers/*.py", "grpo/class/*.py", "grpo/notebook/*.ipynb",
		"grpo/modules", "grpo/modules_ok", "trainers/*.py", "disguise/*.py", "projects/*.txtar", "hostile/*.py", "hostile/*.txtar",
	} {
		t.Run(pattern, func(t *testing.T) { linttest.Marked(t, "../testdata/"+pattern, all...) })
	}
}
