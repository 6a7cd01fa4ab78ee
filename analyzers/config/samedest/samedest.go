// Package samedest is rule CFG018, same-dest; rule.md says what it finds.
package samedest

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports options of a command line that write into the field of another.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	first := map[dest]*ast.Call{}
	for f, call := range p.Calls() {
		d, ok := destOf(f, call)
		if !ok || p.In(f).IsTest() {
			continue
		}
		if before := first[d]; before != nil {
			p.Report(pass.Finding{
				At: call, Frame: f, Evidence: domain.Derived,
				Related: p.There(query.Place{Frame: f, Node: before}, "this option has the same destination"),
			})
			continue
		}
		first[d] = call
	}
}

// dest is a field that an option of a parser is written to, in one evaluation of a body.
type dest struct {
	frame  *infer.Frame
	parser infer.Ref
	name   string
}

// destOf is the field of an option that takes a value; ok is false where it is not known, or the option is a switch, of which two
// often share a field.
func destOf(f *infer.Frame, call *ast.Call) (dest, bool) {
	at, ok := call.Fun.(*ast.Attribute)
	if !ok || at.Attr != "add_argument" {
		return dest{}, false
	}
	parser, ok := infer.RefOf(f.Val(at.X)).(*infer.LibObject)
	if !ok || parser.Name != "argparse.ArgumentParser" {
		return dest{}, false
	}
	explicit, typed := "", false
	for _, k := range call.Keywords {
		switch k.Name {
		case "dest":
			explicit, _ = f.Val(k.Value).Str()
		case "type":
			typed = true
		case "action", "nargs":
			return dest{}, false
		}
	}
	return dest{frame: f, parser: parser, name: explicit}, explicit != "" && typed
}
