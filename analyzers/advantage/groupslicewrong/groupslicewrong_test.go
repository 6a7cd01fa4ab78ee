package groupslicewrong_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/advantage/groupslicewrong"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, groupslicewrong.Analyzer, groupslicewrong.Doc) }
