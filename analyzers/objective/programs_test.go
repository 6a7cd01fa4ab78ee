// Package objective_test holds the rules of this family together against whole
// programs.
package objective_test

import (
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/analyzers/objective/advantagenotdetached"
	"github.com/rlvet/rlvet/analyzers/objective/clipboundswrong"
	"github.com/rlvet/rlvet/analyzers/objective/entropysign"
	"github.com/rlvet/rlvet/analyzers/objective/logratioasratio"
	"github.com/rlvet/rlvet/analyzers/objective/minmaxflipped"
	"github.com/rlvet/rlvet/analyzers/objective/oldlogpcarriesgrad"
	"github.com/rlvet/rlvet/analyzers/objective/onpolicyassumed"
	"github.com/rlvet/rlvet/analyzers/objective/ratiodetached"
	"github.com/rlvet/rlvet/analyzers/objective/ratioexptwice"
	"github.com/rlvet/rlvet/analyzers/objective/ratiooflogprobs"
	"github.com/rlvet/rlvet/analyzers/objective/ratioswapped"
	"github.com/rlvet/rlvet/internal/linttest"
)

var family = []*analysis.Analyzer{
	advantagenotdetached.Analyzer,
	clipboundswrong.Analyzer,
	entropysign.Analyzer,
	logratioasratio.Analyzer,
	minmaxflipped.Analyzer,
	oldlogpcarriesgrad.Analyzer,
	onpolicyassumed.Analyzer,
	ratiodetached.Analyzer,
	ratioexptwice.Analyzer,
	ratiooflogprobs.Analyzer,
	ratioswapped.Analyzer,
}

// programs are the marked programs: what is marked is found, and nothing else.
var programs = []string{
	"ok/*.py", "ok/*.ipynb", "grpo/*", "trainers/*.py", "projects/*.txtar", "disguise/*.py",
}

func TestPrograms(t *testing.T) {
	for _, p := range programs {
		t.Run(p, func(t *testing.T) { linttest.Marked(t, "../../testdata/"+p, family...) })
	}
}
