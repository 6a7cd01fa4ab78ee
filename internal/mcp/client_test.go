package mcp

import (
	"context"
	"io"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/suppress"
	"github.com/rlvet/rlvet/internal/vet"
)

// talk is a session between the server and the SDK's own client.
type talk struct {
	*sdk.ClientSession
	t      *testing.T
	hangUp func() error
	ended  chan error // of Serve
}

// registry has a few rules.
func registry(t *testing.T) *rule.Registry {
	t.Helper()
	r, err := rule.NewRegistry(suppress.Rules(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// start starts a server with the options that a test is about.
func start(t *testing.T, o Options, client *sdk.ClientOptions) *talk {
	t.Helper()
	rules := registry(t)
	o.Check, o.Dir = vet.Request{Rules: rules, Version: "1.2.3", Resolver: &config.Resolver{Rules: rules, Isolated: true}}, "/work"
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	s := &talk{t: t, hangUp: toServer.Close, ended: make(chan error, 1)}
	go func() {
		s.ended <- Serve(context.Background(), fromClient, toClient, o)
		close(s.ended)
	}()
	var err error
	s.ClientSession, err = sdk.NewClient(&sdk.Implementation{Name: "test"}, client).
		Connect(context.Background(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.hangUp(); <-s.ended })
	return s
}

// call calls a tool, and returns what there is to read, and whether it is an error.
func (s *talk) call(tool string, arguments any) (string, bool) {
	s.t.Helper()
	res, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		s.t.Fatalf("%s: %v", tool, err)
	}
	return said(res), res.IsError
}

func said(res *sdk.CallToolResult) string {
	var b strings.Builder
	for _, c := range res.Content {
		b.WriteString(c.(*sdk.TextContent).Text)
	}
	return b.String()
}

// finds is a check that finds so many mistakes in train.py, whatever it is asked.
func finds(n int) func(context.Context, vet.Request) (*vet.Result, error) {
	return func(context.Context, vet.Request) (*vet.Result, error) {
		r := &vet.Result{Checked: 1}
		for i := range n {
			r.Findings = append(r.Findings, finding.Finding{
				Code: "ADV009", Name: "std-without-eps", Severity: finding.Error, Message: "the denominator is 0",
				Range: finding.Range{File: "train.py", Start: source.Position{Row: i + 1, Column: 3}, End: source.Position{Row: i + 1, Column: 9}},
			})
		}
		return r, nil
	}
}
