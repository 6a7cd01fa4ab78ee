package ratioswapped_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/objective/ratioswapped"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, ratioswapped.Analyzer, ratioswapped.Doc) }
