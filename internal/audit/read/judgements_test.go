package read

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/audit/record"
)

// TestJudgements: the ways to write the same four choices.
func TestJudgements(t *testing.T) {
	want := []record.Preference{
		{Step: 500, Prompt: "p1", Rater: "anna", Outcome: record.Win, Length: 10, BaseLength: 8},
		{Step: 500, Prompt: "p1", Rater: "ben", Outcome: record.Tie},
		{Step: 1000, Prompt: "p2", Rater: "anna", Outcome: record.Loss},
	}
	for name, text := range map[string]string{
		"words.csv": "step,prompt_id,rater,preference,length,base_length\n500,p1,anna,win,10,8\n500,p1,ben,Tie,,\n1000,p2,anna,loss,,\n",
		"sides.csv": "Checkpoint;Prompt;Annotator;Winner;Length;Base_length\nruns/x/checkpoint-500;p1;anna;model;10;8\ncheckpoint-500;p1;ben;tie;;\ncheckpoint-1000;p2;anna;base;;\n",
		"numbers.jsonl": `{"step": 500, "prompt": "p1", "judge": "anna", "outcome": 1, "length": 10, "base_length": 8}
{"step": "500", "prompt": "p1", "judge": "ben", "outcome": 0.5}

{"step": 1000, "prompt": "p2", "judge": "anna", "outcome": 0}
`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, name, []byte(text))
			got, notes, err := Judgements(filepath.Join(dir, name))
			if err != nil || len(notes) > 0 {
				t.Fatal(notes, err)
			}
			if diff := cmp.Diff(want, got.Preferences); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestArenas: a checkpoint may be compared with another one, which is named by its step, and so
// may be who won.
func TestArenas(t *testing.T) {
	other := int64(500)
	want := []record.Preference{
		{Step: 1000, Against: &other, Prompt: "p1", Rater: "anna", Outcome: record.Win},
		{Step: 1000, Against: &other, Prompt: "p2", Rater: "anna", Outcome: record.Loss},
		{Step: 1000, Prompt: "p1", Rater: "ben", Outcome: record.Tie},
	}
	for _, text := range []string{
		"step,against,prompt,rater,winner\n1000,500,p1,anna,win\n1000,500,p2,anna,loss\n1000,base,p1,ben,tie\n",
		"checkpoint,opponent,prompt,rater,winner\ncheckpoint-1000,checkpoint-500,p1,anna,checkpoint-1000\ncheckpoint-1000,checkpoint-500,p2,anna,500\ncheckpoint-1000,,p1,ben,tie\n",
	} {
		dir := t.TempDir()
		write(t, dir, "arena.csv", []byte(text))
		got, notes, err := Judgements(filepath.Join(dir, "arena.csv"))
		if err != nil || len(notes) > 0 {
			t.Fatal(notes, err)
		}
		if diff := cmp.Diff(want, got.Preferences); diff != "" {
			t.Error(diff)
		}
	}
}

// TestScores: scores stand beside preferences or alone; a missing rater is said.
func TestScores(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "s.csv", []byte("step,prompt,score\n1,a,0.5\n1,b,-2\n"))
	got, notes, err := Judgements(filepath.Join(dir, "s.csv"))
	if err != nil {
		t.Fatal(err)
	}
	want := []record.Score{{Step: 1, Prompt: "a", Value: 0.5}, {Step: 1, Prompt: "b", Value: -2}}
	if diff := cmp.Diff(want, got.Scores); diff != "" {
		t.Error(diff)
	}
	wantLine(t, notes, "2 judgements", "without a rater")
}

// TestBadJudgements: each mistake is one line with file, row, and what to write.
func TestBadJudgements(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"no-step.csv":    {"prompt,rater,preference\np,r,win\n", ":1: there is no column step (or checkpoint)"},
		"no-choice.csv":  {"step,prompt,rater\n1,p,r\n", ":1: there is no column preference"},
		"word.csv":       {"step,prompt,rater,preference\n1,p,r,win\n2,p,r,maybe\n", ":3: \"maybe\" is no preference: write win, tie or loss"},
		"step.csv":       {"step,prompt,rater,preference\nlast,p,r,win\n", ":2: \"last\" is no step"},
		"nan.csv":        {"step,prompt,rater,score\n1,p,r,NaN\n", ":2: \"NaN\" is no score"},
		"infinite.csv":   {"step,prompt,rater,score\n1,p,r,inf\n", ":2: \"inf\" is no score"},
		"length.csv":     {"step,prompt,rater,preference,length\n1,p,r,win,long\n", ":2: \"long\" is no length"},
		"broken.jsonl":   {"{\"step\": 1, \"prompt\": \"p\", \"rater\": \"r\", \"score\": 1}\n{\"step\": 2,\n", ":2: is not a JSON object"},
		"no-prompt.json": {`{"step": 1, "rater": "r", "score": 1}`, ":1: there is no prompt"},
		"itself.csv":     {"step,against,prompt,rater,winner\n5,5,p,r,win\n", ":2: checkpoint 5 is compared with itself"},
		"nobody.csv":     {"step,against,prompt,rater,winner\n5,gpt,p,r,win\n", ":2: \"gpt\" is no other checkpoint"},
		"third.csv":      {"step,against,prompt,rater,winner\n5,6,p,r,7\n", ":2: \"7\" is no preference"},
		"empty.csv":      {"", "is empty"},
		"only-names.csv": {"step,prompt,rater,score\n", "holds no judgement"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, name, []byte(test.text))
			_, _, err := Judgements(filepath.Join(dir, name))
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
	if _, _, err := Judgements(filepath.Join(t.TempDir(), "none.csv")); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Error(err)
	}
}

// TestJudgementsInTheFolder: a file of judgements within the run's folder is one, no log.
func TestJudgementsInTheFolder(t *testing.T) {
	r := run(t, folder(t, `
-- log.csv --
step,reward
1,2
-- judged/preferences.csv --
step,prompt,rater,winner
1,p,anna,model
-- scores.jsonl --
{"step": 1, "prompt": "p", "rater": "anna", "score": 3}
`), Options{})
	if len(r.Judgements.Preferences) != 1 || len(r.Judgements.Scores) != 1 || len(r.Series) != 1 {
		t.Errorf("%+v %+v", r.Judgements, r.Series)
	}
}

// TestRatersAlike: a name that is written in two ways is said, once.
func TestRatersAlike(t *testing.T) {
	file := filepath.Join(t.TempDir(), "j.csv")
	text := "step,prompt,rater,preference\n1,p,anna,win\n1,q,Anna,tie\n2,q,anna,tie\n2,p,bob,tie\n2,p,Anna,win\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	_, notes, err := Judgements(file)
	if want := []string{`the raters "anna" and "Anna" are taken for two: if they are one, write one name`}; err != nil || !slices.Equal(notes, want) {
		t.Errorf("%q, %v", notes, err)
	}
}
