package audit

import (
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/rlvet/rlvet/internal/audit/measure"
	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/words"
)

const noTexts = "no completions are logged, or too few; log answers to the same prompts at each checkpoint, and the base model's answers to them"

// textTest judges the drift of a text quantity from the base's.
func textTest(e *evidence, q textQuantity, t test) Signal {
	c, ok := e.texts.drift(q)
	if !ok && len(e.texts.steps) == 0 {
		return unknown(noTexts)
	}
	if n := len(e.texts.baseOf(q).units()); n < fewestTexts {
		return unknown("%s: the base has usable completions of %s only; log its completions of more prompts", q.name, words.Count(n, "prompt"))
	}
	if !ok {
		return unknown("%s: no step has long enough completions of %d prompts", q.name, fewestTexts)
	}
	t.curve, t.what = c, "change in "+q.name
	return t.signal()
}

// What is counted of words that come again.
var (
	textRepetition         = textRepetitionOf(4)
	textSequenceRepetition = textQuantity{name: "seq-rep-4", unit: record.Share, value: func(_ *texts, c record.Completion) float64 {
		return measure.Repetition(piecesOf(c.Text), 4)
	}}
	textLoop = textQuantity{name: "longest loop", unit: record.Share, value: func(_ *texts, c record.Completion) float64 {
		words := piecesOf(c.Text)
		return float64(measure.LongestLoop(words).Length) / float64(len(words))
	}}
)

func textRepetitionOf(n int) textQuantity {
	return textQuantity{name: fmt.Sprintf("rep-%d", n), unit: record.Share, value: func(t *texts, c record.Completion) float64 {
		return repetitionOf(piecesOf(c.Text), n, t.stretch)
	}}
}

// longestWord is the number of characters up to which something without a space is a word.
const longestWord = 40

// piecesOf are the words of a text; what is too long for one, as "hahaha..." is, by characters.
func piecesOf(text string) []string {
	words := measure.Words(text)
	var pieces []string
	for i, w := range words {
		if len(w) <= longestWord || measure.Characters(w) <= longestWord {
			if pieces != nil {
				pieces = append(pieces, w)
			}
			continue
		}
		if pieces == nil {
			pieces = slices.Clone(words[:i])
		}
		pieces = append(pieces, measure.Runes(w)...)
	}
	if pieces == nil {
		return words
	}
	return pieces
}

// repetitionOf is rep-n within stretches of a text, over all of their n-grams; NaN for a text
// that is too short to repeat anything.
func repetitionOf(words []string, n, stretch int) float64 {
	if len(words) < shortestStretch {
		return math.NaN()
	}
	again, all := 0.0, 0.0
	for part := range slices.Chunk(words, stretch) {
		if grams := float64(len(part) + 1 - n); grams > 0 {
			again, all = again+grams*measure.Repetition(part, n), all+grams
		}
	}
	return again / all
}

// repetition judges loops, over stretches as long as the base's completions are.
func repetition(e *evidence) Signal {
	return textTest(e, textRepetition, test{
		borders: []border{alertOver(0.1), warnOver(0.02)},
		basis:   "0.02 is the 95th percentile of human texts in one sample; 0.1 is our choice",
		hurts:   "repetitive text is scored as if it said more",
		help:    "read the completions; penalise repeated n-grams, " + raiseKL + ", or take an earlier checkpoint",
	})
}

var textDuplicates = textQuantity{
	name: "share of answers that another prompt has too", unit: record.Share, indicator: true,
	among: func(now, base []record.Completion) (values, bases []float64) {
		return duplicated(now), duplicated(base)
	},
}

// duplicated leaves out short answers, since there are few of them, and answers of which it is
// not known what they answer, or which all answer one prompt.
func duplicated(completions []record.Completion) []float64 {
	var prompts, answers []string
	values, long := make([]float64, len(completions)), []int{}
	for i, c := range completions {
		values[i] = math.NaN()
		if c.Prompt != "" && len(measure.Words(c.Text)) >= shortestAnswer {
			prompts, answers, long = append(prompts, c.Prompt), append(answers, c.Text), append(long, i)
		}
	}
	if len(long) == 0 || !slices.ContainsFunc(prompts, func(p string) bool { return p != prompts[0] }) {
		return values
	}
	for k, copied := range measure.Duplicates(prompts, answers) {
		values[long[k]] = share(copied)
	}
	return values
}

// mostCopied is the answer that most prompts got.
func mostCopied(completions []record.Completion) string {
	var copies []string
	for i, copied := range duplicated(completions) {
		if copied == 1 {
			copies = append(copies, completions[i].Text)
		}
	}
	return measure.MostFrequent(copies)
}

// quoting adds to a signal that warns or alerts what it is about, as the last step has it.
func quoting(e *evidence, of func([]record.Completion) string, s Signal) Signal {
	if s.Level != Warn && s.Level != Alert {
		return s
	}
	last := e.texts.steps[len(e.texts.steps)-1]
	if quoted := measure.Beginning(of(last.completions), 12); quoted != "" {
		s.Note += fmt.Sprintf("; at step %d it is most often %q", last.step, quoted)
	}
	return s
}

// shortestAnswer is the number of words from which on it says something that two are equal.
const shortestAnswer = 8

// tooShort says that most answers of the last step are too short to tell copies, and how many are
// equal; "" where they are not.
func (t *texts) tooShort() string {
	if len(t.steps) == 0 {
		return ""
	}
	last := t.steps[len(t.steps)-1]
	if 2*shortAnswers(last.completions) <= len(last.completions) {
		return ""
	}
	return fmt.Sprintf("%d of %d answers at step %d are shorter than eight words (base: %d of %d); short answers, such as a number, can rightly repeat across prompts; the most frequent is %s: read some",
		shortAnswers(last.completions), len(last.completions), last.step, shortAnswers(t.base.completions), len(t.base.completions), frequent(last.completions))
}

func shortAnswers(completions []record.Completion) (n int) {
	for _, c := range completions {
		n += int(share(len(measure.Words(c.Text)) < shortestAnswer))
	}
	return n
}

// frequent quotes the most frequent answer, and says of how many it is.
func frequent(completions []record.Completion) string {
	all := textsOf(completions)
	most, n := measure.MostFrequent(all), 0
	for _, text := range all {
		n += int(share(text == most))
	}
	return fmt.Sprintf("%q, %d times", measure.Beginning(most, shortestAnswer), n)
}

func duplicates(e *evidence) Signal {
	if len(e.texts.steps) > 0 && !e.texts.asked() {
		return unknown("the completions are logged without their prompts, or for too few, so repeated answers cannot be counted; log the prompt with each completion")
	}
	s := quoting(e, mostCopied, textTest(e, textDuplicates, test{
		borders: []border{alertOver(0.5), warnOver(0.1)}, basis: "our choice",
		hurts: "one text answers many prompts: the reward model likes it whatever was asked",
		help:  "read it; add it to the reward model's training data as a bad answer, or take an earlier checkpoint",
	}))
	if short := e.texts.tooShort(); short != "" && s.Level == OK {
		return unknown("%s", short)
	}
	return s
}

// textOpenings is the share that begins as most of the step's do, and of the base's that begin
// so, too.
var textOpenings = textQuantity{
	name: "share of the most frequent opening", unit: record.Share, indicator: true,
	among: func(now, base []record.Completion) (values, bases []float64) {
		opening := commonOpening(now)
		return beginning(now, opening), beginning(base, opening)
	},
}

var tags = regexp.MustCompile(`<[^<>\s]{1,40}>`)

// openingOf is about words: tags, such as a format asks for, are none.
func openingOf(c record.Completion) string {
	return measure.Opening(tags.ReplaceAllString(c.Text, " "), 5)
}

func commonOpening(completions []record.Completion) string {
	openings := make([]string, len(completions))
	for i, c := range completions {
		openings[i] = openingOf(c)
	}
	return measure.MostFrequent(openings)
}

// beginning leaves out completions without words.
func beginning(completions []record.Completion, opening string) []float64 {
	values := make([]float64, len(completions))
	for i, c := range completions {
		values[i] = math.NaN()
		if first := openingOf(c); first != "" {
			values[i] = share(first == opening)
		}
	}
	return values
}

func openings(e *evidence) Signal {
	return quoting(e, commonOpening, textTest(e, textOpenings, test{
		borders: []border{warnOver(0.5)}, basis: "our choice",
		hurts: "most answers begin alike, as happens when flattery or a formula is rewarded",
		help:  "read them; unless you ask for this format, penalise it or take an earlier checkpoint",
	}))
}

var textRefusals = textQuantity{name: "share of refusals (in English)", unit: record.Share, indicator: true, value: func(_ *texts, c record.Completion) float64 {
	return share(measure.Refuses(c.Text))
}}

func refusals(e *evidence) Signal {
	return textTest(e, textRefusals, test{
		borders: []border{warnOver(0.1)}, basis: "our choice; only common English phrases are known",
		hurts: "refusing avoids most penalties, and is learned where the reward punishes more than it rewards",
		help:  "read them; reward answers to harmless prompts",
	})
}

var textScripts = textQuantity{name: "share of letters in scripts that the base does not use", unit: record.Share, value: func(t *texts, c record.Completion) float64 {
	return foreign(t.scripts, measure.Scripts(c.Text))
}}

// foreign is the share of letters in scripts that make up less than one in a hundred of
// the base's letters; NaN for a text without letters.
func foreign(base, text map[string]float64) float64 {
	known, letters, other := 0.0, 0.0, 0.0
	for _, n := range base {
		known += n
	}
	for script, n := range text {
		letters += n
		if script != "Common" && 100*base[script] < known {
			other += n
		}
	}
	return other / letters
}

func scriptDrift(e *evidence) Signal {
	return textTest(e, textScripts, test{
		borders: []border{alertOver(0.3), warnOver(0.05)}, basis: "our choice; languages that share a script are not told apart",
		hurts: "answers switch to languages that the base does not use, and the reward does not see it",
		help:  "reward the language of the prompt, " + raiseKL + ", or take an earlier checkpoint",
	})
}
