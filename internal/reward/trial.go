package reward

import (
	"math"
	"slices"
	"strings"
)

// formTrial is the first run: forms of the right answer.
type formTrial struct {
	batch
	forms   []form
	entries []formEntry
}

// formEntry is what a call of the first run tries.
type formEntry struct {
	form            int
	prompt          *prompt
	wrong, messages bool
	at              int
}

// The prompts of the first run: the right answer is tried on some, and a wrong one on fewer.
const (
	formPrompts  = 3
	wrongPrompts = 2
)

// tryForms says right and wrong answers in all forms. Where only the function knows whether it
// takes messages, both are tried.
func (j *job) tryForms() *formTrial {
	t := &formTrial{forms: formsIn(j.code)}
	if slices.ContainsFunc(j.data.prompts, func(p *prompt) bool { return p.Full != p.Answer }) {
		t.forms = append(t.forms, form{"the column as it is", "", "{answer}", true})
	}
	if j.Form != "" {
		t.forms = []form{formOf("that of --form", j.Form)}
	}
	ways := []bool{j.data.messages}
	if !j.data.messages && readsContent.MatchString(j.code) {
		ways = []bool{false, true}
	}
	for i, p := range j.data.prompts[:min(formPrompts, len(j.data.prompts))] {
		for _, messages := range ways {
			for k, f := range t.forms {
				t.entries = append(t.entries, formEntry{k, p, false, messages, t.add(f.Name, messages, p, f.right(p))})
				if i < wrongPrompts {
					t.entries = append(t.entries, formEntry{k, p, true, messages, t.add(f.Name, messages, p, f.wrong(p, 0))})
				}
			}
		}
	}
	return t
}

// choose takes the form in which the right answer gets most, of those in which it gets more
// than a wrong one; without such a form, of all.
func (j *job) choose(t *formTrial, told *told) {
	failed := map[bool]int{}
	for _, e := range t.entries {
		if o := told.Calls[e.at]; o.Status == "raised" {
			failed[e.messages]++
		}
	}
	both := slices.ContainsFunc(t.entries, func(e formEntry) bool { return e.messages != t.entries[0].messages })
	messages := t.entries[0].messages
	if both {
		if messages = failed[true] < failed[false]; messages && j.data.plain {
			j.say("the function is called with messages: with text, as the prompts of the data are, it raises")
		}
	}
	best, bestRight, bestGap := 0, math.Inf(-1), false
	for k := range t.forms {
		var right, wrong []float64
		for _, e := range t.entries {
			if v, ok := told.Calls[e.at].single(); ok && e.form == k && e.messages == messages {
				if e.wrong {
					wrong = append(wrong, v)
				} else {
					right = append(right, v)
				}
			}
		}
		if len(right) == 0 {
			continue
		}
		gap := len(wrong) > 0 && mean(right[:min(len(right), len(wrong))]) > mean(wrong)+tolerance
		if m := mean(right); gap && !bestGap || gap == bestGap && m > bestRight+tolerance {
			best, bestRight, bestGap = k, m, gap
		}
	}
	j.result.Messages = messages
	j.form = t.forms[best]
	j.result.Form = Form{Name: j.form.Name, Template: j.form.template(), Judged: bestGap}
}

// single is the reward of a call with one completion.
func (o *outcome) single() (float64, bool) {
	if o.Status != "returned" || len(o.Rewards) != 1 || o.StandIn {
		return math.NaN(), false
	}
	v := float64(o.Rewards[0])
	return v, !math.IsNaN(v) && !math.IsInf(v, 0)
}

// tolerance is what rewards may differ by and be the same.
const tolerance = 1e-6

func mean(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// trickTrial is the second run: tricks in the form of the right answer.
type trickTrial struct {
	batch
	answers map[*prompt]*answers
	effects []effectEntry
	groups  []*group
}

// answers are the calls of a prompt, one completion each.
type answers struct {
	right  int
	lines  int // the right answer behind reasoning of several lines; -1 where the form has none
	wrong  []int
	tricks map[string][]int // by ID
}

// effectEntry is a completion of an effect.
type effectEntry struct {
	effect, level int
	prompt        *prompt
	wrong         bool
	at            int
}

// group is a batch that is scored three times: twice as it is, and in another order.
type group struct {
	prompts, texts []int
	first, again   int
	// order is the place in the first batch of each completion of the other.
	other int
	order []int
	mixed bool // of several prompts
}

// effectPrompts bound the prompts on which effects are measured, groupPrompts those of which
// groups are scored in batches.
const (
	effectPrompts = 8
	groupPrompts  = 3
)

// tryTricks makes the calls of the second run: what matters most comes first, since time may
// be over before all are made.
func (j *job) tryTricks(f *function) *trickTrial {
	s := &setting{form: j.form, words: wordsOf(f.Text)}
	for _, p := range j.data.prompts {
		if !slices.Contains(s.others, p.Answer) {
			s.others = append(s.others, p.Answer)
		}
	}
	t := &trickTrial{answers: map[*prompt]*answers{}}
	for i, p := range j.data.prompts {
		t.answersOf(j, s, p)
		if i < groupPrompts {
			t.groupOf(j, []*prompt{p}, s)
		}
		if i == min(2, len(j.data.prompts)-1) && len(j.data.prompts) > 1 {
			t.groupOf(j, j.data.prompts, s)
		}
	}
	for _, p := range j.data.prompts[:min(effectPrompts, len(j.data.prompts))] {
		t.effectsOf(j, p)
	}
	return t
}

// answersOf adds the calls for a prompt, each with one completion.
func (t *trickTrial) answersOf(j *job, s *setting, p *prompt) {
	a := &answers{tricks: map[string][]int{}}
	t.answers[p] = a
	messages := j.result.Messages
	a.right, a.lines = t.add("right answer", messages, p, j.form.right(p)), -1
	if text, ok := j.form.inLines(p); ok {
		a.lines = t.add("reasoning of several lines", messages, p, text)
	}
	for i := range min(2, len(p.Wrong)) {
		a.wrong = append(a.wrong, t.add("wrong answer", messages, p, j.form.wrong(p, i)))
	}
	for _, trick := range tricks {
		for _, text := range trick.Texts(s, p) {
			a.tricks[trick.ID] = append(a.tricks[trick.ID], t.add(trick.ID, messages, p, text))
		}
	}
}

// groupOf adds the batches of some prompts: all completions of one, or the right and a wrong one of each.
func (t *trickTrial) groupOf(j *job, prompts []*prompt, s *setting) {
	g := &group{mixed: len(prompts) > 1}
	add := func(p *prompt, text string) {
		g.prompts, g.texts = append(g.prompts, p.Order), append(g.texts, t.text(text))
	}
	for _, p := range prompts {
		add(p, j.form.right(p))
		add(p, j.form.wrong(p, 0))
		if g.mixed {
			continue
		}
		for _, trick := range tricks {
			if texts := trick.Texts(s, p); len(texts) > 0 {
				add(p, texts[0])
			}
		}
	}
	batch := func(order []int) int {
		c := call{Kind: "batch", Messages: j.result.Messages}
		for _, i := range order {
			c.Prompts, c.Completions = append(c.Prompts, g.prompts[i]), append(c.Completions, g.texts[i])
		}
		t.calls = append(t.calls, c)
		return len(t.calls) - 1
	}
	straight := make([]int, len(g.texts))
	for i := range straight {
		straight[i] = i
		g.order = append(g.order, (i*7+3)%len(g.texts)) // a shuffle, where 7 does not divide the number
	}
	if len(g.texts)%7 == 0 {
		g.order = slices.Clone(straight)
		slices.Reverse(g.order)
	}
	g.first, g.again, g.other = batch(straight), batch(straight), batch(g.order)
	t.groups = append(t.groups, g)
}

// effectsOf adds completions that differ in one respect.
func (t *trickTrial) effectsOf(j *job, p *prompt) {
	for e := range effects {
		for level, at := range effects[e].Levels {
			for _, wrong := range []bool{false, true} {
				answer := p.Answer
				if wrong {
					answer = p.Wrong[0]
				}
				k := t.add(effects[e].ID, j.result.Messages, p, effects[e].Text(j.form, p, answer, at))
				t.effects = append(t.effects, effectEntry{e, level, p, wrong, k})
			}
		}
	}
}

// wordsOf are strings of the function's code that a completion can hold.
func wordsOf(texts []string) (out []string) {
	for _, text := range texts {
		// Patterns are taken apart into the words that they look for.
		plain := strings.NewReplacer(`\n`, "\n", `\s*`, " ", `\s+`, " ", `.*?`, "", `.*`, "", `(?:`, "", "|", "\n", "(", "", ")", "", "^", "", "$", "", `\b`, "", `\d+`, "1", `\`, "").Replace(text)
		for _, line := range append(strings.Split(plain, "\n"), text) {
			if line = strings.TrimSpace(line); len(line) > 1 && len(line) < 80 && !slices.Contains(out, line) && len(out) < 60 {
				out = append(out, line)
			}
		}
	}
	return out
}
