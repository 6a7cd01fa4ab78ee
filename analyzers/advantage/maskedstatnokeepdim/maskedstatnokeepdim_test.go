package maskedstatnokeepdim_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/advantage/maskedstatnokeepdim"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, maskedstatnokeepdim.Analyzer, maskedstatnokeepdim.Doc) }
