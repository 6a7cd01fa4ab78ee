// Package klmissinginloss is rule KL016, kl-missing-in-loss; rule.md says what it
// finds.
package klmissinginloss

import (
	_ "embed"
	"slices"
	"strings"

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

// Analyzer reports evaluations of a reference model from which nothing reaches
// the loss or the reward, and KLs of a policy that are computed and dropped.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	var told []*roles.Fate
	watched := map[*infer.Frame]bool{} // where a policy is compared with what it was, for people alone
	for _, r := range p.Roles.References() {
		if p.Roles.OnlyWatches(r) {
			for _, v := range r.Evaluations {
				watched[v.Frame] = true
			}
		}
	}
	for _, r := range p.Roles.References() {
		if !trains(p, r) || !p.Roles.SharesInput(r) || isSampled(p, r) {
			continue
		}
		fate := p.Roles.FateOf(r.Evaluations...)
		if fate.Matters() || !p.Roles.AboutPolicies(fate) || onlyPlays(fate) || slices.ContainsFunc(r.Evaluations, func(v *infer.Val) bool { return watched[v.Frame] }) {
			continue
		}
		told = append(told, fate)
		for _, at := range p.Roles.Marks(r) {
			p.Report(finding(p, r, at))
		}
	}
	for _, f := range p.Roles.ForgottenDivergences() {
		if !slices.ContainsFunc(told, func(t *roles.Fate) bool { return reaches(t, f) }) && (isIdle(f) || isMeant(p, f)) {
			p.Report(forgotten(f))
		}
	}
}

// onlyPlays reports whether a network is asked what to do, and for the probability of nothing that was done: its answers are counted beside
// those of the policy, as after training.
func onlyPlays(f *roles.Fate) bool {
	draws := false
	for v := range f.Vals {
		if v.Is(domain.LogProb | domain.KL | domain.LogRatio) {
			return false
		}
		draws = draws || v.IsOp("multinomial", "sample", "argmax", "choice")
	}
	return draws
}

// reaches reports whether what became of a reference is, among others, a KL.
func reaches(t *roles.Fate, f roles.Forgotten) bool {
	for v := range t.Vals {
		if v.Node == f.Formula.Node && v.Op == f.Formula.Op {
			return true
		}
	}
	return false
}

// isIdle reports whether a KL has no use but in a loss: nobody reads it, and it tells nothing
// that the program watches anyway; or it is that of latent variables.
func isIdle(f roles.Forgotten) bool {
	return !f.LogProb.Known() || !f.Watched && !f.Denominator
}

// isMeant reports whether the program says that a KL is there for the loss: a setting of the
// module weighs it or switches it on, or the function calls it a loss or a penalty.
func isMeant(p *pass.Pass, f roles.Forgotten) bool {
	var def *ast.FunctionDef
	var class *ast.ClassDef
	if fn := f.At.Frame.Func; fn != nil {
		def = fn.Def
		if fn.Class != nil {
			class = fn.Class.Def
		}
	}
	return slices.ContainsFunc(p.Mentions(penalties), func(m pass.Mention) bool {
		switch is, alone := query.Weighs(pass.SettingName(m.Name), domain.KL); {
		case is && alone: // beta may weigh anything
			return class != nil && m.Class == class || def != nil && m.Func == def && m.How == pass.Parameter
		case is:
			return true
		case m.How == pass.Bound:
			return m.Func == def && m.Module == f.At.Frame.Module
		}
		return m.How == pass.Attr && m.Module == f.At.Frame.Module
	})
}

// penalties are names of what weighs a KL, switches it on, or is one that is to be minimised.
var penalties = pass.Matching(func(name string) bool {
	is, _ := query.Weighs(pass.SettingName(name), domain.KL)
	words := strings.Split(strings.ToLower(name), "_")
	return is || slices.ContainsFunc(words, func(w string) bool { return w == "kl" || w == "kld" }) &&
		slices.ContainsFunc(words, func(w string) bool { return w == "loss" || w == "penalty" })
})

func forgotten(f roles.Forgotten) pass.Finding {
	out := pass.At(f.KL.Val, f.LogProb.Val)
	out.At, out.Frame = f.At.Node, f.At.Frame
	out.Message = "KL computed but not used in the loss or reward"
	if f.Watched {
		out.Message = "KL only logged, not used in the loss or reward"
	}
	out.Evidence = domain.Derived // the formula shows it
	out.Help = "add `beta * kl` to the loss, or remove the KL"
	return out
}

// trains reports whether a loss that makes actions likelier is made with the policy: a network that is fitted to labels has no reference, and
// a second one of its class is a saved one that is put to use.
func trains(p *pass.Pass, r *roles.Reference) bool {
	return slices.ContainsFunc(p.Roles.Losses(), func(l roles.Loss) bool { return l.Improves() && p.Roles.Uses(l.Value.Val, r.Policy) })
}

// isSampled reports whether a reference is evaluated in every n-th round, and losses are made in all of them: a penalty would need it in each
// round, so this shows how far the policy went.
func isSampled(p *pass.Pass, r *roles.Reference) bool {
	return !slices.ContainsFunc(r.Evaluations, func(v *infer.Val) bool { return !isEveryNth(v) }) &&
		!slices.ContainsFunc(p.Roles.Losses(), func(l roles.Loss) bool { return p.Roles.Uses(l.Value.Val, r.Policy) && isEveryNth(l.Value.Val) })
}

// isEveryNth reports whether v, or one of the calls that lead to it, runs in every n-th round of a loop only.
func isEveryNth(v *infer.Val) bool {
	for range 8 {
		switch {
		case roles.IsEveryNth(v):
			return true
		case v == nil || v.Frame == nil:
			return false
		}
		v = v.Frame.Call
	}
	return false
}

func finding(p *pass.Pass, r *roles.Reference, at query.Place) pass.Finding {
	f := pass.Finding{At: at.Node, Frame: at.Frame, Evidence: domain.Derived}
	f.Related = p.Here(r.Val, "the reference model is created here")
	return f
}
