package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rlvet/rlvet/internal/reward"
)

// rewardInput are the arguments of the tool reward.
type rewardInput struct {
	Function   string `json:"function" jsonschema:"the file and the function in it, FILE.py:FUNCTION, or an expression that yields one: rewards.py:cosine(max_len=1000)"`
	Data       string `json:"data,omitempty" jsonschema:"JSON Lines of prompts, with the columns that the function takes (default: built-in sums)"`
	Answer     string `json:"answer,omitempty" jsonschema:"the column that holds the right answer"`
	Form       string `json:"form,omitempty" jsonschema:"a completion with the right answer, with {answer} in it (default: the best of many)"`
	Framework  string `json:"framework,omitempty" jsonschema:"call the function as this framework does: trl, verl, openrlhf or plain (default: by its parameters)"`
	MaxPrompts int    `json:"max_prompts,omitempty" jsonschema:"try so many prompts of the data at most (default 12)"`
}

var rewardTool = sdk.Tool{
	Name: "reward", Title: "Try a reward function",
	Description: "Call a reward function as its trainer would, in a copy of its project and without network, with right and wrong answers and with what a policy would " +
		"try (nothing, the format without an answer, every answer listed, code that exits ...). Say which tricks it pays for and whether it keeps its contract with the trainer. " +
		"Call it after writing or changing a reward function.",
	Annotations: &sdk.ToolAnnotations{},
}

// answerReward is the tool.
func (o Options) answerReward(ctx context.Context, req *sdk.CallToolRequest, in rewardInput) (*sdk.CallToolResult, any, error) {
	defer beating(ctx, req, "calling the function")()
	request, err := o.rewardRequest(in)
	if err != nil {
		return nil, nil, err
	}
	result, err := reward.Run(ctx, request)
	if err != nil {
		return nil, nil, err
	}
	var b strings.Builder
	if err := reward.WriteText(&b, result, false); err != nil {
		return nil, nil, err
	}
	return text(b.String()), result, nil
}

// rewardRequest is what an agent asks for, within the limits of the server.
func (o Options) rewardRequest(in rewardInput) (reward.Request, error) {
	r := *o.Reward
	r.Check = o.Check
	r.Check.Resolver = o.settings(nil)
	r.Data, r.Answer, r.Form, r.Framework, r.Version = in.Data, in.Answer, in.Form, in.Framework, o.Check.Version
	switch {
	case in.Function == "":
		return r, errors.New("function: name the file and the function, as in rewards.py:accuracy")
	case in.Framework != "" && !slices.Contains(reward.Frameworks, in.Framework):
		return r, fmt.Errorf("framework: there is no %s; there are %s", in.Framework, strings.Join(reward.Frameworks, ", "))
	case in.Form != "" && !strings.Contains(in.Form, "{answer}"):
		return r, errors.New("form: there is no {answer} in it")
	case in.Answer != "" && in.Data == "":
		return r, errors.New("answer names a column of the data; give data too")
	case in.MaxPrompts < 0:
		return r, fmt.Errorf("max_prompts: %d is not a number of prompts; give 1 or more", in.MaxPrompts)
	case in.MaxPrompts > 0:
		r.MaxPrompts = in.MaxPrompts
	}
	file, function, err := reward.Split(in.Function)
	if err != nil {
		return r, err
	}
	r.Scripts, r.Function = []string{file}, function
	return r, nil
}
