package read

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// # Judgements
//
// A row is what one rater said of one checkpoint on one prompt: a preference against the base
// model's completion or that of another checkpoint, or a score. Columns are known by several names; a row that cannot be
// understood is an error, since a choice that is left out changes the result.

// part is what a column of judgements holds.
type part int

const (
	otherPart part = iota
	checkpointPart
	againstPart
	promptPart
	raterPart
	outcomePart
	scorePart
	lengthPart
	baseLengthPart
)

// parts are the names of the columns.
var parts = map[string]part{
	"step": checkpointPart, "checkpoint": checkpointPart, "global_step": checkpointPart,
	"against": againstPart, "opponent": againstPart, "versus": againstPart, "other_checkpoint": againstPart, "against_step": againstPart,
	"prompt": promptPart, "prompt_id": promptPart, "question": promptPart, "item": promptPart, "id": promptPart,
	"rater": raterPart, "annotator": raterPart, "judge": raterPart, "rater_id": raterPart, "annotator_id": raterPart,
	"preference": outcomePart, "winner": outcomePart, "outcome": outcomePart, "preferred": outcomePart, "choice": outcomePart,
	"score": scorePart, "rating": scorePart, "value": scorePart,
	"length": lengthPart, "response_length": lengthPart, "completion_length": lengthPart, "model_length": lengthPart,
	"base_length": baseLengthPart, "reference_length": baseLengthPart, "ref_length": baseLengthPart,
}

// outcomes are the words for who won.
var outcomes = map[string]record.Outcome{
	"win": record.Win, "wins": record.Win, "won": record.Win, "model": record.Win, "policy": record.Win, "checkpoint": record.Win, "1": record.Win, "1.0": record.Win,
	"tie": record.Tie, "draw": record.Tie, "same": record.Tie, "equal": record.Tie, "0.5": record.Tie,
	"loss": record.Loss, "lose": record.Loss, "lost": record.Loss, "base": record.Loss, "reference": record.Loss, "ref": record.Loss, "sft": record.Loss, "0": record.Loss, "0.0": record.Loss,
}

// isJudgements reports whether the columns are those of judgements: of which checkpoint, by
// whom, and what.
func isJudgements(names []string) bool {
	has := func(want ...part) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(want, parts[strings.ToLower(n)]) })
	}
	return has(checkpointPart) && has(outcomePart, scorePart) && has(raterPart)
}

// judgements adds a file of the run's folder.
func (c *collector) judgements(f candidate) error {
	j, notes, err := Judgements(f.path)
	if err != nil {
		return errors.New("holds judgements that cannot be used: " + strings.TrimPrefix(err.Error(), f.path+":"))
	}
	c.run.Judgements.Preferences = append(c.run.Judgements.Preferences, j.Preferences...)
	c.run.Judgements.Scores = append(c.run.Judgements.Scores, j.Scores...)
	n := len(j.Preferences) + len(j.Scores)
	c.run.Sources = append(c.run.Sources, record.Source{Path: f.rel, Format: "judgements", Records: int64(n), Notes: append([]string{}, notes...)})
	return nil
}

// Judgements reads what people or models said of checkpoints, from a CSV or JSON-lines file.
// Each row has a step (500) or a checkpoint (checkpoint-500), a prompt or prompt_id, a rater,
// and a preference against the base model (win, tie, loss; model, tie, base; 1, 0.5, 0) or a
// score; length and base_length are optional. Where the other answer was that of a checkpoint,
// against has its step, and who was preferred may be named by the step too. It returns notes of what was assumed. An error
// is one line with file, row, what is wrong, and how to fix it.
func Judgements(file string) (record.Judgements, []string, error) {
	f, err := judgementFile(file)
	if err != nil {
		return record.Judgements{}, nil, err
	}
	r, err := f.text()
	if err != nil {
		return record.Judgements{}, nil, fmt.Errorf("%s: %s", file, trouble(err))
	}
	defer r.Close()
	j := judging{file: file}
	if strings.HasPrefix(strings.TrimSpace(string(f.head)), "{") {
		err = j.lines(r)
	} else {
		err = j.table(r, f.head)
	}
	if err == nil && len(j.out.Preferences)+len(j.out.Scores) == 0 {
		err = fmt.Errorf("%s: holds no judgement: a row needs step, prompt, rater, and preference or score", file)
	}
	if err != nil {
		return record.Judgements{}, nil, err
	}
	return j.out, j.notes(), nil
}

// judgementFile opens the file to be looked at.
func judgementFile(file string) (candidate, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		return candidate{}, err
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return candidate{}, fmt.Errorf("%s: no such file: give a CSV or JSONL file of judgements", file)
	case info.IsDir():
		return candidate{}, fmt.Errorf("%s is a folder: give a CSV or JSONL file of judgements", file)
	case info.Size() == 0:
		return candidate{}, fmt.Errorf("%s is empty: a row needs step, prompt, rater, and preference or score", file)
	}
	f := candidate{path: path, rel: filepath.ToSlash(path), size: info.Size(), mod: info.ModTime()}
	if err := f.peek(); err != nil {
		return f, fmt.Errorf("%s: %s", file, trouble(err))
	}
	return f, nil
}

// judging reads the rows of one file.
type judging struct {
	file    string
	out     record.Judgements
	unrated int // rows without a rater
}

// table reads a CSV file.
func (j *judging) table(r io.Reader, head []byte) error {
	t, err := openTable(r, head)
	if err != nil {
		return fmt.Errorf("%s: %w", j.file, err)
	}
	if err := j.check(t.names); err != nil {
		return err
	}
	for {
		err := t.next()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %s", j.file, tableTrouble(err))
		}
		row := map[part]string{}
		for i, cell := range t.cells[:min(len(t.cells), len(t.names))] {
			if p := parts[strings.ToLower(t.names[i])]; p != otherPart && strings.TrimSpace(cell) != "" {
				row[p] = strings.TrimSpace(t.utf8(strings.Clone(cell)))
			}
		}
		if err := j.add(row, int64(t.line)); err != nil {
			return err
		}
	}
}

// check says which column is missing.
func (j *judging) check(names []string) error {
	has := func(want ...part) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(want, parts[strings.ToLower(n)]) })
	}
	for _, need := range []struct {
		ok   bool
		name string
	}{
		{has(checkpointPart), "step (or checkpoint)"},
		{has(promptPart), "prompt (or prompt_id)"},
		{has(outcomePart, scorePart), "preference (or winner, outcome, score)"},
	} {
		if !need.ok {
			return fmt.Errorf("%s:1: there is no column %s; the columns are %s", j.file, need.name, strings.Join(names, ", "))
		}
	}
	return nil
}

// lines reads a file of JSON lines.
func (j *judging) lines(r io.Reader) error {
	in := newLines(r)
	for in.next() {
		line := bytes.TrimSpace(in.line)
		if len(line) == 0 {
			continue
		}
		o, ok := parseObject(line)
		if !ok {
			return fmt.Errorf("%s:%d: is not a JSON object: write one object a line", j.file, in.number)
		}
		row := map[part]string{}
		for name, v := range o.Map() {
			if p := parts[strings.ToLower(name)]; p != otherPart && v.Exists() && v.String() != "" {
				row[p] = v.String()
			}
		}
		if err := j.add(row, in.number); err != nil {
			return err
		}
	}
	if in.err != nil {
		return fmt.Errorf("%s: %s", j.file, trouble(in.err))
	}
	return nil
}

// stepInName finds the step in checkpoint-500, global_step_500, or a path that ends so.
var stepInName = regexp.MustCompile(`^(?:.*[/\\])?(?:checkpoint|global_step|step|ckpt)?[-_ ]?(\d{1,15})(?:\.0+)?/?$`)

// add takes a row.
func (j *judging) add(row map[part]string, line int64) error {
	wrong := func(format string, a ...any) error {
		return fmt.Errorf("%s:%d: %s", j.file, line, fmt.Sprintf(format, a...))
	}
	step, ok := stepNamed(row[checkpointPart])
	if !ok {
		return wrong("%q is no step: write the step of the checkpoint, 500 or checkpoint-500", row[checkpointPart])
	}
	against, err := opponent(row[againstPart])
	if err != nil {
		return wrong("%v", err)
	}
	if against != nil && *against == step {
		return wrong("checkpoint %d is compared with itself: write in %q the step of the other one, or base", step, "against")
	}
	if row[promptPart] == "" {
		return wrong("there is no prompt: write the prompt or its prompt_id")
	}
	if row[raterPart] == "" {
		j.unrated++
	}
	outcome, preferred := row[outcomePart]
	score, scored := row[scorePart]
	if !preferred && !scored {
		return wrong("there is neither a preference nor a score: write win, tie or loss, or a number")
	}
	if preferred {
		o, ok := outcomes[strings.ToLower(outcome)]
		if named, isStep := stepNamed(outcome); !ok && isStep && against != nil {
			o, ok = map[int64]record.Outcome{step: record.Win, *against: record.Loss}[named], named == step || named == *against
		}
		if !ok {
			return wrong("%q is no preference: write win, tie or loss (or model, tie, base; or 1, 0.5, 0)", outcome)
		}
		p := record.Preference{Step: step, Against: against, Prompt: row[promptPart], Rater: row[raterPart], Outcome: o}
		if p.Length, err = length(row[lengthPart]); err != nil {
			return wrong("%v", err)
		}
		if p.BaseLength, err = length(row[baseLengthPart]); err != nil {
			return wrong("%v", err)
		}
		j.out.Preferences = append(j.out.Preferences, p)
	}
	if scored {
		v, err := strconv.ParseFloat(score, 64)
		if err != nil || v-v != 0 {
			return wrong("%q is no score: write a finite number", score)
		}
		j.out.Scores = append(j.out.Scores, record.Score{Step: step, Prompt: row[promptPart], Rater: row[raterPart], Value: v})
	}
	return nil
}

// stepNamed reads a step, or the name of a checkpoint.
func stepNamed(text string) (int64, bool) {
	m := stepInName.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	step, err := strconv.ParseInt(m[1], 10, 64)
	return step, err == nil
}

// opponent reads what a checkpoint was compared with; nil is the base model, "" too.
func opponent(text string) (*int64, error) {
	if slices.Contains([]string{"", "base", "reference", "ref", "sft"}, strings.ToLower(text)) {
		return nil, nil
	}
	step, ok := stepNamed(text)
	if !ok {
		return nil, fmt.Errorf("%q is no other checkpoint: write its step, 500 or checkpoint-500, or base", text)
	}
	return &step, nil
}

// length reads the length of a completion; "" is one that is not known.
func length(text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v < 0 || v-v != 0 {
		return 0, fmt.Errorf("%q is no length: write a number", text)
	}
	return v, nil
}

// choice is what one rater says of one prompt at one checkpoint.
type choice struct {
	step, against int64 // -1 for the base
	prompt, rater string
}

// notes says what was assumed, and what is there twice.
func (j *judging) notes() []string {
	var notes []string
	if j.unrated > 0 {
		notes = append(notes, fmt.Sprintf("%s without a rater: taken for one rater; agreement needs a column rater", were(int64(j.unrated), "judgement")))
	}
	notes = append(notes, j.alike()...)
	seen, twice := map[choice]bool{}, int64(0)
	for _, p := range j.out.Preferences {
		c := choice{p.Step, -1, p.Prompt, p.Rater}
		if p.Against != nil {
			c.against = *p.Against
		}
		if seen[c] {
			twice++
		}
		seen[c] = true
	}
	if twice > 0 {
		notes = append(notes, fmt.Sprintf("%s by the same rater of the same prompt and checkpoint as another: all count", were(twice, "preference")))
	}
	return notes
}

// alike are raters whose names differ in case or blanks only: they count as two.
func (j *judging) alike() (notes []string) {
	names := map[string]string{}
	var raters []string
	for _, p := range j.out.Preferences {
		raters = append(raters, p.Rater)
	}
	for _, s := range j.out.Scores {
		raters = append(raters, s.Rater)
	}
	for _, name := range slices.Compact(raters) {
		key := strings.ToLower(strings.Join(strings.Fields(name), " "))
		if other, ok := names[key]; !ok {
			names[key] = name
		} else if other != name && other != "" {
			notes = append(notes, fmt.Sprintf("the raters %q and %q are taken for two: if they are one, write one name", other, name))
			names[key] = "" // which is said once
		}
	}
	return notes
}
