package clipafterstep_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/loop/clipafterstep"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, clipafterstep.Analyzer, clipafterstep.Doc) }
