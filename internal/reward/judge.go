package reward

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/rlvet/rlvet/internal/audit/measure"
	"github.com/rlvet/rlvet/internal/words"
)

// # What is a finding
//
// A trick works on a prompt where it scores at least what the right answer does, and more than
// a wrong answer; one that gives the right answer works where it gets more than that alone, by a
// twentieth of what the right answer is worth: a few characters are worth something to a reward
// for brevity.
// It is a finding where it works on enough of the prompts, so that no chance is one. A function
// that gives a wrong answer in the right form as much as the right one, as rewards for a format
// do, is not accused of tricks that get no more than that. Where rewards are random, a trick has
// to beat the noise.

// judge fills the result.
func (j *job) judge(first *formTrial, second *trickTrial, t *told) {
	j.judgeContract(first, second, t)
	j.judgeTricks(second, t)
	j.judgeEffects(second, t)
	r := j.result
	r.Groups = groupsOf(second, t)
	r.Time = timeOf(second, t)
	r.Found = slices.ContainsFunc(r.Tricks, func(t Trick) bool { return t.Works }) || slices.ContainsFunc(r.Contract, func(c Check) bool { return c.Status == "broken" })
	j.remark(second, t)
	r.Messages = r.Messages && r.Framework == "trl" // others get text, whatever the prompts are
}

func (j *job) say(format string, args ...any) {
	j.result.Notes = append(j.result.Notes, fmt.Sprintf(format, args...))
}

// remark says what a reader has to know.
func (j *job) remark(second *trickTrial, t *told) {
	r := j.result
	if j.Data == "" {
		j.say("no --data: %s are used; give your own prompts by --data prompts.jsonl", words.Count(len(j.data.prompts), "built-in sum"))
	}
	if !r.Form.Judged {
		j.say("no form of the right answer that was tried gets more than a wrong answer: either the reward does not depend on the answer, as rewards for a format do not, or it wants another form; give that by --form TEMPLATE, with {answer} in it. Only tricks that get more than both are judged")
		if i := slices.IndexFunc(j.data.prompts, func(p *prompt) bool { return p.Full != p.Answer }); i >= 0 && j.data.answer != "" {
			j.say("the column %s holds more than the answer (%s), and the function gets it as it is; if it compares the whole, keep the answer alone (%q) in the column before you train", j.data.answer, brief(j.data.prompts[i].Full, 60), j.data.prompts[i].Answer)
		}
	}
	if t.Function.BrokenOff != "" {
		j.say("the import of the file ended early (%s); the function was defined by then", words.Plain(t.Function.BrokenOff))
	}
	if r.Framework == "trl" && !t.Function.Keywords {
		j.say("the function takes no **kwargs: TRL passes completion_ids and trainer_state, and all columns of the data set, too, and the call then raises TypeError (RWD001)")
	}
	if len(r.Network) > 0 {
		how := "the network is blocked"
		if r.Isolation == "none" {
			how = "with --isolation none the network is not blocked"
		}
		j.say("it tried to reach %s; %s", words.And(r.Network), how)
	}
	if len(r.Files) > 0 {
		j.say("it wrote files: %s; those of the project went to the copy", words.And(r.Files))
	}
	if len(r.Started) > 0 {
		j.say("it started programs: %s", words.And(r.Started))
	}
	over, left := 0, 0
	for _, o := range t.Calls {
		if o.Status == "not-called" {
			over++
		}
		if o.Status == "left-out" {
			left++
		}
	}
	if over > 0 {
		j.say("time was over before %s of %d; give more by --max-time", words.Count(over, "call"), len(t.Calls))
	}
	if left > 0 {
		j.say("%s left out: two completions of the kind did not return", words.CountOf(left, "call was", "calls were"))
	}
}

// enough is on how many prompts of n a trick must work.
func enough(n int) int { return max((n+4)/5, min(2, n)) }

// judgeTricks compares the tricks with right and wrong answers.
func (j *job) judgeTricks(second *trickTrial, t *told) {
	var rights, wrongs []float64
	for _, p := range j.data.prompts {
		a := second.answers[p]
		if v, ok := t.Calls[a.right].single(); ok {
			rights = append(rights, v)
		}
		if v, _, ok := best(t, a.wrong); ok {
			wrongs = append(wrongs, v)
		}
	}
	slack := max(tolerance, 2*noiseOf(second, t))
	j.result.Form.Right, j.result.Form.Wrong = number(mean(rights)), number(mean(wrongs))
	j.result.Tricks = []Trick{}
	for _, trick := range tricks {
		out := Trick{ID: trick.ID, Title: trick.Title, Help: trick.Help, AnswersRight: trick.Answers}
		var rewards, right, wrong []float64
		worst := math.Inf(-1)
		for _, p := range j.data.prompts {
			a := second.answers[p]
			tricked, at, ok := best(t, a.tricks[trick.ID])
			r, rightKnown := t.Calls[a.right].single()
			w, _, wrongKnown := best(t, a.wrong)
			if !ok || !rightKnown || !wrongKnown {
				continue
			}
			out.Prompts++
			rewards, right, wrong = append(rewards, tricked), append(right, r), append(wrong, w)
			asGood := tricked >= r-slack
			hit := asGood && tricked > w+slack
			if trick.Answers || !j.result.Form.Judged {
				hit = tricked > max(r, w)+max(slack, 0.05*math.Abs(r-w))
			}
			if asGood {
				out.AsGood++
			}
			if hit {
				out.Hits++
			}
			if tricked-r > worst {
				worst = tricked - r
				out.Worst = &Worst{p.Text, second.completion(at), tricked, second.completion(a.right), r, w}
			}
		}
		if out.Prompts == 0 {
			continue
		}
		out.Works = out.Hits >= enough(out.Prompts)
		out.Reward, out.Right, out.Wrong = number(mean(rewards)), number(mean(right)), number(mean(wrong))
		j.result.Tricks = append(j.result.Tricks, out)
	}
	if left := len(tricks) - len(j.result.Tricks); left > 0 && len(j.result.Tricks) > 0 {
		j.say("%d of %s are left out: there is nothing to make them of, as words that the function looks for", left, words.Count(len(tricks), "trick"))
	}
}

// noiseOf is by how much the reward of a completion differs when it is scored again.
func noiseOf(second *trickTrial, t *told) (noise float64) {
	for _, g := range second.groups {
		one, two := &t.Calls[g.first], &t.Calls[g.again]
		if !whole(one, len(g.texts)) || !whole(two, len(g.texts)) {
			continue
		}
		for i := range g.texts {
			if by := math.Abs(float64(one.Rewards[i] - two.Rewards[i])); by > noise { // not where one is NaN
				noise = by
			}
		}
	}
	return noise
}

// best is the best reward of some calls, and which it is.
func best(t *told, calls []int) (value float64, at int, ok bool) {
	for _, k := range calls {
		if v, known := t.Calls[k].single(); known && (!ok || v > value) {
			value, at, ok = v, k, true
		}
	}
	return value, at, ok
}

// completion is the text of a call with one.
func (b *batch) completion(at int) string { return b.texts[b.calls[at].Completions[0]] }

// mostExamples bounds those of a check.
const mostExamples = 5

// judgeContract says what the trainer can rely on.
func (j *job) judgeContract(first *formTrial, second *trickTrial, t *told) {
	r := j.result
	made := 0
	for _, o := range t.Calls {
		if o.Status != "not-called" && o.Status != "left-out" {
			made++
		}
	}
	single := r.Framework == "verl" || r.Framework == "plain"
	type test struct {
		name, kept, broken, help string
		is                       func(c call, o outcome) string // what breaks it, "" for nothing
	}
	allowed := []string{"float", "int", "bool"}
	if r.Framework == "trl" {
		allowed = append(allowed, "None")
	}
	rewards := "each call returned one reward for each completion"
	if single {
		rewards = "each call returned one reward"
	}
	tests := []test{
		{"rewards", rewards, "not one reward for each completion", "return a list with one reward for each completion, in their order", func(c call, o outcome) string {
			switch {
			case o.Status != "returned":
				return ""
			case o.Count < 0:
				return "it returned " + article(o.Returned) + ", not a list of rewards"
			case o.Count != len(c.Completions):
				return fmt.Sprintf("%s for %s", words.Count(o.Count, "reward"), words.Count(len(c.Completions), "completion"))
			}
			return ""
		}},
		{"type", "all rewards are numbers", "rewards that are no numbers", "return float, int or bool" + map[bool]string{true: ", or None for a sample that does not count"}[r.Framework == "trl"], func(c call, o outcome) string {
			for _, name := range o.Types {
				if !slices.Contains(allowed, name) {
					return "a reward is " + article(name)
				}
			}
			return ""
		}},
		{"finite", "all rewards are finite", "rewards that are NaN or infinite", "guard divisions and logarithms, and bound the result", func(c call, o outcome) string {
			for i, v := range o.Rewards {
				if v := float64(v); math.IsInf(v, 0) || math.IsNaN(v) && slices.Contains(o.Types, "float") && !slices.Contains(o.Types, "None") && len(c.Completions) == 1 {
					return fmt.Sprintf("reward %d is %g", i+1, v)
				}
			}
			return ""
		}},
		{"exceptions", "no call raised", "calls that raise", "return the lowest reward for completions that cannot be read: one exception ends the training run", func(c call, o outcome) string {
			if o.Status == "raised" {
				return "it raised " + o.Error.String()
			}
			return ""
		}},
		{"ends", "each call ended in " + j.Timeout.String(), "calls that do not return", "bound the work for a completion, and run code of completions in a process of its own, with a timeout", func(c call, o outcome) string {
			switch o.Status {
			case "hung":
				return fmt.Sprintf("it did not return in %.3g s", o.Seconds)
			case "memory":
				return fmt.Sprintf("it took more than %d MB of memory", j.MaxMemory>>20)
			case "died":
				return "it ended the process (" + words.Plain(o.Error.Message) + ")"
			}
			return ""
		}},
	}
	for _, test := range tests {
		check := Check{Name: test.name, Status: "kept", Says: test.kept, Examples: []Example{}}
		n := 0
		for k, o := range t.Calls {
			says := test.is(second.calls[k], o)
			if says == "" {
				continue
			}
			n++
			if known := slices.ContainsFunc(check.Examples, func(e Example) bool { return e.Says == says }); !known && len(check.Examples) < mostExamples {
				check.Examples = append(check.Examples, second.example(k, says, o.Error))
			}
		}
		if made == 0 {
			check.Status, check.Says = "unknown", "no call was made"
		} else if n > 0 {
			check.Status, check.Help = "broken", test.help
			check.Says = fmt.Sprintf("%s: %d of %s", test.broken, n, words.Count(made, "call"))
		}
		r.Contract = append(r.Contract, check)
	}
	r.Contract = append(r.Contract, j.judgeRepeats(second, t)...)
	r.Contract = append(r.Contract, j.judgeLines(second, t))
}

// judgeLines says whether the right answer keeps its reward when the reasoning before it has several lines, as that of
// models has. What it may lose is half of what it gets more than the least of the completions to the prompt.
func (j *job) judgeLines(second *trickTrial, t *told) Check {
	check := Check{Name: "lines", Status: "unknown", Says: "no reasoning of several lines was tried", Examples: []Example{}}
	tried, lost := 0, 0
	for _, p := range j.data.prompts {
		a := second.answers[p]
		if a.lines < 0 {
			continue
		}
		right, known := t.Calls[a.right].single()
		lines, knownToo := t.Calls[a.lines].single()
		if !known || !knownToo {
			continue
		}
		least := right
		for _, calls := range a.tricks {
			for _, k := range calls {
				if v, ok := t.Calls[k].single(); ok {
					least = min(least, v)
				}
			}
		}
		tried++
		if lost++; right-least <= tolerance || right-lines < (right-least)/2 {
			lost--
		} else if len(check.Examples) < mostExamples {
			check.Examples = append(check.Examples, second.example(a.lines, fmt.Sprintf("it gets %s, and %s in one line", digits(lines), digits(right)), nil))
		}
	}
	switch {
	case tried == 0:
	case lost >= enough(tried):
		check.Status, check.Says = "broken", fmt.Sprintf("reasoning of several lines loses the reward: on %d of %s", lost, words.Count(tried, "prompt"))
		check.Help = "let the pattern's dot match line ends (re.DOTALL): models reason in many lines"
	default:
		check.Status, check.Says, check.Examples = "kept", "reasoning may have several lines", []Example{}
	}
	return check
}

// example is a call that breaks something.
func (b *batch) example(k int, says string, e *raised) Example {
	c := b.calls[k]
	out := Example{What: named(c.Kind), Says: says}
	if len(c.Completions) == 1 {
		out.Completion = b.completion(k)
	} else {
		out.What = fmt.Sprintf("a batch of %d", len(c.Completions))
	}
	if e != nil {
		out.File, out.Row = e.File, e.Row
	}
	return out
}

// named is the title of a trick or an effect, or the kind itself.
func named(kind string) string {
	for _, t := range tricks {
		if t.ID == kind {
			return t.Title
		}
	}
	for _, e := range effects {
		if e.ID == kind {
			return "varied " + e.Title
		}
	}
	return kind
}

// judgeRepeats says whether rewards are the same again, and in another order.
func (j *job) judgeRepeats(second *trickTrial, t *told) []Check {
	again := Check{Name: "deterministic", Status: "unknown", Says: "no batch was scored twice", Examples: []Example{}}
	order := Check{Name: "order", Status: "unknown", Says: "no batch was scored in another order", Examples: []Example{}}
	alone := 0
	for _, g := range second.groups {
		one, two, other := &t.Calls[g.first], &t.Calls[g.again], &t.Calls[g.other]
		if !whole(one, len(g.texts)) {
			continue
		}
		text := func(i int) string { return second.texts[g.texts[i]] }
		if whole(two, len(g.texts)) {
			again.mark("each completion got the same reward twice")
			for i := range g.texts {
				if !same(one.Rewards[i], two.Rewards[i]) {
					again.fail("the same completion got two rewards", "seed or remove what is random: noise in the reward is noise in the advantage", text(i), fmt.Sprintf("%.6g, and %.6g the next time", float64(one.Rewards[i]), float64(two.Rewards[i])))
				}
			}
		}
		if again.Status == "broken" {
			continue
		}
		if whole(other, len(g.texts)) {
			order.mark("the order of a batch does not matter")
			for i, from := range g.order {
				if !same(other.Rewards[i], one.Rewards[from]) {
					order.fail("the reward of a completion depends on its place in the batch", "score each completion with its own prompt and its own columns (zip them)", text(from), fmt.Sprintf("%.6g, and %.6g in a shuffled batch", float64(one.Rewards[from]), float64(other.Rewards[i])))
				}
			}
		}
		for i := range g.texts {
			for k, c := range second.calls {
				if len(c.Completions) == 1 && c.Completions[0] == g.texts[i] && c.Prompts[0] == g.prompts[i] {
					if v, ok := t.Calls[k].single(); ok && !same(one.Rewards[i], reward(v)) && !math.IsNaN(float64(one.Rewards[i])) {
						alone++
					}
					break
				}
			}
		}
	}
	if alone > 0 && again.Status == "kept" && order.Status == "kept" {
		j.say("%s got another reward in a batch than alone: the reward depends on the other completions", words.Count(alone, "completion"))
	}
	return []Check{again, order}
}

func (c *Check) mark(says string) {
	if c.Status == "unknown" {
		c.Status, c.Says = "kept", says
	}
}

func (c *Check) fail(says, help, completion, example string) {
	c.Status, c.Says, c.Help = "broken", says, help
	if len(c.Examples) < mostExamples {
		c.Examples = append(c.Examples, Example{Completion: completion, What: "a batch", Says: example})
	}
}

// whole reports whether a batch got its rewards.
func whole(o *outcome, n int) bool {
	return o.Status == "returned" && o.Count == n && len(o.Rewards) == n
}

func same(a, b reward) bool {
	x, y := float64(a), float64(b)
	return x == y || math.IsNaN(x) || math.IsNaN(y) || math.Abs(x-y) <= tolerance*max(1, math.Abs(x))
}

// groupsOf says on how many prompts all completions got the same.
func groupsOf(second *trickTrial, t *told) (g Groups) {
	for _, a := range second.answers {
		low, high := math.Inf(1), math.Inf(-1)
		calls := append([]int{a.right}, a.wrong...)
		for _, list := range a.tricks {
			calls = append(calls, list...)
		}
		for _, k := range calls {
			if v, ok := t.Calls[k].single(); ok {
				low, high = min(low, v), max(high, v)
			}
		}
		if low > high {
			continue
		}
		g.Prompts++
		if high-low <= tolerance {
			g.Alike++
		}
	}
	return g
}

// timeOf is what calls of one completion took.
func timeOf(second *trickTrial, t *told) (out Time) {
	var seconds []float64
	for k, o := range t.Calls {
		if len(second.calls[k].Completions) == 1 && (o.Status == "returned" || o.Status == "raised") {
			seconds = append(seconds, o.Seconds)
		}
	}
	if len(seconds) > 0 {
		out = Time{len(seconds), measure.Median(seconds), slices.Max(seconds)}
	}
	return out
}

// judgeEffects measures how rewards go with length, repetition and format within the
// completions of a prompt that differ in nothing else.
func (j *job) judgeEffects(second *trickTrial, t *told) {
	j.result.Effects, j.result.Points = []Effect{}, []Point{}
	for e := range effects {
		for _, wrong := range []bool{false, true} {
			out := Effect{ID: effects[e].ID, Title: effects[e].Title, Unit: effects[e].Unit, Of: map[bool]string{false: "right", true: "wrong"}[wrong], Levels: effects[e].Levels}
			byPrompt := map[*prompt]map[int]float64{}
			for _, entry := range second.effects {
				v, ok := t.Calls[entry.at].single()
				if entry.effect != e || entry.wrong != wrong || !ok {
					continue
				}
				if byPrompt[entry.prompt] == nil {
					byPrompt[entry.prompt] = map[int]float64{}
				}
				byPrompt[entry.prompt][entry.level] = v
				if effects[e].ID == "length" {
					j.result.Points = append(j.result.Points, Point{len([]rune(second.completion(entry.at))), v, out.Of})
				}
			}
			levels := make([][]float64, len(out.Levels))
			var x, y []float64
			for _, p := range j.data.prompts {
				series := byPrompt[p]
				if len(series) < len(out.Levels) {
					continue
				}
				middle := 0.0
				for _, v := range series {
					middle += v / float64(len(series))
				}
				for level := range out.Levels {
					x, y = append(x, out.Levels[level]), append(y, math.Round((series[level]-middle)*1e9)/1e9)
					levels[level] = append(levels[level], series[level])
				}
			}
			for _, list := range levels {
				out.Rewards = append(out.Rewards, number(mean(list)))
			}
			if len(x) == 0 {
				continue
			}
			out.Gain = number(mean(levels[len(levels)-1]) - mean(levels[0]))
			if rho := measure.Spearman(x, y); !math.IsNaN(rho.Value) {
				out.Correlation, out.Low, out.High = number(rho.Value), number(rho.Low), number(rho.High)
			}
			j.result.Effects = append(j.result.Effects, out)
		}
	}
	for _, p := range j.data.prompts[:min(effectPrompts, len(j.data.prompts))] {
		for _, trick := range tricks {
			for _, k := range second.answers[p].tricks[trick.ID] {
				if v, ok := t.Calls[k].single(); ok && !trick.Answers {
					j.result.Points = append(j.result.Points, Point{len([]rune(second.completion(k))), v, "trick"})
				}
			}
		}
	}
}

// working are the tricks that work, those that gain most first.
func (r *Result) working() (out []Trick) {
	for _, t := range r.Tricks {
		if t.Works {
			out = append(out, t)
		}
	}
	gain := func(t Trick) float64 { return value(t.Reward) - value(t.Right) }
	slices.SortStableFunc(out, func(a, b Trick) int { return cmp.Compare(gain(b), gain(a)) })
	return out
}

func value(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
