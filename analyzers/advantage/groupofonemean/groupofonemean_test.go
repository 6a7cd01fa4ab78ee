package groupofonemean_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/advantage/groupofonemean"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, groupofonemean.Analyzer, groupofonemean.Doc) }
