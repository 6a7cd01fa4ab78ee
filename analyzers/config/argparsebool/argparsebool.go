// Package argparsebool is rule CFG014, argparse-bool; rule.md says what it finds.
package argparsebool

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/finding"
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

// Analyzer reports options of the command line that are parsed by bool().
var Analyzer = pass.Rule(Doc, run)

// add_argument is the method of argparse and of its parsers, groups and subparsers; whose object it is called on is
// asked where that is known. Options that are declared in one place and weigh the same are one finding: whoever mends one mends all.
func run(p *pass.Pass) {
	type key struct {
		in       *infer.Frame
		severity finding.Severity
	}
	var order []*pass.Finding
	found := map[key]*pass.Finding{}
	for f, call := range p.Calls() {
		if query.CalleeName(call) == "register" && len(call.Args) == 3 && isBuiltinBool(f, call.Args[1]) {
			return // parser.register("type", bool, function)
		}
	}
	for f, call := range p.Calls() {
		if query.CalleeName(call) != "add_argument" || !isArgparse(f, call) || takesNoText(f, call) || p.In(f).IsTest() || !isBool(f, call) {
			continue
		}
		at := key{f, severity(f, call)}
		if first := found[at]; first != nil {
			first.Related = append(first.Related, pass.Related{Source: p.In(f), Node: call, Message: "so does this option"})
			continue
		}
		found[at] = &pass.Finding{At: call, Frame: f, Evidence: domain.Derived, Severity: at.severity}
		order = append(order, found[at])
	}
	for _, first := range order {
		p.Report(*first)
	}
}

// isBool reports whether an option is parsed by bool().
func isBool(f *infer.Frame, call *ast.Call) bool {
	return slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool {
		return k.Name == "type" && isBuiltinBool(f, k.Value)
	})
}

func isBuiltinBool(f *infer.Frame, e ast.Expr) bool {
	r, ok := infer.RefOf(f.Val(e)).(*infer.LibRef)
	return ok && r.Name == "builtins.bool"
}

// takesNoText reports whether an option has an action that reads no text, as argparse.BooleanOptionalAction: what type makes of one does not
// matter.
func takesNoText(f *infer.Frame, call *ast.Call) bool {
	return slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool {
		r, ok := infer.RefOf(f.Val(k.Value)).(*infer.LibRef)
		return ok && k.Name == "action" && r.Name == "argparse.BooleanOptionalAction"
	})
}

// severity is a note for an option that is off by default: who does not give it gets what it says.
func severity(f *infer.Frame, call *ast.Call) finding.Severity {
	for _, k := range call.Keywords {
		if k.Name != "default" {
			continue
		}
		v := f.Val(k.Value)
		if number, ok := v.Float(); v.IsNone() || v != nil && v.Const == false || ok && number == 0 {
			return finding.Note
		}
		return ""
	}
	return finding.Note // None
}

// isArgparse is false for what is known to be a parser of another library, as jsonargparse and the command line that Lightning makes of it, which
// read booleans, or of the program, if it declares options in its own way.
func isArgparse(f *infer.Frame, call *ast.Call) bool {
	at, ok := call.Fun.(*ast.Attribute)
	if !ok {
		return false
	}
	switch r := infer.RefOf(f.Val(at.X)).(type) {
	case nil:
		return f.Func == nil || f.Func.Class == nil || !slices.ContainsFunc(lightning, f.Func.Class.Derives)
	case *infer.LibObject:
		return strings.HasPrefix(r.Name, "argparse.") || strings.HasPrefix(r.Name, "transformers.") || strings.HasPrefix(r.Name, "configargparse.")
	case *infer.Instance:
		return r.Class.Derives("argparse.ArgumentParser") && r.Class.Lookup("add_argument") == nil
	}
	return false
}

// lightning are the names of Lightning's command line, whose parser reads booleans.
var lightning = []string{"lightning.pytorch.cli.LightningCLI", "pytorch_lightning.cli.LightningCLI", "pytorch_lightning.utilities.cli.LightningCLI"}
