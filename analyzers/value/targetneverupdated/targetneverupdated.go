// Package targetneverupdated is rule VAL003, target-never-updated; rule.md says what it finds.
package targetneverupdated

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/py/ast"
	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
	"github.com/rlvet/rlvet/internal/rl/query"
	"github.com/rlvet/rlvet/internal/rl/roles"
)

// Doc is the rule's page.
//
//go:embed rule.md
var Doc []byte

// Analyzer reports target networks, and policies that act in place of the one in training, that keep the weights they were made with.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, b := range p.Roles.Bootstraps() {
		if stays(p, b) {
			f := pass.At(b.At, b.At)
			f.Values = []*infer.Val{b.At}
			f.Related = p.There(query.PlaceOf(b.Target.Val), "the target is made here, and nothing changes it")
			p.Report(f)
		}
	}
	for _, b := range p.Roles.Behaviours() {
		// Data that is collected once, before training, comes from one policy on purpose.
		if stays(p, b) && slices.ContainsFunc(p.Graph.Paths(b.At), p.Roles.Repeats) {
			p.Report(ofBehaviour(p, b))
		}
	}
}

// stays reports whether nothing is seen that might bring a target up to date.
func stays(p *pass.Pass, b roles.Bootstrap) bool {
	return !p.Roles.Follows(b) && !replaced(p, b) && !mentioned(p, b) && !broughtOn(p, b) && !isGiven(p, b)
}

// isGiven reports whether a network is what a file holds: where it is made, it is read. It was trained elsewhere, as a policy that is
// judged off its data is.
func isGiven(p *pass.Pass, b roles.Bootstrap) bool {
	made := b.Target.Val
	return slices.ContainsFunc(p.Made("load_state_dict"), func(v *infer.Val) bool {
		return v.Frame == made.Frame && v.Guard == made.Guard && len(v.In) > 1 && p.Roles.Network(v.In[0]) == b.Target &&
			infer.Within(v.In[1], nearLoad, isRead)
	})
}

// isRead reports whether a value is what a file holds.
func isRead(v *infer.Val) bool {
	call, ok := v.Node.(*ast.Call)
	if !ok || v.Frame == nil {
		return false
	}
	switch query.CalledSymbol(v.Frame, call) {
	case "torch.load", "safetensors.torch.load_file":
		return true
	}
	return false
}

// nearLoad bounds the way from the weights that are put into a network back to the file that they were read from.
const nearLoad = 8

// ofBehaviour is the finding of a policy that acts, where it is made.
func ofBehaviour(p *pass.Pass, b roles.Bootstrap) pass.Finding {
	made := b.Target.Val
	return pass.Finding{
		At: made.Node, Frame: made.Frame, Evidence: domain.Derived, Values: []*infer.Val{made}, Related: p.There(query.PlaceOf(b.At), "it acts, and its log-probabilities are kept for the ratio here"),
		Message: "the policy that acts is never updated",
		Why:     "all data comes from the policy of the first step, and the policy in training stops learning where the ratio to it is clipped",
		Help:    "copy the weights after each update: `old.load_state_dict(policy.state_dict())`",
	}
}

// reassigned reports whether a method other than the constructor gives another network to the attribute in which an object keeps the target:
// fitted Q iteration makes a new one in each iteration, and goes on from it.
func reassigned(p *pass.Pass, b roles.Bootstrap) bool {
	type field struct {
		owner infer.Ref
		name  string
	}
	kept := map[field]bool{}
	fields := func(visit func(f *infer.Frame, at field, t ast.Expr)) {
		for f, as := range query.Everywhere[*ast.Assign](p.Graph) {
			query.Targets([]ast.Stmt{as}, func(t ast.Expr, _ ast.Stmt) {
				if at, ok := t.(*ast.Attribute); ok {
					if owner := f.Val(at.X); owner != nil && owner.Ref != nil {
						visit(f, field{owner.Ref, at.Attr}, t)
					}
				}
			})
		}
	}
	fields(func(f *infer.Frame, at field, t ast.Expr) {
		if v := f.Val(t); v != nil && p.Roles.Network(v) == b.Target {
			kept[at] = true
		}
	})
	again := false
	fields(func(f *infer.Frame, at field, t ast.Expr) {
		v := f.Val(t)
		other := v != nil && p.Roles.Network(v) != nil && p.Roles.Network(v) != b.Target
		again = again || kept[at] && other && f.Func != nil && f.Func.Name() != "__init__"
	})
	return again
}

// replaced reports whether a loop binds the variable anew in which the target is kept, where it was made: a function inside
// reads what it is at the time.
func replaced(p *pass.Pass, b roles.Bootstrap) bool {
	if reassigned(p, b) {
		return true
	}
	f := b.Target.Val.Frame
	again, kept := map[string]bool{}, ""
	query.Targets(f.Body(), func(t ast.Expr, by ast.Stmt) {
		if name, ok := t.(*ast.Name); ok {
			again[name.Ident] = again[name.Ident] || len(query.Around(query.Place{Frame: f, Node: by})) > 0
			if p.Roles.Network(f.Val(t)) == b.Target {
				kept = name.Ident
			}
		}
	})
	return again[kept]
}

// broughtOn reports whether a function that puts weights into the target is named in another file of the program: whoever trains
// the agent may call it.
func broughtOn(p *pass.Pass, b roles.Bootstrap) bool {
	for _, v := range p.Made("load_state_dict", "parameters") {
		f := v.Frame
		if f == nil || f.Func == nil || f.Func.Def == nil || f.Func.Name() == "__init__" || len(v.In) == 0 || p.Roles.Network(v.In[0]) != b.Target {
			continue
		}
		if p.MentionedElsewhere(f.Module, f.Func.Name(), []*infer.Module{f.Module}) {
			return true
		}
	}
	return false
}

// mentioned reports whether another file of the program names the attribute in which the target is kept: it may
// update it.
func mentioned(p *pass.Pass, b roles.Bootstrap) bool {
	f := b.Target.Val.Frame
	for _, n := range f.Nodes() {
		as, ok := n.(*ast.Assign)
		if !ok {
			continue
		}
		for _, t := range as.Targets {
			if at, is := t.(*ast.Attribute); is && p.Roles.Network(f.Val(t)) == b.Target && p.MentionedElsewhere(f.Module, at.Attr, []*infer.Module{f.Module}) {
				return true
			}
		}
	}
	return false
}
