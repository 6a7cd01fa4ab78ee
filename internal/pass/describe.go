package pass

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/rl/domain"
	"github.com/rlvet/rlvet/internal/rl/infer"
)

// # What an editor says of a value
//
// The reveal notation is for those who write rules. A reader gets words, most
// telling first: "log-prob of the current policy, [batch, time], attached, since
// line 41: Categorical.log_prob".

// Describe says in a line what is known of a value that was met in a frame, with
// its origin; "" where its kind is unknown or says nothing.
func Describe(v *infer.Val, frame *infer.Frame) string {
	text := Brief(v)
	if text == "" {
		return ""
	}
	if bounds := boundWords(v.Q.Range); bounds != "" {
		text += ", " + bounds
	}
	if birth := sinceWords(v, frame); birth != "" {
		text += ", " + birth
	}
	if v.Q.Evidence == domain.NameOnly {
		text += ", going by its name only"
	}
	return text
}

// Tells reports whether a value is one of RL's quantities, or may be: what a plain
// number or text is called tells nobody anything.
func Tells(v *infer.Val) bool {
	const plain = domain.Number | domain.Text | domain.Other
	return v.Q.Kind.Known() && v.Q.Kind&^plain != 0
}

// Brief is Describe without bounds and origin.
func Brief(v *infer.Val) string {
	if v == nil || !v.Q.Kind.Known() {
		return ""
	}
	kind := kindWords(v.Q.Kind)
	if kind == "" {
		return ""
	}
	parts := []string{kind}
	if owner, ok := ownerWords[v.Q.Whose]; ok {
		parts[0] += " of the " + owner
	}
	if v.Q.Shape.Known() {
		parts = append(parts, shapeWords(v.Q.Shape))
	}
	if v.Q.Grad == domain.Attached || v.Q.Grad == domain.Detached {
		parts = append(parts, v.Q.Grad.String())
	}
	return strings.Join(parts, ", ")
}

var ownerWords = map[domain.Whose]string{
	domain.Current: "current policy", domain.Old: "old policy", domain.Reference: "reference model", domain.Target: "target network",
}

var axisWords = map[domain.Axis]string{
	domain.AxisBatch: "batch", domain.AxisGroup: "group", domain.AxisTime: "time", domain.AxisAction: "action",
	domain.AxisVocab: "vocabulary", domain.AxisFeature: "feature",
}

// shapeWords names the dims: "[batch, 8]", "a scalar".
func shapeWords(s domain.Shape) string {
	if s.Rank == 0 {
		return "a scalar"
	}
	var dims []string
	for _, d := range s.Dims[:s.Rank] {
		dims = append(dims, dimWords(d))
	}
	return "[" + strings.Join(dims, ", ") + "]"
}

func dimWords(d domain.Dim) string {
	axis, named := axisWords[d.Axis]
	switch {
	case named && d.N >= 0:
		return fmt.Sprintf("%s %d", axis, d.N)
	case named:
		return axis
	case d.N >= 0:
		return strconv.Itoa(int(d.N))
	}
	return "?"
}

// boundWords says what a range excludes.
func boundWords(r domain.Range) string {
	text := strings.NewReplacer(">=", "at least ", "<=", "at most ", "!=0", "never 0").Replace(r.String())
	return strings.ReplaceAll(strings.ReplaceAll(text, " at most", " and at most"), " never", " and never")
}

// sinceWords says where a value became what it is, unless that is where it stands.
func sinceWords(v *infer.Val, frame *infer.Frame) string {
	chain := history(v, frame)
	if len(chain) == 0 {
		return ""
	}
	birth := chain[len(chain)-1]
	src := sourceOf(birth.frame.Module)
	cell, from, _ := src.File.Span(int(birth.Node.Span().Start), int(birth.Node.Span().Start))
	text := fmt.Sprintf("since line %d", from.Row)
	if cell > 0 {
		text += fmt.Sprintf(" of cell %d", cell)
	}
	if frame != nil && birth.frame.Module != frame.Module {
		text += " of " + src.Name
	}
	if op := opName(birth.Val); op != "" {
		text += ": " + op
	}
	return text
}
