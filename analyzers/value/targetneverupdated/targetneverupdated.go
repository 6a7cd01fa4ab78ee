// Package targetneverupdated is rule VAL003, target-never-updated; rule.md says what it finds.
package targetneverupdated

import (
	_ "embed"

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

// Analyzer reports target networks that keep the weights they were made with.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, b := range p.Roles.Bootstraps() {
		if !p.Roles.Follows(b) && !replaced(p, b) && !mentioned(p, b) && !broughtOn(p, b) {
			f := pass.At(b.At, b.At)
			f.Values = []*infer.Val{b.At}
			f.Related = p.There(query.PlaceOf(b.Target.Val), "the target is made here, and nothing changes it")
			p.Report(f)
		}
	}
}

// replaced reports whether a loop binds the variable anew in which the target is kept, where it was made: a function inside
// reads what it is at the time.
func replaced(p *pass.Pass, b roles.Bootstrap) bool {
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
