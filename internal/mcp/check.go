package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/report"
	"github.com/rlvet/rlvet/internal/vet"
)

// fewFindings is how many findings an answer holds unless the call says otherwise.
const fewFindings = 50

// checkInput are the arguments of the tool check.
type checkInput struct {
	subject
	Limit int `json:"limit,omitempty" jsonschema:"list so many findings at most (default 50); the rest is counted"`
}

// subject are the arguments that say what to check.
type subject struct {
	Paths  []string `json:"paths,omitempty" jsonschema:"files and folders to check, notebooks too"`
	Text   *string  `json:"text,omitempty" jsonschema:"a Python program to check instead of files, such as one that is not saved yet"`
	Path   string   `json:"path,omitempty" jsonschema:"the file that text stands for: its settings hold, and what it imports is found from there"`
	Select []string `json:"select,omitempty" jsonschema:"rules to run instead of those that the settings select: codes, names, prefixes or ALL"`
}

var checkTool = sdk.Tool{
	Name: "check", Title: "Check RL training code", Annotations: readOnly(),
	Description: "Report mistakes in the mathematics of PyTorch code that trains by reinforcement learning. Reads files, or a text; runs nothing and " +
		"changes nothing. [*] marks findings that the tool `fix` can fix.",
}

// answerCheck is the tool.
func (o Options) answerCheck(ctx context.Context, _ *sdk.CallToolRequest, in checkInput) (*sdk.CallToolResult, checkAnswer, error) {
	if in.Limit < 0 {
		return nil, checkAnswer{}, fmt.Errorf("limit: %d is not a number of findings; give 1 or more", in.Limit)
	}
	request, err := o.request(in.subject)
	if err != nil {
		return nil, checkAnswer{}, err
	}
	checked, err := o.check(ctx, request)
	if err != nil {
		return nil, checkAnswer{}, err
	}
	limit := in.Limit
	if limit == 0 {
		limit = fewFindings
	}
	answer := newCheckAnswer(checked, limit)
	if answer.nothing() {
		return nil, answer, errors.New(answer.remarks())
	}
	lines, err := concise(checked, limit)
	return text(lines + answer.remarks()), answer, err
}

// request says what to check, or what is wrong with the arguments.
func (o Options) request(s subject) (vet.Request, error) {
	r := o.Check
	switch {
	case s.Text == nil && len(s.Paths) == 0:
		return r, errors.New("nothing to check: give paths or text")
	case s.Text != nil && len(s.Paths) > 0:
		return r, errors.New("paths and text contradict each other; give one of them (path says which file text stands for)")
	case s.Text == nil && s.Path != "":
		return r, errors.New("path says which file text stands for, and there is no text; to check the file, give paths")
	case slices.Contains(s.Paths, "-"):
		return r, errors.New("paths: standard input (-) is the protocol's own; give text")
	}
	r.Paths, r.Resolver = s.Paths, o.settings(s.Select)
	if s.Text != nil {
		r.Text = &vet.Text{Path: cmp.Or(filepath.ToSlash(s.Path), "-"), Raw: []byte(*s.Text)}
	}
	return r, nil
}

// settings are a call's own, with other rules where it names some.
func (o Options) settings(rules []string) *config.Resolver {
	r := o.Check.Resolver.Fresh()
	r.Bare = true
	if rules != nil {
		r.Override.Select = rules
	}
	return r
}

// concise are the findings, one a line, as `rlvet check --output-format concise`
// prints them.
func concise(r *vet.Result, limit int) (string, error) {
	few := *r
	few.Findings = r.Findings[:min(limit, len(r.Findings))]
	writer, err := report.New("concise", report.Look{Quiet: true})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = writer.Write(&b, &few)
	return b.String(), err
}
