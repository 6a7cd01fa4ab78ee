package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rlvet/rlvet/internal/watch"
	"github.com/rlvet/rlvet/internal/words"
)

// fewEvaluations is how many evaluations of a place an answer holds unless the call says otherwise.
const fewEvaluations = 50

// watchInput are the arguments of the tool watch.
type watchInput struct {
	Script   string   `json:"script,omitempty" jsonschema:"the script to run"`
	Module   string   `json:"module,omitempty" jsonschema:"the module to run instead of a script, such as package.train"`
	Args     []string `json:"args,omitempty" jsonschema:"the program's own arguments: choose them so that a run is short"`
	At       []string `json:"at,omitempty" jsonschema:"places: FILE:LINE, FILE:LINE:COLUMN, or EXPRESSION@FILE:LINE such as adv.std()@ppo.py:88; none watches what is inferred to be ratio, advantages, losses ..."`
	Clip     float64  `json:"clip,omitempty" jsonschema:"a ratio farther from 1 counts as clipped (default 0.2)"`
	Seeds    []int    `json:"seeds,omitempty" jsonschema:"seeds to run, a run each (default 0)"`
	Timeout  string   `json:"timeout,omitempty" jsonschema:"time for each run, such as 90s or 10m"`
	MaxSteps int      `json:"max_steps,omitempty" jsonschema:"end a run after so many optimizer steps"`
	Limit    int      `json:"limit,omitempty" jsonschema:"evaluations of each place in the data, evenly spread (default 50); the rest is counted"`
}

var watchTool = sdk.Tool{
	Name: "watch", Title: "Watch expressions of a script",
	Description: "Run a training script unmodified, in a copy of its project, and tell what expressions are at each evaluation, by update and mini-epoch: mean, std, " +
		"range, NaN, gradient; of ratios the clipped share and the approximate KL. Instead of prints that you would add and remove. Pass arguments, max_steps or a timeout " +
		"that keep the run short.",
	Annotations: &sdk.ToolAnnotations{},
}

// answerWatch is the tool.
func (o Options) answerWatch(ctx context.Context, req *sdk.CallToolRequest, in watchInput) (*sdk.CallToolResult, any, error) {
	defer beating(ctx, req, "running the program")()
	request, err := o.watchRequest(in)
	if err != nil {
		return nil, nil, err
	}
	result, err := watch.Run(ctx, request)
	if err != nil {
		return nil, nil, err
	}
	notes := append(result.Misplaced, result.Trouble()...)
	if len(result.Places) == 0 {
		return nil, nil, errors.New(strings.Join(notes, "\n"))
	}
	var b strings.Builder
	if err := watch.WriteText(&b, result); err != nil {
		return nil, nil, err
	}
	for _, note := range notes {
		fmt.Fprintf(&b, "error: %s\n", words.Plain(note))
	}
	limit := in.Limit
	if limit == 0 {
		limit = fewEvaluations
	}
	return text(b.String()), result.JSON(limit), nil
}

// watchRequest is what an agent asks for, within the limits of the server.
func (o Options) watchRequest(in watchInput) (watch.Request, error) {
	if in.Limit < 0 || in.Limit == 1 {
		return watch.Request{}, fmt.Errorf("limit: %d is not a number of evaluations; give 2 or more", in.Limit)
	}
	if in.Clip < 0 {
		return watch.Request{}, fmt.Errorf("clip: %g is no clip range; give a number above 0", in.Clip)
	}
	run, err := o.onceRequest(Run{Script: in.Script, Module: in.Module, Args: in.Args, Seeds: in.Seeds, Timeout: in.Timeout, MaxSteps: in.MaxSteps})
	if err != nil {
		return watch.Request{}, err
	}
	r := watch.Request{Request: run.Request, Clip: in.Clip}
	for _, text := range in.At {
		at, err := watch.ParseAt(text)
		if err != nil {
			return r, fmt.Errorf("at: %w", err)
		}
		r.At = append(r.At, at)
	}
	return r, nil
}
