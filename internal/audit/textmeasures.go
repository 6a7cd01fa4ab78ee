package audit

import (
	"fmt"
	"math"
	"slices"

	"github.com/rlvet/rlvet/internal/audit/measure"
	"github.com/rlvet/rlvet/internal/audit/record"
)

// shownSteps bounds the steps of which the completions are measured in full.
const shownSteps = 12

// textMeasure is what is told of the completions of each step beside the base's. To add one, add
// a row to textTable.
type textMeasure struct {
	name, what string
	unit       record.Unit // that of the lengths where it is ""
	// at measures a step; its Base is NaN where there is nothing to compare with. base measures
	// all of the base's completions, and is nil where that could not be compared with a step.
	at   func(t *texts, s sample) (TextStep, bool)
	base func(t *texts) float64
}

// textTable is the measures in the order in which they are shown.
func textTable(e *evidence) []textMeasure {
	t, base := e.texts, wholeOf(e.texts)
	words := fmt.Sprintf("within stretches of %d words, as long as the base's answers are", t.stretch)
	table := []textMeasure{
		differenceMeasure("length", lengthWords(t.unit), textLength),
		differenceMeasure("characters", "length in characters", textCharacters),
		differenceMeasure("truncated", "completions that were cut at the maximum length", textTruncated),
	}
	if q, ok := e.atLimit(); ok {
		table = append(table, differenceMeasure("at_limit", "completions of "+q.name, q))
	}
	table = append(table,
		differenceMeasure("rep_2", "pairs of words that come again, "+words, textRepetitionOf(2)),
		differenceMeasure("rep_3", "3-grams that come again, "+words, textRepetitionOf(3)),
		differenceMeasure("rep_4", "4-grams that come again, "+words, textRepetition),
		differenceMeasure("seq_rep_4", "4-grams that come again in the whole answer, as papers count (Welleck et al. 2019): longer answers have more", textSequenceRepetition),
		differenceMeasure("longest_loop", "words of an answer in its longest stretch that repeats itself at once", textLoop),
		textMeasure{"distinct_2", "different pairs of words among all, in as many words as the step and the base both have (Li et al. 2016)", record.Share, base.distinct, nil},
		differenceMeasure("duplicates", "answers of eight words or more that another prompt got, too", textDuplicates),
		differenceMeasure("opening", "answers that begin with the step's most frequent five words, and the base's that begin so", textOpenings),
		differenceMeasure("refusals", "answers that decline, by usual English phrases", textRefusals),
		differenceMeasure("other_scripts", "letters in scripts that the base does not use", textScripts),
		textMeasure{"language_distance", "distance of the triples of letters from the base's, from 0 to 1 (Jensen-Shannon): other languages, and other topics; beside it, that of one half of the base's from the other", record.Plain, base.language, nil},
		textMeasure{"length_reward", "rank correlation of length and reward", record.Plain, base.lengthReward, func(*texts) float64 { return base.paid }},
	)
	return append(table, klMeasures...)
}

// klMeasures are the estimators of the KL to the reference, of the log-probs in the completions.
var klMeasures = []textMeasure{
	klMeasure("kl_k1", "the log-prob less the reference's, summed over the tokens: no bias, much noise", measure.K1),
	klMeasure("kl_k2", "half of its square: less noise, too small or too large where the KL is large", measure.K2),
	klMeasure("kl_k3", "r - 1 - ln r, r the reference's probability by the policy's: no bias; a few answers rule it where the KL is large", measure.K3),
}

func lengthWords(unit record.Unit) string {
	if unit == record.Tokens {
		return "length in tokens, as the tokenizer counted them"
	}
	return "length in words, split at white space, as tokens are not logged with every completion"
}

// differenceMeasure is a quantity that signals use, too, or could.
func differenceMeasure(name, what string, q textQuantity) textMeasure {
	at := func(t *texts, s sample) (TextStep, bool) {
		d, ok := t.known(q, s)
		step := stepOf(d)
		if q.indicator && step.Low != nil {
			step.Low, step.High = optional(max(*step.Low, -1)), optional(min(*step.High, 1))
		}
		return step, ok
	}
	return textMeasure{name, what, q.unit, at, func(t *texts) float64 { return mean(t.baseOf(q).units()) }}
}

// known is the difference of a step that a signal has computed, or is to be.
func (t *texts) known(q textQuantity, s sample) (difference, bool) {
	if found, ok := t.compared[q.name]; ok {
		i := slices.IndexFunc(found, func(d difference) bool { return d.step == s.step })
		if i < 0 {
			return difference{}, false
		}
		return found[i], true
	}
	return t.difference(q, s)
}

func stepOf(d difference) TextStep {
	change, reach := d.now-d.base, normal95*math.Hypot(d.own, d.common)
	return TextStep{Value: d.now, Base: optional(d.base), Low: optional(change - reach), High: optional(change + reach), N: d.n, SamePrompts: d.paired}
}

func klMeasure(name, what string, estimate func(logp, ref []float64) (mean, stderr float64)) textMeasure {
	at := func(_ *texts, s sample) (TextStep, bool) {
		var logp, ref []float64
		for _, c := range s.completions {
			if c.LogProb != nil && c.ReferenceLogProb != nil {
				logp, ref = append(logp, *c.LogProb), append(ref, *c.ReferenceLogProb)
			}
		}
		mean, stderr := estimate(logp, ref)
		return TextStep{Value: mean, Low: optional(mean - normal95*stderr), High: optional(mean + normal95*stderr), N: len(logp)}, len(logp) > 0
	}
	return textMeasure{name, what, record.NatsPerSequence, at, nil}
}

// whole is what is needed of the base's completions to compare all of them with all of a step.
type whole struct {
	words    [][]string
	trigrams map[string]float64
	halves   float64 // distance of one half from the other
	paid     float64 // rank correlation of length and reward
}

func wholeOf(t *texts) whole {
	all := textsOf(t.base.completions)
	one, other := measure.Sum(all[:len(all)/2], measure.Trigrams), measure.Sum(all[len(all)/2:], measure.Trigrams)
	w := whole{words: wordsOf(t.base.completions), trigrams: other, halves: measure.JensenShannon(one, other), paid: t.paidAt(t.base).correlation().Value}
	for trigram, n := range one {
		w.trigrams[trigram] += n
	}
	return w
}

// distinct compares corpora of one size, since the larger one repeats more.
func (w whole) distinct(t *texts, s sample) (TextStep, bool) {
	now := wordsOf(s.completions)
	size := min(total(now), total(w.words))
	value, before := measure.Distinct(firstWords(now, size), 2), measure.Distinct(firstWords(w.words, size), 2)
	return t.step(s, value, before), true
}

func wordsOf(completions []record.Completion) (all [][]string) {
	for _, c := range completions {
		all = append(all, piecesOf(c.Text))
	}
	return all
}

func total(texts [][]string) (n int) {
	for _, words := range texts {
		n += len(words)
	}
	return n
}

// firstWords are the texts as far as they have so many words together.
func firstWords(texts [][]string, most int) (cut [][]string) {
	for _, words := range texts {
		n := min(most, len(words))
		cut, most = append(cut, words[:n]), most-n
	}
	return cut
}

// language tells languages of one script apart, but not from topics and formats.
func (w whole) language(t *texts, s sample) (TextStep, bool) {
	now := measure.Sum(textsOf(s.completions), measure.Trigrams)
	return t.step(s, measure.JensenShannon(now, w.trigrams), w.halves), true
}

func (w whole) lengthReward(t *texts, s sample) (TextStep, bool) {
	return t.step(s, t.paidAt(s).correlation().Value, w.paid), true
}

// step is a measure of all completions of a step together, of which no interval is known.
func (t *texts) step(s sample, value, base float64) TextStep {
	d, _ := t.known(textLength, s)
	return TextStep{Value: value, Base: optional(base), N: len(s.completions), SamePrompts: d.paired}
}

// correlation is the rank correlation of length and reward.
func (p paid) correlation() measure.Interval { return measure.Spearman(p.lengths, p.rewards) }

// optional is nil for what is not finite.
func optional(v float64) *float64 {
	if !finite(v) {
		return nil
	}
	return &v
}

// measures are what is told of the completions that are not the base's own; nil without any.
func (e *evidence) measures() *Texts {
	steps := slices.DeleteFunc(slices.Clone(e.texts.judged), func(s sample) bool { return s.step <= e.texts.ownUntil })
	steps = measure.Evenly(steps, shownSteps)
	if len(steps) == 0 {
		return nil
	}
	out := &Texts{Base: e.texts.origin, Measures: []TextMeasure{}}
	for _, m := range textTable(e) {
		row := TextMeasure{Name: m.name, What: m.what, Unit: m.unit, Steps: []TextStep{}}
		if m.base != nil {
			row.Base = optional(m.base(e.texts))
		}
		if row.Unit == "" {
			row.Unit = e.texts.unit
		}
		for _, s := range steps {
			if step, ok := m.at(e.texts, s); ok && finite(step.Value) {
				step.Step = s.step
				row.Steps = append(row.Steps, step)
			}
		}
		if len(row.Steps) > 0 {
			out.Measures = append(out.Measures, row)
		}
	}
	return out
}
