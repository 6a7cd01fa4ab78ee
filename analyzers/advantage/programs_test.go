// Package advantage_test holds rules of this family together against whole programs.
package advantage_test

import (
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/analyzers/advantage/gaewithgrad"
	"github.com/rlvet/rlvet/analyzers/advantage/groupslicewrong"
	"github.com/rlvet/rlvet/analyzers/advantage/maskedstatnokeepdim"
	"github.com/rlvet/rlvet/analyzers/advantage/nonterminalononeterm"
	"github.com/rlvet/rlvet/analyzers/advantage/returnsfromstaleadv"
	"github.com/rlvet/rlvet/internal/linttest"
)

var rules = []*analysis.Analyzer{
	gaewithgrad.Analyzer,
	groupslicewrong.Analyzer,
	maskedstatnokeepdim.Analyzer,
	nonterminalononeterm.Analyzer,
	returnsfromstaleadv.Analyzer,
}

// programs are the marked programs: what is marked is found, and nothing else.
var programs = []string{
	"ok/*.py", "ok/*.ipynb", "grpo/*", "trainers/*.py", "projects/*.txtar", "disguise/*.py",
}

func TestPrograms(t *testing.T) {
	for _, p := range programs {
		t.Run(p, func(t *testing.T) { linttest.Marked(t, "../../testdata/"+p, rules...) })
	}
}
