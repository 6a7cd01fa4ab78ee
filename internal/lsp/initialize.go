package lsp

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"github.com/rlvet/rlvet/internal/lsp/protocol"
)

// client is what the client can do, as far as it matters here.
type client struct {
	encoding      encoding
	pulls         bool // it asks for diagnostics, so they are not pushed
	refreshes     bool // it can be told to ask again
	refreshHints  bool
	lenses        bool // it shows commands above lines
	refreshLenses bool
	evidence      bool // it shows the page of a run, as rlvet/evidence
	watches       bool // it says which files change
	configuration bool // it can be asked for settings
	progress      bool
	shows         bool // documents, in a browser if need be
	versions      bool // in edits of documents
	related, tags bool // in diagnostics
}

// capabilities are the client's, read leniently: what is missing or of another
// form it does not have.
type capabilities struct {
	General struct {
		PositionEncodings []string
	}
	TextDocument struct {
		Diagnostic         *struct{}
		CodeLens           *struct{}
		PublishDiagnostics struct {
			RelatedInformation bool
			TagSupport         *struct{}
		}
	}
	Workspace struct {
		Configuration         bool
		DidChangeWatchedFiles struct{ DynamicRegistration bool }
		WorkspaceEdit         struct{ DocumentChanges bool }
		Diagnostics           struct{ RefreshSupport bool }
		InlayHint             struct{ RefreshSupport bool }
		CodeLens              struct{ RefreshSupport bool }
	}
	Window struct {
		WorkDoneProgress bool
		ShowDocument     struct{ Support bool }
	}
	Experimental struct{ RlvetEvidence bool }
}

func (c *capabilities) client() client {
	w := &c.Workspace
	return client{
		encoding: encoding{utf8: slices.Contains(c.General.PositionEncodings, "utf-8")},
		pulls:    c.TextDocument.Diagnostic != nil, refreshes: w.Diagnostics.RefreshSupport, refreshHints: w.InlayHint.RefreshSupport,
		lenses: c.TextDocument.CodeLens != nil, refreshLenses: w.CodeLens.RefreshSupport, evidence: c.Experimental.RlvetEvidence,
		watches: w.DidChangeWatchedFiles.DynamicRegistration, configuration: w.Configuration,
		progress: c.Window.WorkDoneProgress, shows: c.Window.ShowDocument.Support, versions: w.WorkspaceEdit.DocumentChanges,
		related: c.TextDocument.PublishDiagnostics.RelatedInformation || c.TextDocument.Diagnostic != nil,
		tags:    c.TextDocument.PublishDiagnostics.TagSupport != nil || c.TextDocument.Diagnostic != nil,
	}
}

// initializeParams are the first words of a client.
type initializeParams struct {
	ProcessID             *int
	RootURI               *protocol.DocumentURI
	RootPath              *string
	WorkspaceFolders      []protocol.WorkspaceFolder
	Capabilities          json.RawMessage
	InitializationOptions json.RawMessage
}

// initialize answers with what the server can do.
func (s *server) initialize(_ context.Context, p initializeParams) (any, error) {
	var c capabilities
	_ = json.Unmarshal(p.Capabilities, &c) // what was read before a mistake counts
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client, s.stage = c.client(), running
	for _, root := range p.roots() {
		s.addRoot(root)
	}
	s.configure(p.InitializationOptions)
	if p.ProcessID != nil {
		go s.outlive(*p.ProcessID)
	}
	return object{"capabilities": s.capabilities(), "serverInfo": object{"name": "rlvet", "version": s.Version}}, nil
}

// roots returns the absolute paths of the client's folders.
func (p *initializeParams) roots() []string {
	var out []string
	for _, f := range p.WorkspaceFolders {
		out = append(out, pathOf(f.URI))
	}
	if len(out) == 0 && p.RootURI != nil {
		out = append(out, pathOf(*p.RootURI))
	}
	if len(out) == 0 && p.RootPath != nil && filepath.IsAbs(*p.RootPath) {
		out = append(out, cleaned(*p.RootPath))
	}
	return slices.DeleteFunc(out, func(path string) bool { return path == "" })
}

// The commands of code actions.
const (
	commandExplain = "rlvet.explain"
	commandConfirm = "rlvet.confirm"
)

// kindFixAll is the kind of the code action that applies all safe fixes of a file.
const kindFixAll = protocol.CodeActionKind("source.fixAll.rlvet")

// object is an object of JSON that is written at one place only.
type object = map[string]any

func (s *server) capabilities() object {
	commands := []string{commandExplain}
	if s.Confirm != nil {
		commands = append(commands, commandConfirm)
	}
	out := object{
		"positionEncoding": s.client.encoding.name(),
		"textDocumentSync": object{"openClose": true, "change": 2, "save": true}, // incremental
		"notebookDocumentSync": object{"notebookSelector": []object{
			{"cells": []object{{"language": "python"}}},
		}},
		"codeActionProvider":     object{"codeActionKinds": []protocol.CodeActionKind{protocol.QuickFix, kindFixAll}},
		"executeCommandProvider": object{"commands": commands},
		"hoverProvider":          true,
		"completionProvider":     object{"triggerCharacters": []string{"[", ","}},
		"documentSymbolProvider": true,
		"inlayHintProvider":      true,
		"workspace":              object{"workspaceFolders": object{"supported": true, "changeNotifications": true}},
	}
	if s.client.pulls {
		out["diagnosticProvider"] = object{"identifier": "rlvet", "interFileDependencies": true, "workspaceDiagnostics": true}
	}
	if s.client.lenses && s.Confirm != nil {
		out["codeLensProvider"] = object{}
	}
	return out
}

// initialized asks the client for its settings and to say which files change.
func (s *server) initialized(context.Context, json.RawMessage) error {
	go s.register()
	return nil
}

// register makes the requests that only follow the client's initialized.
func (s *server) register() {
	ctx := context.Background() // ends with the connection
	if s.client.watches {
		var watchers []object
		for _, glob := range []string{"**/*.{py,pyw,ipynb,yaml,yml,json,sh}", "**/*.toml", "**/*requirements*.txt", "**/*.lock"} {
			watchers = append(watchers, object{"globPattern": glob})
		}
		s.request(ctx, "client/registerCapability", object{"registrations": []object{{
			"id": "files", "method": "workspace/didChangeWatchedFiles", "registerOptions": object{"watchers": watchers},
		}}}, nil)
	}
	s.pullConfiguration(ctx)
}

// ask makes a request whose answer does not matter, and does not wait for ever for
// one.
func (s *server) ask(method string, params any) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s.request(ctx, method, params, nil)
}

// request asks the client, and reads its answer into result. It is false where the
// client gives none.
func (s *server) request(ctx context.Context, method string, params, result any) bool {
	answer, err := s.rpc.Callback(ctx, method, params)
	if err != nil {
		return false
	}
	return result == nil || answer.UnmarshalResult(result) == nil
}
