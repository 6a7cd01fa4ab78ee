package reward

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/words"
)

// prompt is a prompt, and what is known of its answers.
type prompt struct {
	// Asked is the prompt as the data hold it, a text or messages; Text says the same as text.
	Asked any
	Text  string
	// Row are the columns, as they are passed to the function; Right is the column with what is right.
	Row   map[string]json.RawMessage
	Right json.RawMessage
	// Answer is what is right, without what leads to it; Full is all that the column says.
	Answer, Full string
	// Wrong are other answers. None is part of the right one, nor the other way around.
	Wrong []string
	// Order numbers the prompts.
	Order int
}

// data are the prompts to try, and how they came.
type data struct {
	prompts []*prompt
	// file is where they were read, "" for those that are built in.
	file, answer string
	messages     bool // the prompts are messages
	plain        bool // the column prompt holds text, so that completions are text
}

// The columns that hold prompts and answers, the likeliest first.
var (
	promptColumns = []string{"prompt", "question", "problem", "query", "instruction", "input", "prompts", "messages"}
	answerColumns = []string{
		"answer", "ground_truth", "solution", "final_answer", "label", "labels", "target", "gold", "expected", "expected_answer", "correct_answer",
		"reference_answer", "reference", "gt", "reward_model.ground_truth", "output",
	}
)

// maxLine bounds one line of the data.
const maxLine = 64 << 20

// readData reads at most some prompts, evenly spread over the file. answer names the column
// with what is right, "" looks for one; code is the text of the function's file, which names
// the column where the data have several.
func readData(path, answer, code string, most int) (*data, error) {
	lines, err := countLines(path)
	if err != nil {
		return nil, err
	}
	if lines == 0 {
		return nil, fmt.Errorf("--data: %s is empty; write one JSON object a line, with a prompt and its answer", path)
	}
	most = min(most, lines)
	d := &data{file: path}
	seen := -1
	err = eachLine(path, func(number int, text []byte) error {
		if seen++; len(d.prompts) >= most || seen != len(d.prompts)*lines/most {
			return nil
		}
		var row map[string]json.RawMessage
		if err := json.Unmarshal(text, &row); err != nil {
			return err
		}
		if len(d.prompts) == 0 {
			if d.answer, err = answerColumn(path, answer, code, row); err != nil {
				return err
			}
		}
		p, err := d.prompt(row, number)
		if err != nil {
			return err
		}
		p.Order = len(d.prompts)
		d.prompts = append(d.prompts, p)
		return nil
	})
	if err != nil {
		return nil, err
	}
	d.findWrong()
	return d, nil
}

// countLines counts the lines that hold something, each of which must be an object of JSON.
func countLines(path string) (n int, err error) {
	err = eachLine(path, func(number int, text []byte) error {
		n++
		var wrong *json.SyntaxError
		switch err := json.Unmarshal(text, &json.RawMessage{}); {
		case text[0] == '[' && number == 1:
			return fmt.Errorf("--data: %s:1: the file is one JSON array, not JSON Lines; write one object a line (jq -c '.[]' %s > prompts.jsonl)", path, filepath.Base(path))
		case errors.As(err, &wrong) && bytes.HasPrefix(text, []byte("PAR1")):
			return fmt.Errorf("--data: %s is Parquet, not JSON Lines; convert it (python -c \"import pandas; pandas.read_parquet('%s').to_json('prompts.jsonl', orient='records', lines=True)\")", path, filepath.Base(path))
		case err != nil && number == 1 && bytes.Equal(bytes.TrimSpace(text), []byte("{")):
			return fmt.Errorf("--data: %s:1: the object goes over several lines; write one object a line (jq -c . %s > prompts.jsonl)", path, filepath.Base(path))
		case err != nil:
			return fmt.Errorf("--data: %s:%d: not JSON (%s); write one object a line, such as {\"prompt\": \"What is 1 + 1?\", \"answer\": \"2\"}", path, number, words.Plain(err.Error()))
		case text[0] != '{':
			return fmt.Errorf("--data: %s:%d: not a JSON object; write one a line, such as {\"prompt\": \"What is 1 + 1?\", \"answer\": \"2\"}", path, number)
		}
		return nil
	})
	return n, err
}

// eachLine calls visit for each line that is not blank, by its number from 1.
func eachLine(path string, visit func(number int, text []byte) error) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("--data: %s: %w", path, source.Cause(err))
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return fmt.Errorf("--data: %s is a folder; name a file of JSON Lines", path)
	}
	lines := bufio.NewReaderSize(file, 1<<16)
	for number := 1; ; number++ {
		text, err := readLine(lines)
		if errors.Is(err, errLongLine) {
			return fmt.Errorf("--data: %s:%d: the line is longer than %d MB", path, number, maxLine>>20)
		}
		if number == 1 {
			text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			if err := visit(number, text); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("--data: %s: %w", path, source.Cause(err))
		}
	}
}

var errLongLine = errors.New("long line")

func readLine(lines *bufio.Reader) (text []byte, err error) {
	for {
		part, err := lines.ReadSlice('\n')
		if text = append(text, part...); len(text) > maxLine {
			return nil, errLongLine
		}
		if err != bufio.ErrBufferFull {
			return text, err
		}
	}
}

// answerColumn finds the column with what is right.
func answerColumn(path, given, code string, row map[string]json.RawMessage) (string, error) {
	has := slices.Sorted(maps.Keys(row))
	if given != "" {
		if column(row, given) != nil {
			return given, nil
		}
		why := "it has " + words.And(has)
		if near := words.Nearest(given, has); near != "" {
			why = fmt.Sprintf("did you mean %q? It has %s", near, words.And(has))
		}
		return "", fmt.Errorf("--answer: %s has no column %q; %s", path, given, why)
	}
	var found []string
	for _, name := range answerColumns {
		if column(row, name) != nil {
			found = append(found, name)
		}
	}
	for _, name := range found {
		if regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).MatchString(code) {
			return name, nil
		}
	}
	if len(found) > 0 {
		return found[0], nil
	}
	return "", fmt.Errorf("--data: %s has no column with the right answer (it has %s); name it by --answer COLUMN, or call it answer", path, words.And(has))
}

// column is a value of a row; a.b is the value b of the object a. It is nil where there is
// none.
func column(row map[string]json.RawMessage, name string) json.RawMessage {
	if v, ok := row[name]; ok {
		return v
	}
	first, rest, nested := strings.Cut(name, ".")
	var inner map[string]json.RawMessage
	if !nested || json.Unmarshal(row[first], &inner) != nil {
		return nil
	}
	return column(inner, rest)
}

// prompt reads a row.
func (d *data) prompt(row map[string]json.RawMessage, number int) (*prompt, error) {
	answer := column(row, d.answer)
	p := &prompt{Row: row, Right: answer, Asked: ""}
	for _, name := range []string{"ground_truth", "reward_model.ground_truth"} { // verl passes these, whatever holds the answer as text
		if value := column(row, name); value != nil {
			p.Right = value
			break
		}
	}
	text, ok := textOf(answer)
	switch {
	case answer == nil || string(answer) == "null":
		return nil, fmt.Errorf("--data: %s:%d: no %s; each line needs one", d.file, number, d.answer)
	case !ok:
		return nil, fmt.Errorf("--data: %s:%d: %s is no text; name the column that holds the right answer as text by --answer COLUMN (there are %s)", d.file, number, d.answer, words.And(slices.Sorted(maps.Keys(row))))
	}
	p.Full, p.Answer = text, short(text)
	for _, name := range promptColumns {
		value, known := row[name]
		if !known || name == d.answer {
			continue
		}
		var messages []map[string]any
		var asked string
		switch {
		case json.Unmarshal(value, &asked) == nil:
			p.Asked, p.Text, d.plain = asked, asked, name == "prompt"
		case json.Unmarshal(value, &messages) == nil:
			p.Asked, d.messages = messages, true
			for _, m := range messages {
				p.Text = strings.TrimSpace(p.Text + "\n" + fmt.Sprint(m["content"]))
			}
		default:
			continue
		}
		break
	}
	return p, nil
}

// textOf is a value as text: of a list its first.
func textOf(value json.RawMessage) (string, bool) {
	var v any
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	if decoder.Decode(&v) != nil {
		return "", false
	}
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	switch v := v.(type) {
	case string:
		return v, strings.TrimSpace(v) != ""
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

var answerTag = regexp.MustCompile(`(?s)<answer>(.*?)</answer>`)

// short is the answer alone: data often hold what leads to it as well.
func short(full string) string {
	out := full
	switch at := strings.LastIndex(full, `\boxed{`); {
	case strings.Contains(full, "####"):
		out = full[strings.LastIndex(full, "####")+4:]
	case answerTag.MatchString(full):
		all := answerTag.FindAllStringSubmatch(full, -1)
		out = all[len(all)-1][1]
	case at >= 0:
		out = braced(full[at+len(`\boxed`):])
	}
	if out = strings.TrimSpace(out); out == "" {
		return strings.TrimSpace(full)
	}
	return out
}

// braced is what stands in the braces that a text begins with.
func braced(text string) string {
	depth := 0
	for i, c := range text {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return text[1:i]
			}
		}
	}
	return ""
}

// builtIn are sums, with an answer that functions get whatever they call it.
func builtIn(most int) *data {
	d := &data{answer: "answer"}
	sums := [][2]int{{17, 25}, {38, 49}, {6, 7}, {58, 31}, {24, 48}, {9, 44}, {33, 61}, {72, 19}, {45, 12}, {81, 7}, {26, 39}, {52, 46}}
	for i, s := range sums[:min(most, len(sums))] {
		text := fmt.Sprintf("What is %d + %d?", s[0], s[1])
		right := strconv.Itoa(s[0] + s[1])
		quoted, _ := json.Marshal(right)
		d.prompts = append(d.prompts, &prompt{Asked: text, Text: text, Row: map[string]json.RawMessage{}, Right: quoted, Answer: right, Full: right, Order: i})
	}
	d.findWrong()
	return d
}

// mostWrong are the wrong answers to a prompt.
const mostWrong = 3

// findWrong finds wrong answers: numbers near the right one, other choices, or what is right
// elsewhere.
func (d *data) findWrong() {
	for _, p := range d.prompts {
		add := func(text string) {
			text = strings.TrimSpace(text)
			same := text == "" || overlap(text, p.Answer) || slices.Contains(p.Wrong, text)
			if !same && len(p.Wrong) < mostWrong {
				p.Wrong = append(p.Wrong, text)
			}
		}
		for _, text := range near(p.Answer) {
			add(text)
		}
		for i := range d.prompts {
			add(d.prompts[(p.Order+i)%len(d.prompts)].Answer)
		}
		for _, text := range []string{"none of these", "unknown", "zzz"} {
			add(text)
		}
	}
}

// overlap reports whether one text is part of the other.
func overlap(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	return strings.Contains(a, b) || strings.Contains(b, a)
}

var opposites = map[string]string{"yes": "no", "no": "yes", "true": "false", "false": "true", "positive": "negative", "negative": "positive"}

// near are wrong answers of the same kind as the right one, nil where its kind is not known.
func near(answer string) (out []string) {
	if n, err := strconv.ParseInt(strings.ReplaceAll(answer, ",", ""), 10, 64); err == nil {
		for _, by := range []int64{1, 7, 20, -3, 35, 111} {
			out = append(out, strconv.FormatInt(n+by, 10))
		}
		return out
	}
	if x, err := strconv.ParseFloat(answer, 64); err == nil {
		for _, by := range []float64{1, 7, 20, -3} {
			out = append(out, strconv.FormatFloat(x+by, 'f', -1, 64))
		}
		return out
	}
	if other := opposites[strings.ToLower(answer)]; other != "" {
		if strings.ToUpper(answer[:1]) == answer[:1] {
			other = strings.ToUpper(other[:1]) + other[1:]
		}
		return []string{other}
	}
	if letter := choice(answer); letter != 0 {
		for _, c := range "ABCDE" {
			if c != letter {
				out = append(out, strings.Replace(answer, string(letter), string(c), 1))
			}
		}
	}
	return out
}

// choice is the letter of an answer such as B or (B), 0 for another answer.
func choice(answer string) rune {
	if letter := strings.Trim(answer, "() ."); len(letter) == 1 && letter >= "A" && letter <= "F" {
		return rune(letter[0])
	}
	return 0
}
