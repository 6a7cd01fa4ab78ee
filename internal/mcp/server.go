package mcp

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rlvet/rlvet/internal/confirm"
	"github.com/rlvet/rlvet/internal/reward"
	"github.com/rlvet/rlvet/internal/unanswered"
	"github.com/rlvet/rlvet/internal/vet"
)

// Options are what the server takes from the program around it.
type Options struct {
	Dir string // to which paths of calls refer
	// Check is what all checks have in common. Its settings may change meanwhile: each call
	// reads them anew.
	Check vet.Request
	// Confirm is what the runs that agents ask for have in common, and may not exceed; nil
	// offers no tool that runs a program.
	Confirm *confirm.Request
	// Reward is the same for calls of reward functions; nil offers no such tool.
	Reward *reward.Request

	// vet.Check, vet.Fix and confirm.Run, but in tests. They are called by several calls at once.
	check, fix func(context.Context, vet.Request) (*vet.Result, error)
	confirm    func(context.Context, confirm.Request) (*confirm.Result, error)
	patience   time.Duration // unanswered.Patience, but in tests
}

// Serve speaks with the client until it hangs up and has its answers, or ctx ends, and returns
// when no call runs any more.
func Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser, o Options) error {
	o = o.complete()
	session, stop := context.WithCancel(ctx)
	calls := &calls{ended: session}
	err := o.server(calls).Run(session, patient{&sdk.IOTransport{Reader: in, Writer: out}, o.patience})
	stop()
	calls.wait()
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("the client's messages cannot be read: %v; they must be JSON-RPC, one message a line", err)
	}
	return nil
}

func (o Options) complete() Options {
	if o.check == nil {
		o.check = vet.Check
	}
	if o.fix == nil {
		o.fix = vet.Fix
	}
	if o.confirm == nil {
		o.confirm = confirm.Run
	}
	if o.patience == 0 {
		o.patience = unanswered.Patience
	}
	return o
}

// server has the tools and resources.
func (o Options) server(calls *calls) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "rlvet", Title: "rlvet", Version: o.Check.Version}, &sdk.ServerOptions{
		Instructions: "rlvet finds mistakes in PyTorch code that trains by reinforcement learning: a log-ratio taken for a ratio, an advantage that " +
			"divides by zero, a KL penalty that never reaches the loss. Such code runs and does not learn. Call `check` after writing or changing such code, " +
			"`rule` to understand a finding, `fix` for the change that fixes it. Paths are absolute, or relative to " + o.Dir + ".",
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
	})
	add(s, calls, checkTool, o.answerCheck)
	add(s, calls, fixTool, o.answerFix)
	add(s, calls, ruleTool, o.answerRule)
	if o.Confirm != nil {
		add(s, calls, confirmTool, o.answerConfirm)
		add(s, calls, watchTool, o.answerWatch)
		add(s, calls, observeTool, o.answerObserve)
	}
	if o.Reward != nil {
		add(s, calls, rewardTool, o.answerReward)
	}
	o.addPages(s)
	s.AddReceivingMiddleware(o.sayHow)
	return s
}

// sayHow answers calls of tools that run programs, where the server may not run any, with how to start it: that the tool is unknown would
// be no help.
func (o Options) sayHow(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		call, ok := request.(*sdk.CallToolRequest)
		if !ok {
			return next(ctx, method, request)
		}
		runs := o.Confirm == nil && slices.Contains([]string{confirmTool.Name, watchTool.Name, observeTool.Name}, call.Params.Name)
		if runs || o.Reward == nil && call.Params.Name == rewardTool.Name {
			answer := text(call.Params.Name + " runs programs, and this server may not: a person has to start it as `rlvet mcp --allow-run`")
			answer.IsError = true
			return answer, nil
		}
		return next(ctx, method, request)
	}
}

// add adds a tool, with the schema of its arguments.
func add[In, Out any](s *sdk.Server, c *calls, tool sdk.Tool, handler sdk.ToolHandlerFor[In, Out]) {
	tool.InputSchema = schemaOf[In]()
	sdk.AddTool(s, &tool, guarded(c, handler))
}

// readOnly are the hints for a tool that only reads.
func readOnly() *sdk.ToolAnnotations {
	closed := false
	return &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed}
}

// text is an answer to read.
func text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}
