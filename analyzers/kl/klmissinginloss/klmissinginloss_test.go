package klmissinginloss_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/kl/klmissinginloss"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, klmissinginloss.Analyzer, klmissinginloss.Doc) }
