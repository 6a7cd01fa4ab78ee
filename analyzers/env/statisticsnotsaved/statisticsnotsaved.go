// Package statisticsnotsaved is rule ENV061, statistics-not-saved; rule.md says what it finds.
package statisticsnotsaved

import (
	_ "embed"
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

// Analyzer reports normalisers whose statistics are lost though the model is saved.
var Analyzer = pass.Rule(Doc, run)

// keeps are what keeps statistics: methods that save or copy them, and the callbacks and functions that do.
var keeps = query.Words(`SaveVecNormalizeCallback save_running_average unwrap_vec_normalize dump dumps sync_envs_normalization`)

func run(p *pass.Pass) {
	for f, call := range p.Calls() {
		src := p.In(f)
		if !strings.HasSuffix(query.CalledSymbol(f, call), ".VecNormalize") || turnedOff(f, call) || !learnt(p, f, call) {
			continue
		}
		if !kept(f, src.AST) {
			p.Report(pass.Finding{At: call, Frame: f, Evidence: domain.Derived})
		}
	}
}

// turnedOff reports whether nothing is learnt of observations, or they are left as they are: what else is normalised no policy needs.
func turnedOff(f *infer.Frame, call *ast.Call) bool {
	return query.HasOpenArgs(call) || isOff(f, query.Keyword(call, "norm_obs")) || isOff(f, query.Keyword(call, "training")) ||
		len(call.Args) > 1 && isOff(f, call.Args[1])
}

func isOff(f *infer.Frame, e ast.Expr) bool {
	if e == nil {
		return false
	}
	on, known := infer.Truth(f.Val(e))
	return known && !on
}

// learnt reports whether a model is trained in the environment that a call makes, and saved, in the evaluation that makes it.
func learnt(p *pass.Pass, f *infer.Frame, made *ast.Call) bool {
	trains, saves := false, false
	for call := range query.In[*ast.Call](f) {
		at, isMethod := call.Fun.(*ast.Attribute)
		if isMethod && query.Algorithm(f.Val(at.X)) != "" {
			trains, saves = trains || at.Attr == "learn" && learnsIn(f.Val(at.X), made), saves || at.Attr == "save"
		}
	}
	return trains && saves
}

// learnsIn reports whether a model was made with the environment of a call, as it is or wrapped; one that was not seen made is taken to be.
func learnsIn(model *infer.Val, made *ast.Call) bool {
	env := query.ModelEnv(model)
	if env == nil {
		return true
	}
	const wrapped = 64
	found := false
	infer.Walk(env, wrapped, func(v *infer.Val) bool {
		found = found || v.Node == ast.Node(made)
		return !found
	})
	return found
}

// kept reports whether something may keep the statistics: a save of what is no model, or something that does so by name.
func kept(f *infer.Frame, m *ast.Module) bool {
	found := false
	ast.WalkStmts(m.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Call:
			at, ok := n.Fun.(*ast.Attribute)
			found = found || keeps[query.CalleeName(n)] || ok && at.Attr == "save" && query.Algorithm(f.Val(at.X)) == ""
			for _, k := range n.Keywords {
				found = found || k.Name == "save_vecnormalize"
			}
		case *ast.Attribute:
			found = found || n.Attr == "obs_rms" || n.Attr == "get_vec_normalize_env"
		}
		return !found
	})
	return found
}
