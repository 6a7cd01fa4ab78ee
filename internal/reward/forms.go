package reward

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// form is how a completion says its answer: a template in two parts. Head has {reasoning}, if
// anything; Tail has {answer}. Full says that the answer is all that the column of the data says.
type form struct {
	Name, Head, Tail string
	Full             bool
}

// right is the right answer to a prompt in the form.
func (f form) right(p *prompt) string {
	if f.Full {
		return f.text("", p.Full)
	}
	return f.text(filler(usualWords, p.Order), p.Answer)
}

// inLines is the right answer behind the same reasoning in several lines, false where there is none.
func (f form) inLines(p *prompt) (string, bool) {
	if f.Full || !strings.Contains(f.Head, reasoningPlace) || strings.Contains(f.Head, `"`+reasoningPlace) {
		return "", false
	}
	words := strings.Fields(filler(usualWords, p.Order))
	half := len(words) / 2
	return f.text(strings.Join(words[:half], " ")+"\n"+strings.Join(words[half:], " "), p.Answer), true
}

// wrong is a wrong one.
func (f form) wrong(p *prompt, i int) string {
	return f.text(filler(usualWords, p.Order), p.Wrong[i%len(p.Wrong)])
}

// usualWords are those before an answer that is not about length.
const usualWords = 12

// The places of a form.
const (
	reasoningPlace = "{reasoning}"
	answerPlace    = "{answer}"
)

// text is a completion.
func (f form) text(reasoning, answer string) string { return f.head(reasoning) + f.tail(answer) }

func (f form) head(reasoning string) string {
	return strings.Replace(f.Head, reasoningPlace, reasoning, 1)
}

// tail is the part that says the answer. In a string of JSON it is escaped.
func (f form) tail(answer string) string {
	if strings.Contains(f.Tail, `"`+answerPlace+`"`) {
		quoted, _ := json.Marshal(answer)
		answer = string(quoted[1 : len(quoted)-1])
	}
	return strings.Replace(f.Tail, answerPlace, answer, 1)
}

// template is the whole of it, as --form takes it.
func (f form) template() string { return f.Head + f.Tail }

// formOf makes a form of a template.
func formOf(name, template string) form {
	at := strings.Index(template, answerPlace)
	if thought := strings.Index(template, reasoningPlace); thought >= 0 && thought < at {
		// What follows the reasoning up to a line end or a closing tag belongs to it.
		end := thought + len(reasoningPlace)
		if next := regexp.MustCompile(`^\s*(</\w+>\s*)?`).FindString(template[end:at]); next != "" {
			end += len(next)
		}
		return form{Name: name, Head: template[:end], Tail: template[end:]}
	}
	return form{Name: name, Tail: template}
}

// knownForms are those in which functions want answers, simple ones first: of those that
// score alike the first is taken.
var knownForms = []form{
	{"a sentence", "{reasoning}\n", "The answer is {answer}", false},
	{"the answer alone", "", "{answer}", false},
	{"a sentence with a full stop", "{reasoning}\n", "The answer is {answer}.", false},
	{"the answer in the last line", "{reasoning}\n", "{answer}", false},
	{"\\boxed{}", "{reasoning}\n", "\\boxed{{answer}}", false},
	{"####", "{reasoning}\n", "#### {answer}", false},
	{"<answer>", "{reasoning}\n", "<answer>{answer}</answer>", false},
	{"<think> and <answer>", "<think>\n{reasoning}\n</think>\n", "<answer>\n{answer}\n</answer>", false},
	{"<think> and <answer>, each in a line", "<think>{reasoning}</think>\n", "<answer>{answer}</answer>", false},
	{"<think> and <answer> in one line", "<think>{reasoning}</think>", "<answer>{answer}</answer>", false},
	{"<reasoning> and <answer>", "<reasoning>\n{reasoning}\n</reasoning>\n", "<answer>\n{answer}\n</answer>\n", false},
	{"<answer> behind a <think> that the prompt opened", "{reasoning}\n</think>\n", "<answer>{answer}</answer>", false},
	{"\\boxed{} in a sentence", "{reasoning}\n", "The answer is $\\boxed{{answer}}$.", false},
	{"\\boxed{} behind <think>", "<think>\n{reasoning}\n</think>\n", "\\boxed{{answer}}", false},
	{"\\boxed{} in <answer>", "<think>\n{reasoning}\n</think>\n", "<answer>\n\\boxed{{answer}}\n</answer>", false},
	{"the answer behind <think>", "<think>\n{reasoning}\n</think>\n", "{answer}", false},
	{"Answer:", "{reasoning}\n", "Answer: {answer}", false},
	{"Final Answer:", "{reasoning}\n", "Final Answer: {answer}", false},
	{"The final answer is", "{reasoning}\n", "The final answer is {answer}.", false},
	{"bold", "{reasoning}\n", "**{answer}**", false},
	{"in brackets", "{reasoning}\n", "The answer is ({answer}).", false},
	{"in double brackets", "{reasoning}\n", "[[{answer}]]", false},
	{"a code block", "{reasoning}\n", "```python\n{answer}\n```", false},
	{"a code block without a language", "{reasoning}\n", "```\n{answer}\n```", false},
	{"a code block in <answer>", "<think>\n{reasoning}\n</think>\n", "<answer>\n```python\n{answer}\n```\n</answer>", false},
	{"JSON", "", `{"answer": "{answer}"}`, false},
	{"JSON with a number", "", `{"answer": {answer}}`, false},
	{"JSON with reasoning", `{"reasoning": "{reasoning}", `, `"answer": "{answer}"}`, false},
	{"JSON in a code block", "", "```json\n{\"answer\": \"{answer}\"}\n```", false},
	{"<tool_call>", "{reasoning}\n", "<tool_call>\n{answer}\n</tool_call>", false},
	{"<think> and <tool_call>", "<think>\n{reasoning}\n</think>\n", "<tool_call>\n{answer}\n</tool_call>", false},
}

// What the text of a file says about the form that it wants.
var (
	tagPattern     = regexp.MustCompile(`</?\\?([A-Za-z_]\w*)\\?>`)
	bracketPattern = regexp.MustCompile(`\[/?\\?([A-Z]{3,})\\?\]`)
	labelPattern   = regexp.MustCompile(`["']\W{0,8}([A-Z][A-Za-z ]{1,20}?)\\?(?:s\*)?:`)
	keyPattern     = regexp.MustCompile(`(?:[\w)\]]\[|\.get\()["'](\w+)["']`)
)

// mostOfText bounds what is taken of a text.
const mostOfText = 5

// formsIn are the forms to try for a function whose file has this text.
func formsIn(code string) []form {
	forms := slices.Clone(knownForms)
	known := func(names ...string) bool {
		return slices.Equal(names, []string{"answer"}) || slices.Equal(names, []string{"think", "answer"}) || slices.Equal(names, []string{"reasoning", "answer"})
	}
	tags := firstOf(tagPattern, code)
	for i, holder := range tags {
		if !known(holder) {
			forms = append(forms, form{"<" + holder + ">", "{reasoning}\n", wrapped(holder, answerPlace, ""), false})
		}
		if others := slices.Delete(slices.Clone(tags), i, i+1); len(others) > 0 && !known(append(others, holder)...) {
			name := "<" + strings.Join(append(others, holder), ">, <") + ">"
			lines, line := "", ""
			for k, other := range others {
				thought := reasoningPlace
				if k > 0 {
					thought = "So far, so good."
				}
				lines, line = lines+wrapped(other, thought, "\n")+"\n", line+wrapped(other, thought, "")
			}
			forms = append(forms, form{name, lines, wrapped(holder, answerPlace, "\n"), false}, form{name + " in one line", line, wrapped(holder, answerPlace, ""), false})
		}
	}
	for _, name := range firstOf(bracketPattern, code) {
		forms = append(forms, form{"[" + name + "]", "{reasoning}\n", "[" + name + "]{answer}[/" + name + "]", false})
	}
	for _, label := range firstOf(labelPattern, code) {
		if label = strings.TrimSpace(label); label != "Answer" && label != "Final Answer" {
			forms = append(forms, form{label + ":", "{reasoning}\n", label + ": {answer}", false})
		}
	}
	if strings.Contains(code, "json") {
		for _, key := range firstOf(keyPattern, code) {
			if key != "answer" && key != "content" && key != "role" {
				forms = append(forms, form{"JSON with " + key, "", `{"` + key + `": "{answer}"}`, false}, form{"JSON with a number as " + key, "", `{"` + key + `": {answer}}`, false})
			}
		}
	}
	return forms
}

// firstOf are the first different names that a pattern finds.
func firstOf(pattern *regexp.Regexp, text string) (out []string) {
	for _, m := range pattern.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(out, m[1]) && len(out) < mostOfText {
			out = append(out, m[1])
		}
	}
	return out
}

func wrapped(tag, text, between string) string {
	return "<" + tag + ">" + between + text + between + "</" + tag + ">"
}
