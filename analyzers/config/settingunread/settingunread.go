// Package settingunread is rule CFG025, setting-unread; rule.md says what it finds.
package settingunread

import (
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"

	"github.com/rlvet/rlvet/internal/finding"
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

// Analyzer reports settings of the method that nothing reads.
var Analyzer = pass.Rule(Doc, run)

// setting is what a quantity of the method is called where it is set, and what a run comes to that never reads it. Python finds options,
// fields and attributes by their names, so names decide here; KL017 knows the coefficients of a KL.
type setting struct {
	named *regexp.Regexp
	lacks string
}

// settings are read from the top; a name belongs to the first that fits.
var settings = []setting{
	{words(`lmb?da|gae_?(lambda|lam|lmbda|lambd|lmda|tau)|(lambda|lam|tau)_gae|td_lambda|coeff?_gae_lambda`), "advantages or returns are computed without the lambda that is set"},
	{words(`gamma|discount(_factor|_rate)?|gamma_discount`), "rewards are discounted by another factor, or not at all"},
	{words(`(ent|entropy)_?(coef|coeff|coefficient|weight|beta|bonus|reg|scale|factor)|(coef|coeff|beta|c)_(ent|entropy)`), "the loss has no entropy bonus of this weight"},
	{words(`(vf|value|critic|v)_?(loss_)?(coef|coeff|coefficient|weight)|(coef|coeff)_(vf|value|critic)`), "the loss of the critic does not have this weight"},
	{words(`(ppo_)?(clip|eps_?clip|clip_?(eps|epsilon|range|param|ratio|coef|value))|(ratio|policy)_clip`), "the objective is not clipped to this range"},
	{words(`tau|polyak|soft_(update_)?tau|target_tau|tau_soft`), "the target network does not follow at this rate"},
	{words(`max_?grad(ient)?_?norm|grad(ient)?_?(norm_)?clip(ping)?|clip_?grad(_norm)?|grad_norm`), "gradients are not clipped to this norm"},
	{words(`(target|tgt)_?(net(work)?_)?update(_?(freq|frequency|interval|every|steps|period|rate))?|update_target(_?(freq|frequency|interval|every|steps))?|sync_target(_\w+)?`), "the target network is not updated as often as this says"},
	{words(`weight_?decay|l2_(reg|coef|weight)`), "the optimizer decays no weights by this"},
	{words(`learning_starts?|train_start|start_(steps|learning|training)|warm_?up(_?(steps|episodes|iters))?|burn_?in`), "training does not wait, or warm up, for as long as this says"},
	{words(`(eps|epsilon)_?(decay|min|max|start|end|final|init|initial)(_\w+)?|(min|final|initial|start|decay)_(eps|epsilon)|exploration_(rate|fraction|decay|final\w*|initial\w*)`), "exploration does not change as this says"},
	{words(`(mini_?)?batch_?size|num_?mini_?batch(es)?|n_?mini_?batch(es)?`), "batches have another size"},
	{words(`(ppo|update|train|n|num|k|opt|optimi[sz]ation)_?epochs?|epochs_per_update`), "the update does not go over the data as often as this says"},
	{words(`reward_?(scale|scaling|clip)`), "rewards are not scaled or clipped by this"},
	{words(`n_?steps?(_return)?|num_steps_per_\w+|rollout_(len|length|steps)|update_(timestep|interval|every|freq|frequency)`), "rollouts, returns or rounds between updates are not as long as this says"},
	{words(`(actor|critic|policy|value|q)_?(lr|learning_rate)|(lr|learning_rate)_?(actor|critic|policy|value|q|decay)|lr|learning_rate`), "no optimizer gets this learning rate"},
}

// valueWeight is the weight of a critic's loss beside the policy's.
var valueWeight = of("value_coef")

func words(pattern string) *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:` + pattern + `)$`) }

// of is the setting that a name is one of; nil for other names.
func of(name string) *setting {
	name = pass.SettingName(name)
	for i := range settings {
		if settings[i].named.MatchString(name) {
			return &settings[i]
		}
	}
	return nil
}

var ours = pass.Matching(func(name string) bool { return of(name) != nil })

func run(p *pass.Pass) {
	if len(p.Roles.Losses()) == 0 || len(p.MentionsOf("save_hyperparameters")) > 0 { // Lightning keeps all arguments, and gives them back by name
		return
	}
	unread := p.UnreadSettings(ours)
	for _, m := range unread {
		if m.How == pass.Parameter && (m.Value == nil || !isPassed(p, m.Name)) {
			continue // functions of one kind share their parameters, and what nobody sets misleads nobody
		}
		if m.How == pass.Bound && m.Func != nil && !trains(p, m.Module) {
			continue // a letter of another formula
		}
		unreadSetting := pass.Finding{
			At: m.Definition(), Frame: m.Frame, Evidence: domain.Derived,
			Message: fmt.Sprintf("setting `%s` is never used", pass.SettingName(m.Name)),
			Why:     of(m.Name).lacks,
		}
		if used := sameNumber(p, m, unread); used != nil {
			unreadSetting.Severity = finding.Note // until somebody sets it to another number
			unreadSetting.Why = fmt.Sprintf("a run goes by another `%s`, which is the same number as long as nobody changes one of the two", pass.SettingName(used.Name))
		}
		if writtenOut(p, m) {
			unreadSetting.Severity = finding.Note
			unreadSetting.Why = "the same number is written out where the program computes, and stays when this one is changed"
		}
		if of(m.Name) == valueWeight && criticAlone(p.Roles) {
			unreadSetting.Severity = finding.Note
			unreadSetting.Why += "; it has a loss of its own, in which a weight scales the learning rate, and nothing for Adam"
		}
		p.Report(unreadSetting)
	}
}

// trains reports whether a file computes a loss, or steps an environment.
func trains(p *pass.Pass, in *infer.Module) bool {
	steps, _ := p.Roles.EnvCalls()
	return slices.ContainsFunc(steps, func(c roles.EnvCall) bool { return c.Frame.Module == in }) ||
		slices.ContainsFunc(p.Roles.Losses(), func(l roles.Loss) bool { return l.Value.Frame != nil && l.Value.Frame.Module == in })
}

// sameNumber is a setting of the same quantity that something reads, and that is the same number as an unread one where nobody sets it
// anew; nil where there is none, or where a run may give the unread one another number.
func sameNumber(p *pass.Pass, m pass.Mention, unread []pass.Mention) *pass.Mention {
	number, ok := m.Number()
	if !ok {
		return nil
	}
	for _, x := range p.Mentions(ours) {
		if x.How != pass.Parameter && x.How != pass.Bound && x.How != pass.FieldOf || of(x.Name) != of(m.Name) {
			continue
		}
		if other, ok := x.Number(); ok && other == number && !slices.ContainsFunc(unread, func(u pass.Mention) bool { return u.Node == x.Node }) {
			return &x
		}
	}
	return nil
}

// writtenOut reports whether the file of a setting, or one in which a loss is computed, computes with its number: then a run that sets
// nothing anew has what the setting says. Small whole numbers stand everywhere, for anything.
func writtenOut(p *pass.Pass, m pass.Mention) bool {
	number, ok := m.Number()
	if !ok || number == math.Trunc(number) && math.Abs(number) <= 4 {
		return false
	}
	files := []*pass.Source{p.In(m.Frame)}
	for _, l := range p.Roles.Losses() {
		if in := p.In(l.Value.Frame); in != nil && !slices.Contains(files, in) {
			files = append(files, in)
		}
	}
	return slices.ContainsFunc(files, func(in *pass.Source) bool { return in != nil && computesWith(in, number, m.Definition()) })
}

// computesWith reports whether a file has a number as an operand or an argument, the definition of a setting aside.
func computesWith(in *pass.Source, number float64, except ast.Node) bool {
	found := false
	ast.WalkModule(in.AST, func(n ast.Node) bool {
		if x, ok := n.(*ast.Number); ok {
			is, err := strconv.ParseFloat(x.Text, 64)
			switch in.Parent(x).(type) {
			case *ast.BinOp, *ast.Call, *ast.UnaryOp:
				found = found || err == nil && is == number && !except.Span().Covers(x.Span())
			}
		}
		return !found
	})
	return found
}

// criticAlone reports whether each loss that fits a critic fits nothing else, so that nothing is weighed against it.
func criticAlone(m *roles.Model) bool {
	fits := func(t roles.Term) bool { return t.Kind == roles.ValueTerm }
	alone := false
	for _, l := range m.Losses() {
		if slices.ContainsFunc(l.Terms, fits) {
			alone = true
			if !slices.ContainsFunc(l.Terms, func(t roles.Term) bool { return !fits(t) }) {
				continue
			}
			return false
		}
	}
	return alone
}

// isPassed reports whether a call passes a parameter by its name.
func isPassed(p *pass.Pass, name string) bool {
	return slices.ContainsFunc(p.MentionsOf(name), func(m pass.Mention) bool { return m.How == pass.Passed })
}
