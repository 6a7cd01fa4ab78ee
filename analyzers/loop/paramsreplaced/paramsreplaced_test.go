package paramsreplaced_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/loop/paramsreplaced"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, paramsreplaced.Analyzer, paramsreplaced.Doc) }
