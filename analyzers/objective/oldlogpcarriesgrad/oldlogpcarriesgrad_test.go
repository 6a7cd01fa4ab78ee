package oldlogpcarriesgrad_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/objective/oldlogpcarriesgrad"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, oldlogpcarriesgrad.Analyzer, oldlogpcarriesgrad.Doc) }
