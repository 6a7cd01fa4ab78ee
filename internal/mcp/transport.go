package mcp

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rlvet/rlvet/internal/unanswered"
)

// patient is a transport that hears of the end of the input only when what was asked before has
// its answer, since the SDK cancels then what runs: `printf ... | rlvet mcp` is answered, too.
type patient struct {
	sdk.Transport
	patience time.Duration
}

// Connect implements sdk.Transport.
func (p patient) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := p.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	over, stop := context.WithCancel(ctx)
	return &connection{c, p.patience, unanswered.New(), over, stop}, nil
}

type connection struct {
	sdk.Connection
	patience time.Duration
	requests *unanswered.Requests
	over     context.Context // the session's, until the connection is closed
	close    func()
}

// Read implements sdk.Connection.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if errors.Is(err, io.EOF) {
		c.requests.Wait(c.over.Done(), c.patience)
	}
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		c.requests.Asked(r.ID)
	}
	return m, err
}

// Write implements sdk.Connection.
func (c *connection) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if r, ok := m.(*jsonrpc.Response); ok {
		c.requests.Answered(r.ID)
	}
	return err
}

// Close implements sdk.Connection.
func (c *connection) Close() error {
	c.close()
	return c.Connection.Close()
}
