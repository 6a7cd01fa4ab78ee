// Package dropoutinratio is rule OBJ032, dropout-in-ratio; rule.md says what it finds.
package dropoutinratio

import (
	_ "embed"
	"slices"
	"strings"

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

// Analyzer reports importance ratios of log-probabilities that a network with dropout says.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	if len(p.MentionsOf("eval")) > 0 || turnedOff(p) { // some network, at some time, is asked without dropout
		return
	}
	for _, s := range p.Roles.Surrogates() {
		if !s.AroundOne() || !s.Ratio.Known() || p.In(s.Ratio.Frame) == nil || s.Ratio.Node == nil {
			continue
		}
		drops := dropout(p, s.Ratio)
		if drops == nil {
			continue
		}
		f := pass.At(s.Ratio.Val)
		f.Related = p.Here(drops, "dropout is on here, in the rollout as in the update")
		f.Evidence = domain.Derived
		p.Report(f)
	}
}

// turnedOff reports whether the program says train(False), looks for the layers that drop, whose share it may set, sets a share or the
// flag of training itself, or hands a network to a function out of sight, which may do any of these.
func turnedOff(p *pass.Pass) bool {
	for m := range p.Modules() {
		if m.AST != nil && query.AssignsAttr(m.AST, map[string]bool{"p": true, "training": true}) {
			return true
		}
	}
	for f, call := range query.Everywhere[*ast.Call](p.Graph) {
		isNetwork := func(x ast.Expr) bool { v := f.Val(x); return v != nil && p.Roles.Network(infer.Strip(v)) != nil }
		if v := f.Val(call); v != nil && p.IsOpaque(v) && slices.ContainsFunc(ast.Given(call), isNetwork) {
			return true
		}
		switch query.CalleeName(call) {
		case "train":
			if slices.ContainsFunc(call.Args, func(x ast.Expr) bool { v := f.Val(x); return v != nil && v.Const == false }) || slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool { return k.Name == "mode" }) {
				return true
			}
		case "isinstance":
			if len(call.Args) == 2 && strings.Contains(query.Path(call.Args[1]), "Dropout") {
				return true
			}
		}
	}
	return false
}

// nearRatio bounds the way from a ratio back through the network that says its log-probabilities.
const nearRatio = 400

// dropout is a layer that drops numbers at random behind the log-probability of a ratio that carries gradients; nil where there is none.
func dropout(p *pass.Pass, ratio query.Seen) (found *infer.Val) {
	infer.Walk(ratio.Val, nearRatio, func(v *infer.Val) bool {
		switch {
		case found != nil || v.Q.Grad == domain.Detached:
			return false
		case v.IsOp("dropout") && drops(v) || v.IsOp(transformers...) && v.Fn != nil && transformersDrop(p):
			found = v
		}
		return found == nil
	})
	return found
}

// drops reports whether a call of dropout drops anything: neither its share is 0, nor is it told that nothing is trained.
func drops(v *infer.Val) bool {
	share := v.Arg("p")
	if share != nil && (share.Const == nil || share.Q.Range == domain.RangeOf(0)) {
		return false // a setting may be 0
	}
	training := v.Arg("training")
	return training == nil || training.Const != false
}

// layers are those of torch that drop a tenth unless they are told otherwise.
var layers = []string{"TransformerEncoderLayer", "TransformerDecoderLayer", "Transformer"}

// transformers are the layers, and what stacks them.
var transformers = append([]string{"TransformerEncoder", "TransformerDecoder"}, layers...)

// transformersDrop reports whether each layer of a transformer that the program makes keeps the share that torch sets.
func transformersDrop(p *pass.Pass) bool {
	made := false
	for _, call := range query.Everywhere[*ast.Call](p.Graph) {
		if !slices.Contains(layers, query.CalleeName(call)) {
			continue
		}
		made = true
		if len(call.Args) > 3 || slices.ContainsFunc(call.Keywords, func(k *ast.Keyword) bool { return k.Name == "dropout" || k.Name == "" }) {
			return false
		}
	}
	return made
}
