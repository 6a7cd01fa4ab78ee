package mcp

import (
	"context"
	"fmt"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// calls are the calls that run. They end with the session, and the session ends
// when they have: nothing that they started is left behind.
type calls struct {
	ended   context.Context // of the session
	running sync.WaitGroup
}

func (c *calls) wait() { c.running.Wait() }

// guarded counts a tool's calls, ends them with the session, and turns a panic,
// which is a mistake of ours, into an error of the tool.
func guarded[In, Out any](c *calls, tool sdk.ToolHandlerFor[In, Out]) sdk.ToolHandlerFor[In, Out] {
	return func(ctx context.Context, req *sdk.CallToolRequest, in In) (res *sdk.CallToolResult, out Out, err error) {
		c.running.Add(1)
		defer c.running.Done()
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		defer context.AfterFunc(c.ended, stop)()
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("internal error: %v; please report it with the file that caused it", v)
			}
		}()
		return tool(ctx, req, in)
	}
}
