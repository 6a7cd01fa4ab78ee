package paramsreplacedafteroptimizer_test

import (
	"testing"

	"github.com/rlvet/rlvet/analyzers/loop/paramsreplacedafteroptimizer"
	"github.com/rlvet/rlvet/internal/linttest"
)

func Test(t *testing.T) {
	linttest.Run(t, paramsreplacedafteroptimizer.Analyzer, paramsreplacedafteroptimizer.Doc)
}
