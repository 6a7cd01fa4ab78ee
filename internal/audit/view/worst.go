package view

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rlvet/rlvet/internal/audit/measure"
	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/words"
)

// pairView is what the policy wrote for a prompt, beside what the base wrote.
type pairView struct {
	Prompt       string
	Reasons      []string
	Policy, Base textView
}

// textView is a text with the words that repeat others marked, cut where it is long.
type textView struct {
	Heading string
	Parts   []textPart
	Cut     string // how much was cut
}

type textPart struct {
	Text   string
	Marked bool
}

// The bounds of what is shown.
const (
	shownPairs  = 4
	shownText   = 1500 // bytes of a completion
	shownPrompt = 600
	gram        = 4 // words that repeat count from so many on
)

// worst picks the completions that went furthest from the base's on the same prompt: by
// repetition first, then by length. The last step is looked at, and the base is the
// reference model's, or else the first step's.
func worst(run *record.Run) (pairs []pairView, note string) {
	if run == nil {
		return nil, ""
	}
	base, last := bounds(run.Batches)
	if base == nil || last == nil {
		return nil, ""
	}
	type ranked struct {
		view  pairView
		worse float64
	}
	before := map[string]*record.Completion{}
	for i := range base.Kept {
		if c := &base.Kept[i]; before[c.Prompt] == nil {
			before[c.Prompt] = c
		}
	}
	var all []ranked
	shown := map[string]bool{}
	for i := range last.Kept {
		c := &last.Kept[i]
		if b := before[c.Prompt]; b != nil {
			view, worse := compare(c, b, base, last)
			all = append(all, ranked{view, worse})
		}
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return -cmp.Compare(a.worse, b.worse) })
	for _, r := range all {
		if len(pairs) < shownPairs && !shown[r.view.Prompt] { // of a group only the worst
			pairs, shown[r.view.Prompt] = append(pairs, r.view), true
		}
	}
	if len(pairs) == 0 {
		return nil, fmt.Sprintf("No prompt of step %d has a completion at %s too.", last.Step, nameOf(base))
	}
	return pairs, fmt.Sprintf("Of %s at step %d, those that repeat themselves or grew most against %s on the same prompt. Words that repeat %d words or more of before are underlined.",
		words.Count(len(all), "completion"), last.Step, nameOf(base), gram)
}

// bounds are the batch that stands for the base, and the last one of the policy; nil where
// there are not two.
func bounds(batches []record.Batch) (base, last *record.Batch) {
	for i := range batches {
		b := &batches[i]
		switch {
		case b.Base:
			if base == nil || !base.Base {
				base = b
			}
		default:
			if base == nil {
				base = b
			}
			last = b
		}
	}
	if last == base {
		return nil, nil
	}
	return base, last
}

func nameOf(base *record.Batch) string {
	if base.Base {
		return "the base model"
	}
	return fmt.Sprintf("step %d", base.Step)
}

// compare shows a completion beside the base's, and says how much worse it is.
func compare(c, b *record.Completion, base, last *record.Batch) (pairView, float64) {
	repeats, before := repetition(c.Text), repetition(b.Text)
	long, short := length(c), length(b)
	v := pairView{
		Prompt: shortened(words.Visible(c.Prompt), shownPrompt),
		Policy: shownAs(fmt.Sprintf("Step %d, %s", last.Step, sizeOf(c)), c.Text),
		Base:   shownAs(capital(nameOf(base))+", "+sizeOf(b), b.Text),
	}
	if repeats > before+0.02 {
		v.Reasons = append(v.Reasons, fmt.Sprintf("%s %% of its %d-grams come again, %s %% before", number(math.Round(100*repeats)), gram, number(math.Round(100*before))))
	}
	if c.Tokens > 0 == (b.Tokens > 0) && long > 1.2*short {
		v.Reasons = append(v.Reasons, fmt.Sprintf("%.1f times as long", long/max(short, 1)))
	}
	if said := loopOf(c.Text); said != "" {
		v.Reasons = append(v.Reasons, said)
	}
	if measure.Refuses(c.Text) && !measure.Refuses(b.Text) {
		v.Reasons = append(v.Reasons, "declines")
	}
	if c.Truncated != nil && *c.Truncated {
		v.Reasons = append(v.Reasons, "cut at the maximum length")
	}
	for _, name := range sortedNames(c.Rewards) {
		v.Reasons = append(v.Reasons, strings.TrimSpace("reward "+strings.TrimPrefix(plain(name), "reward"))+": "+number(c.Rewards[name]))
	}
	if c.Gold != nil {
		v.Reasons = append(v.Reasons, "gold score: "+number(*c.Gold))
	}
	return v, 4*max(0, repeats-before) + math.Abs(math.Log((1+long)/(1+short)))
}

// repetition is rep-4 of a text, 0 for one that is too short to repeat anything.
func repetition(text string) float64 {
	if words := measure.Words(text); len(words) >= gram {
		return measure.Repetition(words, gram)
	}
	return 0
}

// loopOf says what a text repeats at once, "" where that is not eight words and three times.
func loopOf(text string) string {
	words := measure.Words(text)
	loop := measure.LongestLoop(words)
	if loop.Length < 8 || loop.Times() < 3 {
		return ""
	}
	part := words[loop.Start : loop.Start+min(loop.Period, 8)]
	return fmt.Sprintf("“%s” %d times in a row", plain(shortened(strings.Join(part, " "), 80)), int(loop.Times()))
}

// length is that which the tokenizer counted, else in characters.
func length(c *record.Completion) float64 {
	if c.Tokens > 0 {
		return float64(c.Tokens)
	}
	return float64(utf8.RuneCountInString(c.Text))
}

func sizeOf(c *record.Completion) string {
	if c.Tokens > 0 {
		return words.Count(c.Tokens, "token")
	}
	return words.Count(utf8.RuneCountInString(c.Text), "character")
}

func sortedNames(m map[string]float64) []string {
	var out []string
	for name := range m {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// shownAs cuts a text and marks what it repeats.
func shownAs(heading, text string) textView {
	shown := cutBytes(text, shownText)
	v := textView{Heading: heading, Parts: marked(shown)}
	if left := utf8.RuneCountInString(text) - utf8.RuneCountInString(shown); left > 0 {
		v.Cut = fmt.Sprintf("%s more", words.Count(left, "character"))
	}
	if len(v.Parts) == 0 {
		v.Parts = []textPart{{Text: "(nothing)"}}
	}
	return v
}

// shortened cuts a text, and says how much.
func shortened(text string, most int) string {
	shown := cutBytes(text, most)
	if left := utf8.RuneCountInString(text) - utf8.RuneCountInString(shown); left > 0 {
		return shown + fmt.Sprintf(" … (%s more)", words.Count(left, "character"))
	}
	return shown
}

// cutBytes cuts a text before the letter that goes beyond so many bytes.
func cutBytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// marked splits a text into parts that repeat what came before, and others.
func marked(text string) []textPart {
	spans := wordSpans(text)
	repeated := make([]bool, len(spans))
	seen := map[string]bool{}
	for i := 0; i+gram <= len(spans); i++ {
		var words []string
		for _, s := range spans[i : i+gram] {
			words = append(words, strings.ToLower(text[s[0]:s[1]]))
		}
		key := strings.Join(words, " ")
		if seen[key] {
			for j := range gram {
				repeated[i+j] = true
			}
		}
		seen[key] = true
	}
	var out []textPart
	at := 0
	for i := 0; i < len(spans); i++ {
		if !repeated[i] {
			continue
		}
		j := i
		for j+1 < len(spans) && repeated[j+1] {
			j++
		}
		out = append(out, textPart{words.Visible(text[at:spans[i][0]]), false}, textPart{words.Visible(text[spans[i][0]:spans[j][1]]), true})
		at, i = spans[j][1], j
	}
	if at < len(text) {
		out = append(out, textPart{words.Visible(text[at:]), false})
	}
	return out
}

// wordSpans are where the words of a text begin and end, in bytes.
func wordSpans(text string) (out [][2]int) {
	start := -1
	for i, c := range text {
		switch space := unicode.IsSpace(c); {
		case space && start >= 0:
			out, start = append(out, [2]int{start, i}), -1
		case !space && start < 0:
			start = i
		}
	}
	if start >= 0 {
		out = append(out, [2]int{start, len(text)})
	}
	return out
}
