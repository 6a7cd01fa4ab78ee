// Package samedest is rule CFG018, same-dest; rule.md says what it finds.
package samedest

import (
	_ "embed"
	"slices"

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
	first := map[dest]option{}
	for f, call := range p.Calls() {
		d, initial, ok := destOf(f, call)
		if !ok || p.In(f).IsTest() {
			continue
		}
		if before := first[d]; before.call != nil {
			if initial == nil || same(before.initial, initial) {
				continue // another name of the option, which gives up nothing
			}
			if !slices.Equal(query.Branches(query.Place{Frame: f, Node: before.call}), query.Branches(query.Place{Frame: f, Node: call})) {
				continue // a run may have one of them only
			}
			if sharesName(before.call, call) {
				first[d] = option{call, initial} // the parser resolves it: the later option takes the place of the other
				continue
			}
			p.Report(pass.Finding{
				At: call, Frame: f, Evidence: domain.Derived,
				Related: p.There(query.Place{Frame: f, Node: before.call}, "this option has the same destination"),
			})
			continue
		}
		first[d] = option{call, initial}
	}
}

// dest is a field that an option of a parser is written to, in one evaluation of a body.
type dest struct {
	frame  *infer.Frame
	parser infer.Ref
	name   string
}

// option is a call that declares one, and its default; nil where it has none.
type option struct {
	call    *ast.Call
	initial *infer.Val
}

// destOf is the field of an option that takes a value, and its default; that is nil where it leaves the field alone. ok is false
// where the field is not known, or the option is a switch: two
// often share a field.
func destOf(f *infer.Frame, call *ast.Call) (d dest, initial *infer.Val, ok bool) {
	at, ok := call.Fun.(*ast.Attribute)
	if !ok || at.Attr != "add_argument" {
		return dest{}, nil, false
	}
	parser, ok := infer.RefOf(f.Val(at.X)).(*infer.LibObject)
	if !ok || parser.Name != "argparse.ArgumentParser" {
		return dest{}, nil, false
	}
	explicit, typed := "", false
	for _, k := range call.Keywords {
		switch k.Name {
		case "dest":
			explicit, _ = f.Val(k.Value).Str()
		case "type":
			typed = true
		case "default":
			if v := f.Val(k.Value); !v.IsNone() && !isSuppress(v) {
				initial = v
			}
		case "action", "nargs":
			return dest{}, nil, false
		}
	}
	return dest{frame: f, parser: parser, name: explicit}, initial, explicit != "" && typed
}

// sharesName reports whether two options have a name in common: argparse keeps one of them only.
func sharesName(a, b *ast.Call) bool {
	return slices.ContainsFunc(a.Args, func(x ast.Expr) bool {
		s, ok := x.(*ast.String)
		return ok && slices.ContainsFunc(b.Args, func(y ast.Expr) bool {
			t, ok := y.(*ast.String)
			return ok && s.Value == t.Value
		})
	})
}

// isSuppress reports whether a default is argparse.SUPPRESS, which leaves the field to the other option.
func isSuppress(v *infer.Val) bool {
	r, ok := infer.RefOf(v).(*infer.LibRef)
	return ok && r.Name == "argparse.SUPPRESS"
}

// same reports whether two defaults are one.
func same(a, b *infer.Val) bool {
	x, ok := a.Float()
	y, ok2 := b.Float()
	return ok && ok2 && x == y || a != nil && infer.SameSource(a, b)
}
