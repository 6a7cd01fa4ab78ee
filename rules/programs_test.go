package rules_test

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/linttest"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/rules"
)

// Every rule keeps what its page promises. They share one test binary: linking one for each
// folder took longer than the tests.
func TestRule(t *testing.T) {
	for _, e := range rules.All() {
		folder := filepath.Join("..", "analyzers", e.Doc.Family, strings.ReplaceAll(e.Doc.Name, "-", ""))
		t.Run(e.Doc.Code, func(t *testing.T) { linttest.Run(t, e.Analyzer, folder) })
	}
}

// programs are those of testdata.
var programs = []string{
	"ok/*.py", "ok/*.ipynb", "grpo/usual/*.py", "grpo/names/*.py", "grpo/helpers/*.py", "grpo/class/*.py", "grpo/notebook/*.ipynb",
	"grpo/modules", "grpo/modules_ok", "trainers/*.py", "disguise/*.py", "projects/*.txtar", "hostile/*.py", "hostile/*.txtar",
}

// TestPrograms holds all rules together against the programs of testdata: every
// marked bug is found at its line, and nothing else is reported, in correct
// trainers least of all.
func TestPrograms(t *testing.T) {
	for _, pattern := range programs {
		t.Run(pattern, func(t *testing.T) { linttest.Marked(t, "../testdata/"+pattern, analyzers()...) })
	}
}

// TestNeighbours checks the same programs alone and side by side.
func TestNeighbours(t *testing.T) {
	var patterns []string
	for _, pattern := range programs {
		path, err := filepath.Abs("../testdata/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		patterns = append(patterns, path)
	}
	linttest.Neighbours(t, patterns, analyzers()...)
}

// analyzers returns all rules.
func analyzers() []*analysis.Analyzer {
	var all []*analysis.Analyzer
	for _, e := range rules.All() {
		if e.Analyzer != nil {
			all = append(all, e.Analyzer)
		}
	}
	return all
}

func pages() (docs []*rule.Doc) {
	for _, e := range rules.All() {
		docs = append(docs, e.Doc)
	}
	return docs
}

// TestLessKnown checks correct trainers, and what pages call right, of which a part is out of sight.
func TestLessKnown(t *testing.T) {
	t.Run("programs", func(t *testing.T) {
		linttest.LessKnown(t, linttest.Programs(t, "../testdata/ok/*.py"), nil, analyzers()...)
	})
	t.Run("pages", func(t *testing.T) {
		linttest.LessKnown(t, linttest.RightExamples(pages()), mayDoubt, analyzers()...)
	})
}

// mayDoubt are the rules that take what is out of sight for what it usually is, and what that is.
var mayDoubt = map[string]string{
	"ADV009":  "a caller of the project replaces NaN as hardly any does, and a feature is any value that nothing is known of",
	"ADV047":  "the step of an environment yields an observation, a reward and a flag, in this order",
	"CFG025":  "a function of another module does not make an optimizer of a default of this one",
	"ENV005":  "the class of an environment uses the seed that reset is given",
	"ENV010":  "a function of another module does not reset a variable of this one",
	"VAL004":  "a function of another module does not bind a variable of this one",
	"RWD013":  "who calls a function does not take the commas out of the text that it is given",
	"VAL001":  "an environment does not show its clock",
	"VAL002":  "an environment comes to states in which an episode ends",
	"OBJ020":  "a function of another module does not turn the sign of the log-probabilities that it sums up",
	"GRAD019": "the inputs of a Function do not depend on each other",
}

// TestUnreached checks correct trainers, and what pages call right, where every function raises at once.
func TestUnreached(t *testing.T) {
	t.Run("trainers", func(t *testing.T) {
		linttest.Unreached(t, linttest.Programs(t, "../testdata/ok/*.py"), analyzers()...)
	})
	t.Run("pages", func(t *testing.T) {
		linttest.Unreached(t, linttest.RightExamples(pages()), analyzers()...)
	})
}
