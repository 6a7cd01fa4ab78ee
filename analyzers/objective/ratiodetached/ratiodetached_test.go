package ratiodetached_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/objective/ratiodetached"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, ratiodetached.Analyzer, ratiodetached.Doc) }
