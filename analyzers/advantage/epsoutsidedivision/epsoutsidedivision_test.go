package epsoutsidedivision_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/advantage/epsoutsidedivision"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, epsoutsidedivision.Analyzer, epsoutsidedivision.Doc) }
