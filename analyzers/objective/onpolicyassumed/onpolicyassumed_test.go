package onpolicyassumed_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/objective/onpolicyassumed"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, onpolicyassumed.Analyzer, onpolicyassumed.Doc) }
