// Package sampling_test holds rules of this family together against whole programs.
package sampling_test

import (
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/analyzers/sampling/deterministicflaginverted"
	"github.com/rlvet/rlvet/analyzers/sampling/greedyrollout"
	"github.com/rlvet/rlvet/analyzers/sampling/lateboundmonkeypatch"
	"github.com/rlvet/rlvet/analyzers/sampling/noisemeanisbias"
	"github.com/rlvet/rlvet/analyzers/sampling/noisewrongshape"
	"github.com/rlvet/rlvet/analyzers/sampling/reluonhead"
	"github.com/rlvet/rlvet/analyzers/sampling/samplenotrsample"
	"github.com/rlvet/rlvet/analyzers/sampling/scalarnoise"
	"github.com/rlvet/rlvet/analyzers/sampling/stdviameantimeszero"
	"github.com/rlvet/rlvet/analyzers/sampling/truncatedsamplingratio"
	"github.com/rlvet/rlvet/analyzers/sampling/wrongtokenlogprob"
	"github.com/rlvet/rlvet/internal/linttest"
)

var rules = []*analysis.Analyzer{
	deterministicflaginverted.Analyzer,
	greedyrollout.Analyzer,
	lateboundmonkeypatch.Analyzer,
	noisemeanisbias.Analyzer,
	noisewrongshape.Analyzer,
	reluonhead.Analyzer,
	samplenotrsample.Analyzer,
	scalarnoise.Analyzer,
	stdviameantimeszero.Analyzer,
	truncatedsamplingratio.Analyzer,
	wrongtokenlogprob.Analyzer,
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
