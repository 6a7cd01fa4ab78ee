// Package argrolemismatch is rule OBJ014, arg-role-mismatch; rule.md says what it finds.
package argrolemismatch

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

// Analyzer reports calls in which two arguments stand in each other's place.
var Analyzer = pass.Rule(Doc, run)

// quantities are what is hardly ever handed over for another.
const (
	ends       = domain.Done | domain.Terminated | domain.Truncated
	quantities = ends | domain.Reward | domain.Observation | domain.Action | domain.LogProb | domain.Advantage | domain.Return | domain.StateValue | domain.Entropy | domain.Ratio
)

func run(p *pass.Pass) {
	for f := range p.EachFrame {
		if f.Func == nil || f.Func.Def == nil || f.Stale() {
			continue
		}
		for site := range f.Sites {
			if p.In(site.Caller) != nil {
				check(p, f, site)
			}
		}
	}
}

// check reports the first two arguments of a call of which each is of the quantity that the other's parameter is for.
func check(p *pass.Pass, f *infer.Frame, site *infer.Site) {
	params := f.Func.Def.Params.List
	for i := range min(len(site.Args), len(params)) {
		for j := range i {
			if !swapped(p, f, site, params, j, i) {
				continue
			}
			if at := written(site, site.Args[j]); at != nil {
				out := pass.Finding{At: at, Frame: site.Caller, Values: []*infer.Val{site.Args[j], site.Args[i]}}
				if p.In(f) != nil {
					out.Related = []pass.Related{{Source: p.In(f), Node: params[j], Message: "this parameter is for what is passed as `" + params[i].Name + "`"}}
				}
				p.Report(out)
				return
			}
		}
	}
}

// swapped reports whether two arguments are of different quantities, and the parameters say by their use or their names that each
// belongs to the other. A parameter's name is a part of what a function promises: keywords go by it.
func swapped(p *pass.Pass, f *infer.Frame, site *infer.Site, params []*ast.Param, j, i int) bool {
	a, b := site.Args[j], site.Args[i]
	if !a.Is(quantities) || !b.Is(quantities) || a.May(b.Q.Kind) || a.Is(ends) && b.Is(ends) || plain(params[j]) != plain(params[i]) || !plain(params[i]) {
		return false
	}
	if names(params[j].Name, b) && names(params[i].Name, a) {
		return true
	}
	return used(p, f, j, i) || used(p, f, i, j)
}

func plain(q *ast.Param) bool { return q.Kind != ast.VarArgs && q.Kind != ast.VarKwArgs }

func names(ident string, v *infer.Val) bool {
	k := query.KindNamed(ident)
	return k != 0 && (v.Is(k) || v.Is(ends) && k.Is(ends))
}

// used reports whether the one parameter, which gets a reward, is taken from 1 as a flag is, and the other, which gets a flag, is a term
// of a sum.
func used(p *pass.Pass, f *infer.Frame, reward, flag int) bool {
	if reward >= len(f.Params) || flag >= len(f.Params) || !f.Params[reward].Is(domain.Reward) || !f.Params[flag].Is(ends) {
		return false
	}
	isFlag := func(u *infer.Val) bool { return p.See(u).IsOneMinus() }
	return usedAs(p, f, f.Params[reward], isFlag) && !usedAs(p, f, f.Params[flag], isFlag) &&
		usedAs(p, f, f.Params[flag], func(u *infer.Val) bool { return u.IsOp("add") })
}

// usedAs reports whether a function's body uses a parameter in a way.
func usedAs(p *pass.Pass, f *infer.Frame, v *infer.Val, as func(*infer.Val) bool) bool {
	return slices.ContainsFunc(p.UsesOf(v), func(u *infer.Val) bool {
		return u.Frame == f && (as(u) || infer.Through(u) == v && slices.ContainsFunc(p.UsesOf(u), as))
	})
}

// written is the argument of a call that holds a value.
func written(site *infer.Site, v *infer.Val) ast.Expr {
	call, ok := site.Node.(*ast.Call)
	if !ok {
		return nil
	}
	for _, a := range call.Args {
		if site.Caller.Val(a) == v {
			return a
		}
	}
	for _, k := range call.Keywords {
		if site.Caller.Val(k.Value) == v {
			return k.Value
		}
	}
	return nil
}
