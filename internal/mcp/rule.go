package mcp

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/rlvet/rlvet/internal/rule"
)

// ruleInput are the arguments of the tool rule.
type ruleInput struct {
	Rule string `json:"rule,omitempty" jsonschema:"code or name, such as ADV009 or std-without-eps; without it all rules are listed"`
}

var ruleTool = sdk.Tool{
	Name: "rule", Title: "Explain a rule", Annotations: readOnly(),
	Description: "The page of a rule: what it finds, why it matters, what to write instead, and what is not flagged. Without a rule, a line on each.",
}

// answerRule is the tool rule. Its answer is a page to read, not data.
func (o Options) answerRule(_ context.Context, _ *sdk.CallToolRequest, in ruleInput) (*sdk.CallToolResult, any, error) {
	if in.Rule == "" {
		return text(o.listing()), nil, nil
	}
	e, ok := o.Check.Rules.Lookup(in.Rule)
	if !ok {
		return nil, nil, o.Check.Rules.Unknown(in.Rule)
	}
	return text(e.Doc.Markdown()), nil, nil
}

// listing is a line on each rule.
func (o Options) listing() string {
	var b strings.Builder
	for _, e := range o.Check.Rules.Entries() {
		fmt.Fprintf(&b, "%s %s (%s): %s\n", e.Doc.Code, e.Doc.Name, e.Doc.Status, e.Doc.Summary())
	}
	return b.String()
}

const (
	pages    = "rlvet://rules/"
	markdown = "text/markdown"
)

// addPages makes every rule's page a resource, under its code; a name is understood
// too.
func (o Options) addPages(s *sdk.Server) {
	for _, e := range o.Check.Rules.Entries() {
		s.AddResource(&sdk.Resource{
			URI: pages + e.Doc.Code, Name: e.Doc.Code, Title: e.Doc.Name, Description: e.Doc.Summary(), MIMEType: markdown,
		}, page(e.Doc))
	}
	s.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: pages + "{rule}", Name: "rule", Description: "The page of a rule, by code or name.", MIMEType: markdown,
	}, o.find)
}

// page reads the resource of one rule.
func page(d *rule.Doc) sdk.ResourceHandler {
	return func(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: markdown, Text: d.Markdown()}}}, nil
	}
}

// find reads a page by what the client calls its rule.
func (o Options) find(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	e, ok := o.Check.Rules.Lookup(strings.TrimPrefix(req.Params.URI, pages))
	if !ok {
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	return page(e.Doc)(ctx, req)
}
