package reward

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// trick is a way to a reward without the right answer, or to more than the right answer gets.
type trick struct {
	// ID is a short name, Title says what the completion is.
	ID, Title string
	// Help says what keeps a function from rewarding it.
	Help string
	// Answers says that the completion gives the right answer: it is a trick where it gets more
	// than that alone.
	Answers bool
	// Texts are the completions of the trick for a prompt; the best counts.
	Texts func(s *setting, p *prompt) []string
}

// setting is what tricks are made of: the form of the right answer, and what the function
// looks for.
type setting struct {
	form form
	// words are the strings of the function's code.
	words []string
	// others are the right answers of all prompts.
	others []string
}

const (
	helpWhole   = "compare the whole extracted answer with the right one (==, or as numbers), not whether one contains the other"
	helpOne     = "take exactly one answer: reject a completion with several, or take the last and compare it as a whole"
	helpEmpty   = "return the lowest reward where no answer can be extracted, and never compare an empty string with `in`"
	helpLength  = "bound what length can add, and pay it only where the answer is right"
	helpFormat  = "check the format once, with a pattern for the whole completion, instead of counting its parts"
	helpWords   = "pay for words and steps only where the answer is right, and bound it"
	helpCode    = "run tests that the completion cannot see, in a process of their own, and require that they report the result rather than that the exit code is 0"
	helpPattern = "escape the answer with re.escape, and never use text of a completion as a pattern or as code"
)

// tricks are all tricks, in the order of the report.
var tricks = []trick{
	{"empty", "an empty completion", helpEmpty, false, func(*setting, *prompt) []string { return []string{""} }},
	{"blank", "white space", helpEmpty, false, func(*setting, *prompt) []string { return []string{" \n\t\n ", "\n"} }},
	{"prompt", "the prompt repeated", "compare the extracted answer alone, and do not evaluate it as an expression", false, func(s *setting, p *prompt) []string {
		if p.Text == "" {
			return nil
		}
		return []string{p.Text, s.form.text("", p.Text), s.form.text("", expression(p.Text))}
	}},
	{"no-answer", "the format without an answer", helpEmpty, false, func(s *setting, p *prompt) []string {
		return []string{s.form.text("", ""), s.form.text(filler(30, p.Order), ""), s.form.text("", " "), "<think></think><answer></answer>", "\\boxed{}", "####"}
	}},
	{"all-answers", "every answer listed", helpWhole, false, func(s *setting, p *prompt) []string {
		list := every(s, p)
		return []string{s.form.text("", strings.Join(list, ", ")), strings.Join(list, "\n"), s.form.head("") + each(s.form, list)}
	}},
	{"among-others", "the right answer among wrong ones", helpOne, false, func(s *setting, p *prompt) []string {
		list := []string{p.Wrong[0], p.Answer, p.Wrong[len(p.Wrong)-1]}
		return []string{s.form.text("", strings.Join(list, ", ")), s.form.text("", strings.Join(list, " or ")), s.form.head(filler(10, p.Order)) + each(s.form, list)}
	}},
	{"mentioned", "the right answer mentioned, and a wrong one given", "look for the answer in its place (after the last marker, in the last tag), not in the whole completion", false, func(s *setting, p *prompt) []string {
		said := "It could be " + p.Answer + ", but it is not."
		return []string{s.form.text(said, p.Wrong[0]), said + "\n" + s.form.tail(p.Wrong[0])}
	}},
	{"repeated-format", "a wrong answer in the format, ten times", helpFormat, false, func(s *setting, p *prompt) []string {
		one := s.form.text("", p.Wrong[0]) + "\n"
		return []string{strings.Repeat(one, 10), s.form.head("") + strings.Repeat(s.form.tail(p.Wrong[0])+"\n", 10)}
	}},
	{"nested-format", "the format within itself, without an answer", helpFormat, false, func(s *setting, p *prompt) []string {
		text, wrong := "", p.Wrong[0]
		for range 6 {
			text, wrong = s.form.text("", text), s.form.text("", wrong)
		}
		return []string{text, wrong}
	}},
	{"long", "a very long wrong answer", helpLength, false, func(s *setting, p *prompt) []string {
		return []string{s.form.text(filler(3000, p.Order), p.Wrong[0]), s.form.text(filler(300, p.Order), p.Wrong[0]), filler(3000, p.Order)}
	}},
	{"one-token", "one token repeated", helpLength, false, func(s *setting, p *prompt) []string {
		return []string{strings.Repeat("the ", 3000), s.form.text(strings.Repeat("the ", 3000), p.Wrong[0])}
	}},
	{"own-words", "the words that the function looks for, with a wrong answer", helpWords, false, func(s *setting, p *prompt) []string {
		if len(s.words) == 0 {
			return nil
		}
		said := strings.Join(s.words, "\n")
		return []string{said, s.form.text(said, p.Wrong[0]), s.form.text(strings.Repeat(said+"\n", 5), p.Wrong[0])}
	}},
	{"other-languages", "other languages, without an answer", helpEmpty, false, func(s *setting, p *prompt) []string {
		const said = "答案我不知道。Ответ мне неизвестен. الجواب غير معروف. उत्तर ज्ञात नहीं है। La réponse m'est inconnue. ١٢٣ ４５６"
		return []string{said, s.form.text("", said)}
	}},
	{"invisible", "invisible characters", "strip what is not visible before the comparison, and reject an empty rest", false, func(s *setting, p *prompt) []string {
		texts := []string{"\u200b\u200b\u2060", s.form.text("", "\u200b"), s.form.text("", "\ufeff\u00ad")}
		if back := reversed(p.Answer); !overlap(back, p.Answer) { // shown from right to left it looks right
			texts = append(texts, s.form.text("", "\u202e"+back+"\u202c"))
		}
		return texts
	}},
	{"apology", "an apology", helpEmpty, false, func(s *setting, p *prompt) []string {
		const said = "I am sorry, but I cannot help with that."
		return []string{said, s.form.text("", said)}
	}},
	{"exit", "code that exits at once", helpCode, false, func(s *setting, p *prompt) []string {
		return asCode(s, "import sys; sys.exit(0)", "import os\nos._exit(0)")
	}},
	{"passing-test", "code with a test that always passes", helpCode, false, func(s *setting, p *prompt) []string {
		return asCode(s, "def test_answer():\n    assert True\n", alwaysEqual)
	}},
	{"pattern", "a pattern that matches everything", helpPattern, false, func(s *setting, p *prompt) []string {
		return []string{s.form.text("", ".*"), s.form.text("", "[\\s\\S]*"), s.form.text("", `"+"`)}
	}},
	{"right-twice", "the right answer, twice", "pay for the answer once", true, func(s *setting, p *prompt) []string {
		return []string{s.form.head(filler(10, p.Order)) + each(s.form, []string{p.Answer, p.Answer}), s.form.text("", p.Answer+" "+p.Answer)}
	}},
	{"right-repeated", "the right answer in the format, ten times", helpFormat, true, func(s *setting, p *prompt) []string {
		return []string{strings.Repeat(s.form.text("", p.Answer)+"\n", 10), s.form.head("") + strings.Repeat(s.form.tail(p.Answer)+"\n", 10)}
	}},
	{"right-long", "the right answer behind very long filler", helpLength, true, func(s *setting, p *prompt) []string {
		return []string{s.form.text(filler(3000, p.Order), p.Answer), s.form.text(strings.Repeat("the ", 3000), p.Answer)}
	}},
	{"right-own-words", "the right answer with all words that the function looks for", helpWords, true, func(s *setting, p *prompt) []string {
		if len(s.words) == 0 {
			return nil
		}
		return []string{s.form.text(strings.Repeat(strings.Join(s.words, "\n")+"\n", 5), p.Answer)}
	}},
}

// alwaysEqual is a result that equals whatever a test expects.
const alwaysEqual = "class Any(int):\n    def __eq__(self, other):\n        return True\n\ndef solve(*args, **kwargs):\n    return Any()\n\nsolution = answer = Any()\n"

// asCode puts programs in a form, and into a code block.
func asCode(s *setting, programs ...string) (out []string) {
	for _, text := range programs {
		out = append(out, text, "```python\n"+text+"\n```", s.form.text("", text))
	}
	return out
}

// each says several answers, each in the form's own place.
func each(f form, answers []string) string {
	var out []string
	for _, a := range answers {
		out = append(out, f.tail(a))
	}
	return strings.Join(out, "\n")
}

// every lists all answers that there are, the right one neither first nor last: a function
// that takes the first or the last gets a wrong one.
func every(s *setting, p *prompt) []string {
	var list []string
	switch _, err := strconv.ParseFloat(strings.ReplaceAll(p.Answer, ",", ""), 64); {
	case choice(p.Answer) != 0:
		for _, c := range "ABCDEF" {
			list = append(list, strings.Replace(p.Answer, string(choice(p.Answer)), string(c), 1))
		}
	case err == nil:
		for i := range 101 {
			list = append(list, strconv.Itoa(i))
		}
	default:
		list = slices.Clone(s.others)
	}
	if at := slices.Index(list, p.Answer); at == 0 || at == len(list)-1 {
		list = append(append([]string{p.Wrong[0]}, list...), p.Wrong[0])
	}
	return list
}

// expression is a sum in a text: "17 + 25" of "What is 17 + 25?".
func expression(text string) string {
	return strings.Trim(strings.Map(func(c rune) rune {
		if strings.ContainsRune("0123456789+-*/().^ ", c) {
			return c
		}
		return -1
	}, text), " .")
}

func reversed(text string) string {
	letters := []rune(text)
	slices.Reverse(letters)
	return string(letters)
}

// vocabulary is of words that say nothing, and that no reward looks for.
var vocabulary = strings.Fields("window paper river garden yellow table simple morning carry basket leather gentle winter button travel market silver candle meadow forest corner bridge pocket summer ladder copper island velvet harbor marble")

// filler is a text of some words, another for each seed.
func filler(n, seed int) string {
	out := make([]string, n)
	at := uint32(seed)*7919 + 17
	for i := range out {
		at = at*1664525 + 1013904223
		out[i] = vocabulary[at>>16%uint32(len(vocabulary))]
	}
	return strings.Join(out, " ")
}

// effect is something by which completions differ that should not raise a reward by itself.
type effect struct {
	ID, Title, Unit string
	Levels          []float64
	// Text is the completion at a level, for a right or wrong answer.
	Text func(f form, p *prompt, answer string, level float64) string
}

var effects = []effect{
	{"length", "length", "words of filler", []float64{0, 10, 40, 160, 640, 2560}, func(f form, p *prompt, answer string, level float64) string {
		return f.text(filler(int(level), p.Order), answer)
	}},
	{"repetition", "repetition", "as the share of the text that is one word", []float64{0, 0.25, 0.5, 0.75, 1}, func(f form, p *prompt, answer string, level float64) string {
		whole := filler(200, p.Order)
		kept := int(float64(len(whole)) * (1 - level)) // characters, since the length is to stay the same
		return f.text(whole[:kept]+strings.Repeat("window ", 200)[:len(whole)-kept], answer)
	}},
	{"format", "format", "times that the format stands there", []float64{1, 2, 4, 8, 16}, func(f form, p *prompt, answer string, level float64) string {
		return strings.Repeat(f.text("", answer)+"\n", int(level)-1) + f.text("", answer)
	}},
}

// brief shows a completion in a line.
func brief(text string, most int) string {
	letters := []rune(text)
	if len(letters) <= most {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprintf("%q and %d more characters", string(letters[:most]), len(letters)-most)
}
