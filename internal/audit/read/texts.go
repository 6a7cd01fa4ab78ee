package read

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// role is what a column of a file of completions holds.
type role int

const (
	reward role = iota // any number with another name
	promptText
	completionText
	stepNumber
	advantage
	gold
	tokens
	truncated
	logProb
	referenceLogProb
	baseFlag
	modelName
	ignored
)

// roles are the names that trainers give to the columns.
var roles = map[string]role{
	"prompt": promptText, "query": promptText, "input": promptText, "question": promptText, "instruction": promptText, "prompts": promptText,
	"completion": completionText, "response": completionText, "output": completionText, "generated_text": completionText, "generation": completionText, "completions": completionText,
	"step": stepNumber, "global_step": stepNumber, "train/global_step": stepNumber,
	"advantage": advantage, "advantages": advantage,
	"gold": gold, "gold_score": gold, "gold_reward": gold, "held_out": gold, "true_reward": gold,
	"tokens": tokens, "num_tokens": tokens, "length": tokens, "completion_length": tokens, "response_length": tokens, "completion_tokens": tokens,
	"truncated": truncated, "clipped": truncated, "is_truncated": truncated, "finish_reason": truncated,
	"logprob": logProb, "log_prob": logProb, "logprobs": logProb, "logps": logProb, "logprob_sum_nats": logProb,
	"ref_logprob": referenceLogProb, "ref_log_prob": referenceLogProb, "ref_logprobs": referenceLogProb, "reference_logprob": referenceLogProb, "ref_logps": referenceLogProb, "reference_logprob_sum_nats": referenceLogProb,
	"base": baseFlag, "is_base": baseFlag, "is_reference": baseFlag,
	"model": modelName, "policy": modelName,
	"gts": ignored, "epoch": ignored, "index": ignored, "id": ignored, "__index_level_0__": ignored, "prompt_id": ignored, "sample": ignored, "rank": ignored,
}

// countName are names of numbers that count or number something: no reward function is called so.
var countName = regexp.MustCompile(`^(?:n|num|idx|index|seed|temperature|label|rep|group)(?:_|$)|_(?:len|length|tokens|words|chars|count|id|idx|index|seed|time|sec|seconds|ms)$`)

func roleOf(name string) role {
	name = strings.ToLower(name)
	if r, ok := roles[name]; ok {
		return r
	}
	if countName.MatchString(name) {
		return ignored
	}
	return reward
}

// isTexts reports whether columns are those of completions: there are prompts and answers.
func isTexts(names []string) bool {
	has := func(want role) bool {
		return slices.ContainsFunc(names, func(n string) bool { return roleOf(n) == want })
	}
	return has(promptText) && has(completionText)
}

// cell is a value of a row.
type cell struct {
	name    string
	text    string
	number  float64
	numeric bool
}

// texts is a source of completions that is being read.
type texts struct {
	record.Source
	c    *collector
	base bool
	// fileStep is the step that the file's name says, -1 for none.
	fileStep int64
	named    int64 // rows whose step that is
	without  int64 // rows without a step
}

func (c *collector) newTexts(f candidate, format string) *texts {
	t := &texts{c: c, base: namesBase(f), fileStep: stepOfPath(f)}
	t.Source = record.Source{Path: f.rel, Format: format, Notes: []string{}}
	return t
}

// readTexts reads rows of completions.
func (c *collector) readTexts(ctx context.Context, f candidate, format string, rows iter.Seq2[[]cell, error]) error {
	t := c.newTexts(f, format)
	for row, err := range rows {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			t.Bad++
			t.Notes = append(t.Notes, err.Error())
			continue
		}
		t.add(row)
	}
	return c.keepTexts(t)
}

func (c *collector) keepTexts(t *texts) error {
	if t.without > 0 && t.without == t.Records {
		return errors.New("holds completions without a step: add a column step, or put the step into the file's name")
	} else if t.without > 0 {
		t.Notes = append(t.Notes, were(t.without, "completion")+" without a step and left out")
	}
	if t.named > 0 {
		t.Notes = append(t.Notes, were(t.named, "completion")+fmt.Sprintf(" without a step: that of the file's name, %d, is used", t.fileStep))
	}
	if t.Records == 0 {
		if len(t.Notes) > 0 {
			return errors.New("holds no completions; " + t.Notes[0])
		}
		return errors.New("holds no completions")
	}
	c.run.Sources = append(c.run.Sources, t.Source)
	return nil
}

// object adds a line of JSON; false where it is no completion.
func (t *texts) object(o gjson.Result) bool {
	var row []cell
	var names []string
	o.ForEach(func(key, v gjson.Result) bool {
		names = append(names, key.Str)
		row = appendJSON(row, key.Str, v)
		return true
	})
	if !isTexts(names) {
		return false
	}
	t.add(row)
	return true
}

// appendJSON adds the cells of a value: of {"rewards": {"length": 1}} those within.
func appendJSON(row []cell, name string, v gjson.Result) []cell {
	switch r := roleOf(name); {
	case r == reward && (v.Type == gjson.True || v.Type == gjson.False):
		return row // a flag, such as whether the answer is right, is no reward
	case v.Type == gjson.True || v.Type == gjson.False:
		return append(row, cell{name: name, number: map[bool]float64{true: 1}[v.Type == gjson.True], numeric: true})
	case r == promptText || r == completionText:
		return append(row, cell{name: name, text: chatText(v)})
	case v.IsObject() && r == reward:
		v.ForEach(func(key, inner gjson.Result) bool {
			if n, ok := number(inner); ok {
				row = append(row, cell{name: key.Str, number: n, numeric: true})
			}
			return true
		})
		return row
	}
	if n, ok := number(v); ok {
		return append(row, cell{name: name, number: n, numeric: true})
	}
	if v.Type == gjson.String {
		return append(row, cell{name: name, text: v.Str})
	}
	return row
}

// chatText returns a text, or the contents of the messages of a conversation, a line each.
func chatText(v gjson.Result) string {
	if !v.IsArray() {
		return v.String()
	}
	var all []string
	v.ForEach(func(_, message gjson.Result) bool {
		if content := message.Get("content"); content.Exists() {
			all = append(all, content.String())
		} else {
			all = append(all, message.String())
		}
		return true
	})
	return strings.Join(all, "\n")
}

// add adds a completion.
func (t *texts) add(row []cell) {
	t.Records++
	e := example{step: -1, base: t.base}
	e.Rewards = map[string]float64{}
	for _, c := range row {
		e.set(c)
	}
	switch {
	case e.step >= 0:
	case t.fileStep >= 0:
		e.step = t.fileStep
		t.named++
	case e.base:
		e.step = 0
	default:
		t.without++
		return
	}
	t.c.sample.add(t.Path, e)
}

// example is a completion with the step and the model it comes from.
type example struct {
	record.Completion
	step int64
	base bool
}

// set takes a cell.
func (e *example) set(c cell) {
	value := c.number
	switch r := roleOf(c.name); {
	case r == promptText:
		e.Prompt = c.text
	case r == completionText:
		e.Text = c.text
	case r == modelName:
		e.base = e.base || isBaseWord(c.text)
	case r == truncated && !c.numeric && c.text != "":
		cut := c.text == "length"
		e.Truncated = &cut
	case !c.numeric || math.IsNaN(value) || math.IsInf(value, 0):
	case r == stepNumber:
		if step, ok := wholeStep(value); ok {
			e.step = step
		}
	case r == advantage:
		e.Advantage = &value
	case r == gold:
		e.Gold = &value
	case r == tokens:
		e.Tokens = int(min(max(value, 0), 1<<30))
	case r == truncated:
		cut := value != 0
		e.Truncated = &cut
	case r == logProb:
		e.LogProb = &value
	case r == referenceLogProb:
		e.ReferenceLogProb = &value
	case r == baseFlag:
		e.base = e.base || value != 0
	case r == reward:
		e.Rewards[strings.Clone(c.name)] = value
	}
}

// isBaseWord reports whether a word names the model that training started from.
func isBaseWord(word string) bool {
	return slices.Contains([]string{"base", "ref", "reference", "sft", "initial"}, strings.ToLower(word))
}

// namesBase reports whether a file's name, or its folder's, says that the completions are the
// base model's.
func namesBase(f candidate) bool {
	words := strings.FieldsFunc(path.Base(f.dir())+" "+f.name(), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, isBaseWord)
}

// numberAtEnd finds the step in names such as completions_00010 and checkpoint-500.
var numberAtEnd = regexp.MustCompile(`(?:^|[-_.])(\d{1,15})$`)

// stepOfPath returns the step that a file's name says, or that of the checkpoint that its
// folder is; -1 for none.
func stepOfPath(f candidate) int64 {
	stem, _, _ := strings.Cut(f.name(), ".")
	m := numberAtEnd.FindStringSubmatch(stem)
	if m == nil {
		m = checkpointFolder.FindStringSubmatch(path.Base(f.dir()))
	}
	if m == nil {
		return -1
	}
	step, _ := strconv.ParseInt(m[1], 10, 64)
	return step
}

// texts yields the rows of a table of completions.
func (t *table) texts(ctx context.Context) iter.Seq2[[]cell, error] {
	return func(yield func([]cell, error) bool) {
		for ctx.Err() == nil {
			err := t.next()
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(nil, errors.New(tableTrouble(err)))
				return
			}
			if !yield(t.row(), nil) {
				return
			}
		}
	}
}

// row returns the cells of a row.
func (t *table) row() []cell {
	var row []cell
	for i, text := range t.cells[:min(len(t.cells), len(t.names))] {
		c := cell{name: t.names[i], text: t.utf8(text)}
		if r := roleOf(c.name); r != promptText && r != completionText {
			c.number, c.numeric = truth(text)
		}
		row = append(row, c)
	}
	return row
}
