// Package refaliasespolicy is rule KL009, ref-aliases-policy; rule.md says what it
// finds.
package refaliasespolicy

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports reference models that are the trained model itself.
var Analyzer = pass.Rule(Doc, run)

// references and adapters are the names by which the rule knows both.
var (
	references = pass.Matching(isReference)
	adapters   = pass.Matching(func(name string) bool {
		name = strings.ReplaceAll(strings.ToLower(name), "explora", "") // no lora
		return strings.Contains(name, "adapter") || strings.Contains(name, "peft") || strings.Contains(name, "lora")
	})
)

func run(p *pass.Pass) {
	if !slices.ContainsFunc(p.Roles.Networks, func(n *roles.Network) bool { return n.Trained }) {
		return
	}
	for _, m := range p.Mentions(references) {
		if m.How != pass.Bound && m.How != pass.AttrSet || m.Value == nil {
			continue
		}
		for f := range p.EachFrame {
			if f.Module == m.Module && aliases(p, f, m) {
				if hasAdapters(p) {
					return
				}
				report(p, f, m)
				break
			}
		}
	}
}

// isReference reports whether a name is one of a reference model. Here the name is what
// the finding is about: it says that the model is meant to stay unchanged.
func isReference(name string) bool {
	parts := strings.Split(strings.ToLower(strings.Trim(name, "_")), "_")
	return slices.ContainsFunc(parts, func(w string) bool { return w == "ref" || w == "reference" }) &&
		!slices.ContainsFunc(parts, func(w string) bool { return w == "logps" || w == "logp" || w == "logits" || w == "kl" || w == "log" })
}

// hasAdapters reports whether the program can switch adapters off: then one model serves as
// both.
func hasAdapters(p *pass.Pass) bool { return len(p.Mentions(adapters)) > 0 }

// aliases reports whether an assignment gives a trained network a second name.
func aliases(p *pass.Pass, f *infer.Frame, m pass.Mention) bool {
	n := p.Roles.Network(f.Val(m.Value))
	if n == nil || !n.Trained || !isSameObject(m.Value) || !used(p, m) {
		return false
	}
	return !slices.ContainsFunc(m.Parents, func(x ast.Node) bool { _, is := x.(*ast.If); return is })
}

// selfReturning are methods that return the network itself.
var selfReturning = map[string]bool{
	"eval": true, "to": true, "cuda": true, "cpu": true, "half": true, "bfloat16": true, "float": true, "requires_grad_": true, "train": true,
}

// isSameObject reports whether an expression is a name, or a method that returns the object
// itself: no call that could make a copy.
func isSameObject(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Name:
		return true
	case *ast.Attribute:
		return isSameObject(e.X)
	case *ast.Call:
		at, ok := e.Fun.(*ast.Attribute)
		return ok && selfReturning[at.Attr] && isSameObject(at.X)
	}
	return false
}

// used reports whether the second name is evaluated: called, or passed on.
func used(p *pass.Pass, m pass.Mention) bool {
	return slices.ContainsFunc(p.MentionsOf(m.Name), func(r pass.Mention) bool {
		if r.How != pass.Read && r.How != pass.Attr || len(r.Parents) == 0 {
			return false
		}
		switch x := r.Parents[0].(type) {
		case *ast.Call, *ast.Keyword:
			return true
		case *ast.Attribute:
			return !selfReturning[x.Attr] && x.Attr != "parameters" && x.Attr != "load_state_dict" && x.Attr != "state_dict"
		}
		return false
	})
}

func report(p *pass.Pass, f *infer.Frame, m pass.Mention) {
	src := p.In(f)
	text, imports := src.Spell("copy.deepcopy")
	p.Report(pass.Finding{
		At: m.Value, Frame: f, Evidence: domain.Derived,
		Fix: &pass.Fix{Message: "Copy the model", Edits: src.Wrap(m.Value, text+"(", ")"), Imports: imports},
	})
}
