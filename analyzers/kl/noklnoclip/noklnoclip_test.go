package noklnoclip_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/kl/noklnoclip"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) { linttest.Run(t, noklnoclip.Analyzer, noklnoclip.Doc) }
