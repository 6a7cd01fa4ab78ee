package noisemeanisbias_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/sampling/noisemeanisbias"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, noisemeanisbias.Analyzer, noisemeanisbias.Doc) }
