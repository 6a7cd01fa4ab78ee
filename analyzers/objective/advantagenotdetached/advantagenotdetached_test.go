package advantagenotdetached_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/objective/advantagenotdetached"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, advantagenotdetached.Analyzer, advantagenotdetached.Doc) }
