// Package settingunread is rule CFG025, setting-unread; rule.md says what it finds.
package settingunread

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"

	"github.com/rlvet/rlvet/internal/pass"
	"github.com/rlvet/rlvet/internal/rl/domain"
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
	for _, m := range p.UnreadSettings(ours) {
		if m.How == pass.Parameter && (m.Value == nil || !isPassed(p, m.Name)) {
			continue // functions of one kind share their parameters, and what nobody sets misleads nobody
		}
		p.Report(pass.Finding{
			At: m.Definition(), Frame: m.Frame, Evidence: domain.Derived,
			Message: fmt.Sprintf("setting `%s` is never used", pass.SettingName(m.Name)),
			Why:     of(m.Name).lacks,
		})
	}
}

// isPassed reports whether a call passes a parameter by its name.
func isPassed(p *pass.Pass, name string) bool {
	return slices.ContainsFunc(p.MentionsOf(name), func(m pass.Mention) bool { return m.How == pass.Passed })
}
