package samplenotrsample_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/sampling/samplenotrsample"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, samplenotrsample.Analyzer, samplenotrsample.Doc) }
