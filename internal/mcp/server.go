package mcp

import (
	"context"
	"fmt"
	"io"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rlvet/rlvet/internal/edit"
	"github.com/rlvet/rlvet/internal/report"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/source"
)

// Options are what the server takes from the program around it.
type Options struct {
	Rules   *rule.Registry
	Version string
	Dir     string // to which paths of calls refer
	// Check is `rlvet check`. It is called by several calls at once.
	Check func(context.Context, Query) (*Checked, error)
	// Confirm is `rlvet confirm` of one program; nil offers no such tool.
	Confirm func(context.Context, Run) (*Confirmed, error)
}

// Query is what is to be checked: Paths, or Text where that is not nil.
type Query struct {
	Paths  []string
	Text   *string
	Path   string   // what Text stands for; "" for nothing in particular
	Select []string // rules, instead of those that settings select
	Fix    bool     // apply fixes, to copies in memory
	Unsafe bool     // unsafe ones too
}

// Checked is what a check found.
type Checked struct {
	*report.Report
	Changes []Change
	Notes   []string // warnings, a line each
}

// Change is a file that fixes would change.
type Change struct{ Before, After *source.File }

// Diff is the change in unified form.
func (c Change) Diff() string { return edit.DiffFile(c.Before, c.After) }

// Serve speaks with the client until it hangs up or ctx ends, and returns when no
// call runs any more.
func Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser, o Options) error {
	session, stop := context.WithCancel(ctx)
	calls := &calls{ended: session}
	err := o.server(calls).Run(session, &sdk.IOTransport{Reader: in, Writer: out})
	stop()
	calls.wait()
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("the client's messages cannot be read: %v; they must be JSON-RPC, one message a line", err)
	}
	return nil
}

// server has the tools and resources.
func (o Options) server(calls *calls) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "rlvet", Title: "rlvet", Version: o.Version}, &sdk.ServerOptions{
		Instructions: "rlvet finds mistakes in PyTorch code that trains by reinforcement learning: a log-ratio taken for a ratio, an advantage that " +
			"divides by zero, a KL penalty that never reaches the loss. Such code runs and does not learn. Call `check` after writing or changing such code, " +
			"`rule` to understand a finding, `fix` for the change that mends it. Paths are absolute, or relative to " + o.Dir + ".",
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
	})
	add(s, calls, checkTool, o.check)
	add(s, calls, fixTool, o.fix)
	add(s, calls, ruleTool, o.explain)
	if o.Confirm != nil {
		add(s, calls, confirmTool, o.confirm)
	}
	o.addPages(s)
	return s
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
