// Package stdofone is rule ADV019, std-of-one; rule.md says what it finds.
package stdofone

import (
	_ "embed"
	"slices"

	"github.com/rlvet/rlvet/internal/finding"
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

// Analyzer reports standard deviations of a single element.
var Analyzer = pass.Rule(Doc, run)

func run(p *pass.Pass) {
	for _, v := range p.Ops("torch.std", "torch.var", "torch.std_mean", "torch.var_mean", "numpy.std", "numpy.var") {
		if !sampleFormula(v) || p.IsFrame(v.In[0]) || p.ChecksSize(v, v.In[0]) || replaced(p, v, 8) || !p.Divides(spread(v), keepsNaN) {
			continue
		}
		f := pass.At(v)
		if !query.ReducesOne(v) {
			switch {
			case p.MayReduceOne(v):
				f.Severity = finding.Warning
				f.Why = "the program lets a size of 1 pass, for which the unbiased formula gives NaN whatever epsilon is added"
			case p.GroupsUnchecked(v):
				if setting := query.GroupSetting(v); p.BoundElsewhere(v.Frame.Module, setting) || largerByDefault(p, setting) {
					continue
				}
				f.Severity = finding.Note
				f.Why = "nothing keeps the size above 1, and for groups of 1 the unbiased formula gives NaN whatever epsilon is added"
			case p.MembersUnchecked(v):
				f.Severity = finding.Note
				f.Why = "a group of one member passes, for which the unbiased formula gives NaN whatever epsilon is added"
			default:
				continue
			}
			f.Message = "standard deviation of groups that may have one element"
		} else if p.ExcludesOne(v) {
			continue
		}
		if ofNumpy(v) {
			f.Help = "use groups of at least 2, or `ddof=0`"
		}
		f.Evidence = domain.Derived
		f.Fix = population(p, v)
		p.Report(f)
	}
}

// largerByDefault reports whether fields of the program's classes give a setting a number above 1, and none gives it another value. Settings
// travel through objects whose class nobody sees, but under their name.
func largerByDefault(p *pass.Pass, setting string) bool {
	if setting == "" {
		return false
	}
	larger := false
	for _, m := range p.MentionsOf(setting) {
		if m.How != pass.FieldOf || m.Value == nil {
			continue
		}
		n, ok := m.Value.(*ast.Number)
		if !ok || n.Text == "0" || n.Text == "1" {
			return false
		}
		larger = true
	}
	return larger
}

// spread is the standard deviation or variance itself: the first of a pair with
// the mean.
func spread(v *infer.Val) *infer.Val {
	if r, ok := v.Ref.(*infer.SeqRef); ok && len(r.Elems) > 0 {
		return r.Elems[0]
	}
	return v
}

func ofNumpy(v *infer.Val) bool {
	return v.Lib == infer.LibNumpy || infer.LibOfName(v.Op) == infer.LibNumpy
}

// sampleFormula reports whether the spread is divided by n - 1.
func sampleFormula(v *infer.Val) bool {
	correction := v.Arg("correction")
	if ofNumpy(v) {
		c, ok := correction.Int()
		return ok && c >= 1
	}
	if c, ok := correction.Int(); ok {
		return c >= 1
	}
	if u := v.Arg("unbiased"); u != nil {
		return u.Const == true
	}
	return correction == nil || correction.IsNone()
}

// keepsNaN reports whether a NaN among the inputs of v comes out again, as it does of a clamp.
func keepsNaN(v *infer.Val) bool {
	return v.Fn == nil || !v.Fn.Guards || v.IsOp("clamp", "clamp_min")
}

// replaced reports whether another value is put where v, or a view of it, is NaN.
func replaced(p *pass.Pass, v *infer.Val, depth int) bool {
	return slices.ContainsFunc(p.UsesOf(v), func(u *infer.Val) bool {
		return !keepsNaN(u) || depth > 0 && u != v && infer.Strip(u) == infer.Strip(v) && replaced(p, u, depth-1)
	})
}

// population switches to the formula that divides by n. The number differs, so a person
// has to look.
func population(p *pass.Pass, v *infer.Val) *pass.Fix {
	call, ok := v.Node.(*ast.Call)
	if !ok || v.Arg("correction") != nil || v.Arg("unbiased") != nil || v.Lib == infer.LibNumpy {
		return nil
	}
	return &pass.Fix{
		Message: "Use the population formula", Applicability: finding.Unsafe, EveryContext: true,
		Edits: p.In(v.Frame).SetArg(call, -1, "unbiased", "False"),
	}
}
