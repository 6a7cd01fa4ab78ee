// Package referencewithoutadapter is rule KL060, reference-without-adapter; rule.md says what it finds.
package referencewithoutadapter

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/py/pins"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports adapters that are trained on, with the bare base model for a reference.
var Analyzer = pass.Rule(Doc, run)

// copied is the version of TRL from which on the reference is a copy of the adapter.
const copied = "0.27"

func run(p *pass.Pass) {
	for f, trainer := range p.Calls() {
		if !penalised(f, trainer) {
			continue
		}
		arg := query.Keyword(trainer, "model")
		if arg == nil && len(trainer.Args) > 0 {
			arg = trainer.Args[0]
		}
		if load := loadedAdapter(f, arg); load != nil {
			report(p, f, trainer, load)
		}
	}
}

// report reports an adapter that a trainer trains on, unless the project's version of TRL copies it: a note where none is said.
func report(p *pass.Pass, f *infer.Frame, trainer, load *ast.Call) {
	severity := finding.Note
	if p.Source.Pin != nil {
		switch pin := p.Source.Pin("trl", ""); {
		case pin.Version == "":
		case pins.Compare(pin.Version, copied) >= 0:
			return
		default:
			severity = ""
		}
	}
	p.Report(pass.Finding{At: load, Frame: f, Evidence: domain.Derived, Severity: severity, Related: []pass.Related{{Source: p.In(f), Node: trainer.Fun, Message: "this trainer takes the model without adapters for the reference"}}})
}

// penalised reports whether a call makes a trainer that holds its policy to a reference, and makes that itself.
func penalised(f *infer.Frame, call *ast.Call) bool {
	o, ok := infer.RefOf(f.Val(call)).(*infer.LibObject)
	if !ok || len(o.Name) < 4 || o.Name[:4] != "trl." || query.Keyword(call, "peft_config") != nil || query.HasOpenArgs(call) {
		return false
	}
	switch infer.BaseOp(o.Name) {
	case "GRPOTrainer", "RLOOTrainer":
	default:
		return false
	}
	settings, ok := infer.RefOf(o.Args["args"]).(*infer.LibObject)
	if !ok {
		return false
	}
	beta, known := settings.Args["beta"].Float()
	return known && beta > 0
}

// loadedAdapter is the call that loaded a trained adapter to be trained on, where the model of a trainer is that.
func loadedAdapter(f *infer.Frame, e ast.Expr) *ast.Call {
	if e == nil {
		return nil
	}
	v := f.Val(e)
	o, ok := infer.RefOf(v).(*infer.LibObject)
	if !ok || infer.BaseOp(o.Name) != "PeftModel" && infer.BaseOp(o.Name) != "AutoPeftModelForCausalLM" && infer.BaseOp(o.Name) != "PeftModelForCausalLM" {
		return nil
	}
	load, ok := v.Node.(*ast.Call)
	if !ok || v.Frame != f || query.CalleeName(load) != "from_pretrained" || query.Keyword(load, "is_trainable") == nil {
		return nil
	}
	on, known := infer.Truth(f.Val(query.Keyword(load, "is_trainable")))
	for _, n := range query.Calls(f.Module.AST, "add_adapter", "load_adapter", "merge_and_unload") {
		if n != nil {
			return nil // the program makes a reference of its own
		}
	}
	if !known || !on {
		return nil
	}
	return load
}
