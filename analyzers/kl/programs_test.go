// Package kl_test holds the rules of this family together against whole programs.
package kl_test

import (
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/analyzers/kl/fkldivmisuse"
	"github.com/rlvet/rlvet/analyzers/kl/inplaceklalias"
	"github.com/rlvet/rlvet/analyzers/kl/k1inloss"
	"github.com/rlvet/rlvet/analyzers/kl/klcoefunused"
	"github.com/rlvet/rlvet/analyzers/kl/kldetachedinloss"
	"github.com/rlvet/rlvet/analyzers/kl/klmissinginloss"
	"github.com/rlvet/rlvet/analyzers/kl/klsign"
	"github.com/rlvet/rlvet/analyzers/kl/noklnoclip"
	"github.com/rlvet/rlvet/analyzers/kl/refaliasespolicy"
	"github.com/rlvet/rlvet/internal/linttest"
)

var family = []*analysis.Analyzer{
	fkldivmisuse.Analyzer,
	inplaceklalias.Analyzer,
	k1inloss.Analyzer,
	klcoefunused.Analyzer,
	kldetachedinloss.Analyzer,
	klmissinginloss.Analyzer,
	klsign.Analyzer,
	noklnoclip.Analyzer,
	refaliasespolicy.Analyzer,
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
