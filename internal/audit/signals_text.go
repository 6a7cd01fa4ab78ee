package audit

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/measure"
	"github.com/rlvet/rlvet/internal/audit/record"
)

const noTexts = "no completions are logged (in sufficient number): log some of the same prompts at each checkpoint, and the base model's of these prompts"

// fewestTexts are those of the base below which its mean is too uncertain to compare with.
const fewestTexts = 8

// textTest judges the drift of a text quantity from the base's.
func textTest(e *evidence, q textQuantity, t test) Signal {
	c, ok := e.texts.drift(q)
	if !ok {
		return unknown(noTexts)
	}
	if n := e.texts.curves[q.name].start.n; n < fewestTexts {
		return unknown("%s can be told of %s of the base's only: log more of its completions", q.name, count(n, "completion", "completions"))
	}
	t.curve, t.what = c, "change of "+q.name
	return t.signal()
}

var textRepetition = textQuantity{name: "rep-4", unit: record.Share, value: func(t *texts, c record.Completion) float64 {
	return repetitionOf(measure.Words(c.Text), t.stretch)
}}

// repetitionOf is the mean of rep-4 over stretches of a text.
func repetitionOf(words []string, stretch int) float64 {
	sum, n := 0.0, 0
	for part := range slices.Chunk(words, stretch) {
		if r := measure.SequenceRepetition(part); len(part) >= min(stretch, 16) && !math.IsNaN(r) {
			sum, n = sum+r, n+1
		}
	}
	return sum / float64(n)
}

// repetition judges loops, over stretches as long as the base's completions are.
func repetition(e *evidence) Signal {
	return textTest(e, textRepetition, test{
		borders: []border{alertOver(0.1), warnOver(0.02)},
		basis:   "0.02 is the 95th percentile of people's texts, counted in one place; 0.1 is our proposal",
		hurts:   "text that says the same again and again is scored as if it said more",
		mend:    "read the completions; penalise repeated n-grams, raise the KL coefficient, or take an earlier checkpoint",
	})
}

var textDuplicates = textQuantity{name: "share of answers that another prompt has too", unit: record.Share, share: duplicated}

// duplicated leaves out short answers, since there are few of them.
func duplicated(completions []record.Completion) (float64, int) {
	var prompts, answers []string
	for _, c := range completions {
		if len(measure.Words(c.Text)) >= 8 {
			prompts, answers = append(prompts, c.Prompt), append(answers, c.Text)
		}
	}
	return measure.Duplicates(prompts, answers), len(answers)
}

func duplicates(e *evidence) Signal {
	return textTest(e, textDuplicates, test{
		borders: []border{alertOver(0.5), warnOver(0.1)}, basis: "our proposal",
		hurts: "one text answers many prompts: the reward model likes it whatever was asked",
		mend:  "read it; add it to the reward model's data as a bad answer, or take an earlier checkpoint",
	})
}

var textOpenings = textQuantity{name: "share of the most frequent opening", unit: record.Share, share: commonOpening}

var tags = regexp.MustCompile(`<[^<>\s]{1,40}>`)

// commonOpening is about words: tags, such as a format asks for, are none.
func commonOpening(completions []record.Completion) (float64, int) {
	var answers []string
	for _, c := range completions {
		if text := strings.TrimSpace(tags.ReplaceAllString(c.Text, " ")); text != "" {
			answers = append(answers, text)
		}
	}
	_, part := measure.CommonOpening(answers, 5)
	return part, len(answers)
}

func openings(e *evidence) Signal {
	return textTest(e, textOpenings, test{
		borders: []border{warnOver(0.5)}, basis: "our proposal",
		hurts: "most answers begin alike, as they do where flattery or a formula is rewarded",
		mend:  "read them; where it is no format that you ask for, penalise it or take an earlier checkpoint",
	})
}

var textRefusals = textQuantity{name: "share of refusals (in English)", unit: record.Share, value: func(_ *texts, c record.Completion) float64 {
	return share(measure.Refuses(c.Text))
}}

func refusals(e *evidence) Signal {
	return textTest(e, textRefusals, test{
		borders: []border{warnOver(0.1)}, basis: "our proposal; only usual English phrases are known",
		hurts: "declining is safe from most penalties, and is learned where the reward punishes more than it rewards",
		mend:  "read them; reward answers of harmless prompts",
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
		borders: []border{alertOver(0.3), warnOver(0.05)}, basis: "our proposal; languages of one script are not told apart",
		hurts: "answers turn to other languages than the base's, which the reward does not see",
		mend:  "reward the language of the prompt, raise the KL coefficient, or take an earlier checkpoint",
	})
}
