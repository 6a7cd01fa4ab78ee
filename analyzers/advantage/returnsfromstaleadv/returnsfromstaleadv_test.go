package returnsfromstaleadv_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/advantage/returnsfromstaleadv"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, returnsfromstaleadv.Analyzer, returnsfromstaleadv.Doc) }
