// Package klcoefunused is rule KL017, kl-coef-unused; rule.md says what it finds.
package klcoefunused

import (
	_ "embed"
	"fmt"
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

// Analyzer reports coefficients of a KL term that nothing reads.
var Analyzer = pass.Rule(Doc, run)

// coefficients are settings that a name says to be meant as the weight of a KL. That one is
// missing is known of the values: the program has a KL, or a reference, that no setting
// weighs. Where one does, a finding rests on the name alone.
var coefficients = pass.Matching(func(name string) bool {
	is, _ := query.Weighs(pass.SettingName(name), domain.KL)
	return is
})

func run(p *pass.Pass) {
	if len(p.Roles.Losses()) == 0 {
		return
	}
	unread := p.UnreadSettings(coefficients)
	if len(unread) == 0 {
		return
	}
	divergences := divergences(p)
	if len(divergences) == 0 && len(p.Roles.References()) == 0 {
		return
	}
	evidence := domain.Derived
	if weighed(p, divergences) {
		evidence = domain.NameOnly
	}
	for _, m := range unread {
		name := pass.SettingName(m.Name)
		if _, alone := query.Weighs(name, domain.KL); alone && (m.How == pass.Parameter || m.How == pass.Bound && m.Func != nil) && !meetsKL(p, m) {
			continue
		}
		p.Report(pass.Finding{At: m.Definition(), Frame: m.Frame, Evidence: evidence, Message: fmt.Sprintf("KL coefficient `%s` is never used", name)})
	}
}

// divergences are the KLs that the program computes, by what they are made of.
func divergences(p *pass.Pass) []*infer.Val {
	return append(
		slices.DeleteFunc(slices.Clone(p.OfKind(domain.KL)), func(v *infer.Val) bool { return v.Q.Evidence == domain.NameOnly }),
		slices.DeleteFunc(slices.Clone(p.Made("sub", "add")), func(v *infer.Val) bool { return !p.See(v).IsDivergence() })...)
}

// weighed reports whether a setting weighs one of some KLs: what multiplies it is a number
// that is not written there.
func weighed(p *pass.Pass, divergences []*infer.Val) bool {
	return slices.ContainsFunc(divergences, func(kl *infer.Val) bool {
		return slices.ContainsFunc(p.UsesOf(kl), func(u *infer.Val) bool {
			return u.IsOp("mul") && slices.ContainsFunc(u.In, func(x *infer.Val) bool {
				_, written := p.Operand(u, x).(*ast.Number)
				return x != nil && x != kl && !written && (query.IsNumber(x) || x.Is(domain.Number|domain.Coef))
			})
		})
	})
}

// meetsKL reports whether a KL, or a ratio that one is made of, comes up where the function of a setting is evaluated; of a
// constructor, where any method of its class is.
func meetsKL(p *pass.Pass, m pass.Mention) bool {
	concerns := func(def *ast.FunctionDef) bool {
		return def == m.Func || m.Class != nil && m.Func.Name == "__init__" && slices.Contains(m.Class.Body, ast.Stmt(def))
	}
	is := func(v *infer.Val) bool { return v.Is(domain.KL | domain.LogRatio) }
	for f := range p.EachFrame {
		if f.Func == nil || f.Func.Def == nil || !concerns(f.Func.Def) {
			continue
		}
		if slices.ContainsFunc(f.Params, is) {
			return true
		}
		for v := range f.Each {
			if is(v) || slices.ContainsFunc(v.In, is) {
				return true
			}
		}
	}
	return false
}
