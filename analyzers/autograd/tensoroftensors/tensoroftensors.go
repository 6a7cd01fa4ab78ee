// Package tensoroftensors is rule GRAD001, tensor-of-tensors; rule.md says what it finds.
package tensoroftensors

import (
	_ "embed"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports objectives whose tensors were copied number by number, and results that were so on one branch only.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, c := range p.Roles.Severed(roles.CutByCopy) {
		if f, ok := copied(p, c); ok {
			f.Severity, f.Related = pass.Quiet(c), p.BackwardOf(c.Loss)
			p.Report(f)
		}
	}
	for _, c := range p.Roles.HalfCuts() {
		if f, ok := copied(p, c.Severed); ok {
			f.Severity = finding.Warning // whoever is handed it may only log it
			f.Message = "copied into a new tensor without its graph on one branch"
			f.Why = "on the other branch the same result carries a gradient, and here `backward()` gives none to the network behind it"
			f.Related = p.Here(c.Kept, "here it carries a gradient")
			p.Report(f)
		}
	}
}

// copied is the finding of a copy; ok is false where it does not stand in the source as a call.
func copied(p *pass.Pass, c roles.Severed) (f pass.Finding, ok bool) {
	src := p.In(c.At.Frame)
	call, ok := c.At.Node.(*ast.Call)
	if src == nil || !ok {
		return f, false
	}
	_, list := c.At.Input(0).Referent().(*infer.SeqRef)
	f = pass.At(c.At.Val, c.From.Val)
	f.Help = "use the tensor itself"
	if list {
		f.Help = "join the tensors with `torch.stack`"
	}
	f.Fix = keepGraph(src, call, list, c.From)
	return f, true
}

// keepGraph joins the tensors of a list, or drops the copy. Tensors of one element are not
// scalars: torch.tensor makes numbers of them, and torch.stack keeps their axis.
func keepGraph(src *pass.Source, call *ast.Call, list bool, from query.Seen) *pass.Fix {
	if len(call.Args) != 1 {
		return nil
	}
	if !list {
		return &pass.Fix{Message: "Use the tensor itself", Applicability: finding.Unsafe, Edits: src.Replace(call, src.Operand(call.Args[0]))}
	}
	fix := &pass.Fix{Message: "Join with torch.stack", Edits: src.Replace(call, "torch.stack("+src.Text(call.Args[0])+")"), Imports: []string{"import torch"}}
	if shape := from.Q.Shape; !shape.Known() || shape.Rank != 0 {
		fix.Applicability = finding.Unsafe
	}
	return fix
}
