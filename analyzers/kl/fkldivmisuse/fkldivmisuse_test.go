package fkldivmisuse_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/kl/fkldivmisuse"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, fkldivmisuse.Analyzer, fkldivmisuse.Doc) }
