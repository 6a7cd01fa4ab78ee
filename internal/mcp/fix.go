package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rlvet/rlvet/internal/vet"
	"github.com/rlvet/rlvet/internal/words"
)

// fixInput are the arguments of the tool fix.
type fixInput struct {
	subject
	Unsafe bool `json:"unsafe,omitempty" jsonschema:"take unsafe fixes too: they may change what the program means, so read them"`
}

// fixAnswer is what the tool fix answers, as data.
type fixAnswer struct {
	Fixed int          `json:"fixed" jsonschema:"findings that the edits fix"`
	Left  int          `json:"left" jsonschema:"findings that are left"`
	Edits []editAnswer `json:"edits"`
	Diff  string       `json:"diff"`
	Notes []string     `json:"notes,omitempty"`
}

// editAnswer replaces lines of a file. All lines are counted before any edit.
type editAnswer struct {
	Path string `json:"path"`
	Cell int    `json:"cell,omitempty" jsonschema:"of a notebook: lines count within it"`
	Line int    `json:"line" jsonschema:"the first line that is replaced, or the line before which lines are inserted"`
	Old  string `json:"old" jsonschema:"the whole lines that are replaced; empty for an insertion"`
	New  string `json:"new" jsonschema:"the whole lines that come in their place"`
}

var fixTool = sdk.Tool{
	Name: "fix", Title: "Propose fixes", Annotations: readOnly(),
	Description: "The edits that fix what rlvet can fix automatically, as edits of lines and as a unified diff. Nothing is written: apply the edits yourself.",
}

// answerFix is the tool.
func (o Options) answerFix(ctx context.Context, _ *sdk.CallToolRequest, in fixInput) (*sdk.CallToolResult, fixAnswer, error) {
	var answer fixAnswer
	request, err := o.request(in.subject)
	if err != nil {
		return nil, answer, err
	}
	if in.Unsafe {
		request.Resolver.Override.UnsafeFixes = &in.Unsafe
	}
	checked, err := o.fix(ctx, request)
	if err != nil {
		return nil, answer, err
	}
	found := newCheckAnswer(checked, 0)
	if found.nothing() {
		return nil, answer, errors.New(found.remarks())
	}
	answer, err = newFixAnswer(checked, append(found.Problems, found.Notes...))
	return text(answer.lines()), answer, err
}

func newFixAnswer(c *vet.Result, notes []string) (fixAnswer, error) {
	a := fixAnswer{Fixed: c.Fixed, Left: len(c.Findings), Edits: []editAnswer{}, Notes: notes}
	for _, change := range c.Changes {
		edits, err := editsOf(change)
		if err != nil {
			return a, err
		}
		a.Edits = append(a.Edits, edits...)
		a.Diff += change.Diff()
	}
	return a, nil
}

// lines is the answer to read.
func (a fixAnswer) lines() string {
	head := "No fixes to propose"
	if a.Fixed > 0 {
		head = "This fixes " + words.Count(a.Fixed, "finding")
	}
	head += fmt.Sprintf("; %s left.\n", words.Count(a.Left, "finding"))
	return strings.Join(append([]string{head + a.Diff}, a.Notes...), "\n")
}

// editsOf are a change as replacements of lines, cell by cell in a notebook.
func editsOf(c vet.Change) (out []editAnswer, err error) {
	if c.Before.Cells == nil {
		return replacements(editAnswer{Path: c.Before.Path}, string(c.Before.Text), string(c.After.Text))
	}
	for i, was := range c.Before.Cells {
		is := c.After.Cells[i]
		in, err := replacements(editAnswer{Path: c.Before.Path, Cell: was.Number},
			c.Before.Original(was.Start, was.End), c.After.Original(is.Start, is.End))
		if err != nil {
			return nil, err
		}
		out = append(out, in...)
	}
	return out, nil
}

// replacements are the differences of two texts; at says where the texts are.
func replacements(at editAnswer, before, after string) (out []editAnswer, err error) {
	diff, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), 0)
	if err != nil {
		return nil, err
	}
	for _, hunk := range diff.Hunks {
		e := at
		e.Line = hunk.FromLine
		for _, line := range hunk.Lines {
			switch line.Kind {
			case udiff.Delete:
				e.Old += line.Content
			case udiff.Insert:
				e.New += line.Content
			}
		}
		out = append(out, e)
	}
	return out, nil
}
