package clipboundswrong_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/objective/clipboundswrong"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, clipboundswrong.Analyzer, clipboundswrong.Doc) }
