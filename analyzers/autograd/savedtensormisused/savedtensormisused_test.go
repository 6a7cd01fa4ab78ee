package savedtensormisused_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/autograd/savedtensormisused"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, savedtensormisused.Analyzer, savedtensormisused.Doc) }
