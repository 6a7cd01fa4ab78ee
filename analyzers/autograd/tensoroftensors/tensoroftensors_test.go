package tensoroftensors_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/autograd/tensoroftensors"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, tensoroftensors.Analyzer, tensoroftensors.Doc) }
