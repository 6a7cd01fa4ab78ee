// Package settingunread is rule CFG025, setting-unread; rule.md says what it finds.
package settingunread

import (
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

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

// setting is what a quantity of the method is called where it is set. Python finds options, fields and attributes by their names, so names
// decide here; KL017 knows the coefficients of a KL.
type setting struct {
	named *regexp.Regexp
	one   bool // a method has one such quantity, whichever of the names it has
}

// settings are read from the top; a name belongs to the first that fits.
var settings = []setting{
	{named: words(`lmb?da|gae_?(lambda|lam|lmbda|lambd|lmda|tau)|(lambda|lam|tau)_gae|td_lambda|coeff?_gae_lambda`), one: true},
	{named: words(`gamma|discount(_factor|_rate)?|gamma_discount`), one: true},
	{named: words(`(ent|entropy)_?(coef|coeff|coefficient|weight|beta|bonus|reg|scale|factor)|(coef|coeff|beta|c)_(ent|entropy)`), one: true},
	{named: words(`(vf|value|critic|v)_?(loss_)?(coef|coeff|coefficient|weight)|(coef|coeff)_(vf|value|critic)`)},
	{named: words(`(ppo_)?(clip|eps_?clip|clip_?(eps|epsilon|range|param|ratio|coef|value))|(ratio|policy)_clip`)},
	{named: words(`tau|polyak|soft_(update_)?tau|target_tau|tau_soft`)},
	{named: words(`max_?grad(ient)?_?norm|grad(ient)?_?(norm_)?clip(ping)?|clip_?grad(_norm)?|grad_norm`)},
	{named: words(`(target|tgt)_?(net(work)?_)?update(_?(freq|frequency|interval|every|steps|period|rate))?|update_target(_?(freq|frequency|interval|every|steps))?|sync_target(_\w+)?`)},
	{named: words(`weight_?decay|l2_(reg|coef|weight)`)},
	{named: words(`learning_starts?|train_start|start_(steps|learning|training)|warm_?up(_?(steps|episodes|iters))?|burn_?in`)},
	{named: words(`(eps|epsilon)_?(decay|min|max|start|end|final|init|initial)(_\w+)?|(min|final|initial|start|decay)_(eps|epsilon)|exploration_(rate|fraction|decay|final\w*|initial\w*)`)},
	{named: words(`(mini_?)?batch_?size|num_?mini_?batch(es)?|n_?mini_?batch(es)?`)},
	{named: words(`(ppo|update|train|n|num|k|opt|optimi[sz]ation)_?epochs?|epochs_per_update`)},
	{named: words(`reward_?(scale|scaling|clip)`)},
	{named: words(`n_?steps?(_return)?|num_steps_per_\w+|rollout_(len|length|steps)|update_(timestep|interval|every|freq|frequency)`)},
	{named: words(`(actor|critic|policy|value|q)_?(lr|learning_rate)|(lr|learning_rate)_?(actor|critic|policy|value|q|decay)|lr|learning_rate`)},
}

var (
	// valueWeight is the weight of a critic's loss beside the policy's.
	valueWeight = of("value_coef")
	discount    = of("gamma")
)

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
		f := pass.Finding{
			At: m.Definition(), Frame: m.Frame, Evidence: domain.Derived,
			Message: fmt.Sprintf("setting `%s` is never used", pass.SettingName(m.Name)),
		}
		judge(p, m, unread, &f)
		p.Report(f)
	}
}

// judge says what it does to a run that nothing reads a setting. It changes one where another number stands in its place, or where a call
// gives it to a function that drops it; what is left over from another method changes none.
func judge(p *pass.Pass, m pass.Mention, unread []pass.Mention, f *pass.Finding) {
	read := instead(p, m)
	used := sameNumber(p, m, unread, read)
	switch by, number := goesBy(p, m, read); {
	case used != nil:
		f.Severity = finding.Note // until somebody sets it to another number
		f.Why = fmt.Sprintf("a run goes by another `%s`, which is the same number as long as nobody changes one of the two", pass.SettingName(used.Name))
	case writtenOut(p, m):
		f.Severity = finding.Note
		f.Why = "the same number is written out where the program computes, and stays when this one is changed"
	case by != "":
		f.Why = fmt.Sprintf("a run goes by %s, which is %s", by, strconv.FormatFloat(number, 'g', -1, 64))
	case len(read) > 0:
		f.Severity = finding.Note
		f.Why = fmt.Sprintf("the program reads %s, so runs that differ in this one alone are the same run", another(m, read))
	case m.How != pass.Parameter || m.Class != nil && len(m.Class.Bases) > 0 || !isSet(p, m):
		f.Severity = finding.Note // the method may have no such quantity
	}
	if of(m.Name) == valueWeight && criticAlone(p.Roles) {
		f.Severity = finding.Note
		f.Why = "the critic has a loss of its own, in which a weight scales the learning rate, and nothing for Adam"
	}
}

// instead are the places where the program reads a setting of the same quantity.
func instead(p *pass.Pass, m pass.Mention) []pass.Mention {
	return slices.DeleteFunc(p.Readings(ours, m), func(x pass.Mention) bool { return of(x.Name) != of(m.Name) })
}

// goesBy is the one other number that the program has in the place of a setting, and what it comes by: all settings of the name are that
// number wherever they are read, or, for a discount, all that is discounted is so. It is "" where that is not known.
func goesBy(p *pass.Pass, m pass.Mention, read []pass.Mention) (by string, number float64) {
	set, ok := m.Number()
	if !ok {
		return "", 0
	}
	var numbers []float64
	for _, x := range read {
		ns, known := p.NumbersOf(x)
		if !known || !of(m.Name).one && letters(x.Name) != letters(m.Name) {
			return "", 0
		}
		numbers = append(numbers, ns...)
	}
	switch {
	case len(read) > 0:
		by = another(m, read)
	case of(m.Name) == discount:
		by, numbers = "a discount that is written out", discounts(p)
	}
	slices.Sort(numbers)
	if numbers = slices.Compact(numbers); len(numbers) != 1 || numbers[0] == set {
		return "", 0
	}
	return by, numbers[0]
}

// another says what is read in the place of a setting, that of its own name before others.
func another(m pass.Mention, read []pass.Mention) string {
	if slices.ContainsFunc(read, func(x pass.Mention) bool { return letters(x.Name) == letters(m.Name) }) {
		return fmt.Sprintf("another `%s`", pass.SettingName(m.Name))
	}
	return fmt.Sprintf("`%s`", pass.SettingName(read[0].Name))
}

// discounts are the numbers by which values of what comes next are discounted; none where one of them is not known.
func discounts(p *pass.Pass) (out []float64) {
	for _, b := range p.Bellmans() {
		for _, next := range b.Next {
			if len(next.Discount) != 1 || len(next.Unknown) > 0 {
				return nil
			}
			n, ok := next.Discount[0].Float()
			if !ok {
				return nil
			}
			out = append(out, n)
		}
	}
	return out
}

// letters are those of a name, as an option, a constant and a parameter of one setting share them.
func letters(name string) string {
	return strings.ToLower(strings.ReplaceAll(pass.SettingName(name), "_", ""))
}

// maxCalls bounds the calls between a file and the loss that it has computed.
const maxCalls = 8

// trains reports whether a file computes a loss, or calls what does.
func trains(p *pass.Pass, in *infer.Module) bool {
	return slices.ContainsFunc(p.Roles.Losses(), func(l roles.Loss) bool { return calledFrom(l.Value.Frame, in, maxCalls) })
}

func calledFrom(f *infer.Frame, in *infer.Module, depth int) bool {
	if f == nil || depth == 0 {
		return false
	}
	if f.Module == in {
		return true
	}
	for site := range f.Sites {
		if calledFrom(site.Caller, in, depth-1) {
			return true
		}
	}
	return false
}

// sameNumber is a setting of the same quantity that something reads, and that is the same number as an unread one where nobody sets it
// anew; nil where there is none, or where a run may give the unread one another number.
func sameNumber(p *pass.Pass, m pass.Mention, unread, read []pass.Mention) *pass.Mention {
	number, ok := m.Number()
	if !ok {
		return nil
	}
	for _, x := range p.Mentions(ours) {
		if x.How != pass.Parameter && x.How != pass.Bound && x.How != pass.FieldOf || of(x.Name) != of(m.Name) ||
			!slices.ContainsFunc(read, func(r pass.Mention) bool { return r.Name == x.Name }) {
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

// isSet reports whether a call passes a parameter by its name something else than its default.
func isSet(p *pass.Pass, m pass.Mention) bool {
	number, ok := m.Number()
	return slices.ContainsFunc(p.MentionsOf(m.Name), func(x pass.Mention) bool {
		passed, known := x.Number()
		return x.How == pass.Passed && !(ok && known && passed == number)
	})
}
