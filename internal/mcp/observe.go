package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rlvet/rlvet/internal/observe"
)

// observeInput are the arguments of the tool observe.
type observeInput struct {
	Script   string   `json:"script,omitempty" jsonschema:"the script to run"`
	Module   string   `json:"module,omitempty" jsonschema:"the module to run instead of a script, such as package.train"`
	Args     []string `json:"args,omitempty" jsonschema:"the program's own arguments"`
	Timeout  string   `json:"timeout,omitempty" jsonschema:"time for the run, such as 90s or 10m"`
	MaxSteps int      `json:"max_steps,omitempty" jsonschema:"end the run after so many optimizer steps (default 64)"`
}

var observeTool = sdk.Tool{
	Name: "observe", Title: "Check a script by what one short run of it showed",
	Description: "Run a training script unmodified, in a copy of its project, for one short seed, record what every expression is, and run the rules of `check` with that " +
		"known: what a registry, a container or a framework hands over. Call it where `check` says nothing of code that hides what it calls. What did not run is not judged.",
	Annotations: &sdk.ToolAnnotations{},
}

// answerObserve is the tool.
func (o Options) answerObserve(ctx context.Context, req *sdk.CallToolRequest, in observeInput) (*sdk.CallToolResult, checkAnswer, error) {
	defer beating(ctx, req, "running the program")()
	run, err := o.onceRequest(Run{Script: in.Script, Module: in.Module, Args: in.Args, Timeout: in.Timeout, MaxSteps: in.MaxSteps})
	if err != nil {
		return nil, checkAnswer{}, err
	}
	result, err := observe.Run(ctx, observe.Request{Request: run.Request})
	if err != nil {
		return nil, checkAnswer{}, err
	}
	answer := newCheckAnswer(result.Checked, fewFindings)
	lines, err := concise(result.Checked, fewFindings)
	return text(lines + answer.remarks() + result.Summary()), answer, err
}
