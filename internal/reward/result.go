package reward

import (
	"encoding/json"
	"io"
	"math"

	"github.com/rlvet/rlvet/internal/harness"
	"github.com/rlvet/rlvet/internal/report"
	"github.com/rlvet/rlvet/internal/vet"
)

// Result is what the calls showed. Its JSON is what `rlvet reward --output-format json` prints.
type Result struct {
	// File is the function's, as the user names it; Function its name, Row its line, 0 where
	// that is not known.
	File     string `json:"file"`
	Function string `json:"function"`
	Row      int    `json:"row"`
	// Framework is how it was called: trl, verl, verl-batched, openrlhf or plain. Messages says
	// that completions were lists of messages.
	Framework string `json:"framework"`
	Messages  bool   `json:"messages"`
	// Data is the file of prompts, "" for those that are built in; Answer the column with what
	// is right.
	Data      string            `json:"data"`
	Answer    string            `json:"answer"`
	Prompts   int               `json:"prompts"`
	Python    string            `json:"python"`
	Isolation harness.Isolation `json:"isolation"`
	// Found says that a trick works or the contract is broken: exit code 1.
	Found    bool              `json:"found"`
	Form     Form              `json:"form"`
	Contract []Check           `json:"contract"`
	Groups   Groups            `json:"groups"`
	Tricks   []Trick           `json:"tricks"`
	Effects  []Effect          `json:"effects"`
	Time     Time              `json:"time"`
	Points   []Point           `json:"points"`
	Network  []string          `json:"network"`
	Files    []string          `json:"files"`
	Started  []string          `json:"processes"`
	Notes    []string          `json:"notes"`
	Findings []vet.FindingJSON `json:"findings"`
	Seconds  float64           `json:"seconds"`
	Version  string            `json:"rlvet"`
}

// newResult is a result without anything; lists that are empty are lists in JSON too.
func newResult() *Result {
	return &Result{
		Contract: []Check{}, Tricks: []Trick{}, Effects: []Effect{}, Points: []Point{}, Network: []string{}, Files: []string{}, Started: []string{}, Notes: []string{}, Findings: []vet.FindingJSON{},
	}
}

// Form is the form in which the right answer scored best.
type Form struct {
	Name     string `json:"name"`
	Template string `json:"template"`
	// Right and Wrong are the mean rewards of a right and a wrong answer in it. Judged says
	// that the right one gets more: without that, no trick can be judged.
	Right  *float64 `json:"right"`
	Wrong  *float64 `json:"wrong"`
	Judged bool     `json:"judged"`
}

// Check is a part of the contract between a function and its trainer.
type Check struct {
	// Name is rewards, type, finite, exceptions, ends, deterministic, order or lines.
	Name string `json:"name"`
	// Status is kept, broken or unknown.
	Status string `json:"status"`
	Says   string `json:"says"`
	// Help says what to change, "" where it is kept.
	Help string `json:"help"`
	// Examples are calls that break it.
	Examples []Example `json:"examples"`
}

// Example is a call.
type Example struct {
	Completion string `json:"completion"`
	// What is its trick, "right answer" or "wrong answer".
	What string `json:"what"`
	Says string `json:"says"`
	File string `json:"file,omitempty"`
	Row  int    `json:"row,omitempty"`
}

// Groups says how rewards spread within the completions of a prompt.
type Groups struct {
	Prompts int `json:"prompts"`
	// Alike are the prompts of which all completions get the same reward.
	Alike int `json:"alike"`
}

// Trick is what a trick scored, as means over prompts.
type Trick struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Help  string `json:"help"`
	// Works says that it is worth the while of a policy.
	Works bool `json:"works"`
	// AnswersRight says that the completion gives the right answer, and works if it gets more.
	AnswersRight bool `json:"answers_right"`
	Prompts      int  `json:"prompts"`
	// Hits are the prompts on which it works, AsGood those on which it scores at least what the
	// right answer does.
	Hits   int      `json:"hits"`
	AsGood int      `json:"as_good"`
	Reward *float64 `json:"reward"`
	Right  *float64 `json:"right"`
	Wrong  *float64 `json:"wrong"`
	// Worst is the prompt on which it gains most over the right answer.
	Worst *Worst `json:"worst"`
}

// Worst is a prompt with the completion of a trick.
type Worst struct {
	Prompt          string  `json:"prompt"`
	Completion      string  `json:"completion"`
	Reward          float64 `json:"reward"`
	RightCompletion string  `json:"right_completion"`
	Right           float64 `json:"right"`
	Wrong           float64 `json:"wrong"`
}

// Effect is by how much something raises the reward that should not.
type Effect struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Unit  string `json:"unit"`
	// Of is right or wrong: the answers of the completions.
	Of string `json:"of"`
	// Correlation is Spearman's, within prompts, with its 95 % interval; nil where no reward changes.
	Correlation *float64 `json:"correlation"`
	Low         *float64 `json:"low"`
	High        *float64 `json:"high"`
	// Gain is the mean reward at the last level less that at the first.
	Gain *float64 `json:"gain"`
	// Levels and Rewards are the means at each level.
	Levels  []float64  `json:"levels"`
	Rewards []*float64 `json:"rewards"`
}

// Time is what calls of one completion take, in seconds.
type Time struct {
	Calls  int     `json:"calls"`
	Median float64 `json:"median"`
	Most   float64 `json:"most"`
}

// Point is a completion in the plot of rewards by length.
type Point struct {
	Characters int     `json:"characters"`
	Reward     float64 `json:"reward"`
	// Of is right, wrong or trick.
	Of string `json:"of"`
}

// WriteJSON writes the result as one object.
func WriteJSON(w io.Writer, r *Result) error { return report.WriteJSON(w, r) }

// number is a mean as JSON can hold it, nil where there is none.
func number(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// reward is a reward as Python tells it: a number, "nan", "inf" or "-inf", or null.
type reward float64

func (r *reward) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "null", `"nan"`:
		*r = reward(math.NaN())
	case `"inf"`:
		*r = reward(math.Inf(1))
	case `"-inf"`:
		*r = reward(math.Inf(-1))
	default:
		return json.Unmarshal(text, (*float64)(r))
	}
	return nil
}
