package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"

	"github.com/rlvet/rlvet/internal/lsp"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/suppress"
	"github.com/rlvet/rlvet/rules"
)

// registry returns all rules.
func registry(t testing.TB) *rule.Registry {
	t.Helper()
	r, err := rule.NewRegistry(append(rules.All(), suppress.Rules()...), rules.Retired())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// editor is a client as editors are: it has buffers, sends what changes in them,
// and applies the edits that it gets.
type editor struct {
	t    testing.TB
	root string
	rpc  *jrpc2.Client
	code chan int // the exit code of the server, once
	hang io.Closer
	utf8 bool

	mu        sync.Mutex
	changed   chan struct{} // closed when something came
	texts     map[string]string
	versions  map[string]int
	shown     map[string]published // by URI
	published int                  // notifications
	messages  []string
	requests  []string
	answers   map[string]any // to the server's requests, by method

	capabilities map[string]any // the server's
	onShown      func(uri string, version int)
}

// published is what the server pushed last for a document.
type published struct {
	Version     int
	Diagnostics []diagnostic
}

type position struct{ Line, Character int }

type span struct{ Start, End position }

type diagnostic struct {
	Range              span
	Severity           int
	Code, Message      string
	CodeDescription    struct{ Href string }
	Tags               []int
	RelatedInformation []struct {
		Location struct {
			URI   string
			Range span
		}
		Message string
	}
}

type textEdit struct {
	Range   span
	NewText string
}

type codeAction struct {
	Title       string
	Kind        string
	IsPreferred bool
	Edit        *workspaceEdit
	Command     *struct {
		Command   string
		Arguments []any
	}
}

type workspaceEdit struct {
	Changes         map[string][]textEdit
	DocumentChanges []struct {
		TextDocument struct {
			URI     string
			Version *int
		}
		Edits []textEdit
	}
}

// connect starts a server and a client with these capabilities, on a folder.
func connect(t testing.TB, root string, o lsp.Options, capabilities, options string) *editor {
	t.Helper()
	e := &editor{
		t: t, root: root, code: make(chan int, 1), changed: make(chan struct{}), utf8: strings.Contains(capabilities, "utf-8"),
		texts: map[string]string{}, versions: map[string]int{}, shown: map[string]published{}, answers: map[string]any{},
	}
	if o.Rules == nil {
		o.Rules = registry(t)
	}
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	e.hang = toServer
	go func() { e.code <- lsp.Serve(context.Background(), fromClient, toClient, o) }()
	e.rpc = jrpc2.NewClient(channel.LSP(fromServer, toServer), &jrpc2.ClientOptions{OnNotify: e.notified, OnCallback: e.asked})
	t.Cleanup(func() {
		toServer.Close()
		toClient.Close()
	})
	params := map[string]any{"processId": nil, "rootUri": e.uri(""), "capabilities": json.RawMessage(capabilities)}
	if options != "" {
		params["initializationOptions"] = json.RawMessage(options)
	}
	var answer struct{ Capabilities map[string]any }
	e.call("initialize", params, &answer)
	e.capabilities = answer.Capabilities
	e.notify("initialized", map[string]any{})
	return e
}

func (e *editor) uri(path string) string {
	return "file://" + strings.TrimSuffix(filepath.ToSlash(filepath.Join(e.root, path)), "/")
}

// call makes a request that must succeed.
func (e *editor) call(method string, params, result any) {
	e.t.Helper()
	if err := e.try(method, params, result); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

func (e *editor) try(method string, params, result any) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if result == nil {
		_, err := e.rpc.Call(ctx, method, params)
		return err
	}
	return e.rpc.CallResult(ctx, method, params, result)
}

func (e *editor) notify(method string, params any) {
	e.t.Helper()
	if err := e.rpc.Notify(context.Background(), method, params); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

// notified takes a notification of the server.
func (e *editor) notified(r *jrpc2.Request) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch r.Method() {
	case "textDocument/publishDiagnostics":
		var p struct {
			URI string
			published
		}
		if err := r.UnmarshalParams(&p); err != nil {
			e.t.Error(err)
		}
		e.shown[p.URI] = p.published
		if e.onShown != nil {
			e.onShown(p.URI, p.Version)
		}
		e.published++
	case "window/showMessage":
		var p struct{ Message string }
		_ = r.UnmarshalParams(&p)
		e.messages = append(e.messages, p.Message)
	default:
		e.requests = append(e.requests, r.Method())
	}
	close(e.changed)
	e.changed = make(chan struct{})
}

// asked answers a request of the server.
func (e *editor) asked(_ context.Context, r *jrpc2.Request) (any, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests = append(e.requests, r.Method())
	close(e.changed)
	e.changed = make(chan struct{})
	return e.answers[r.Method()], nil
}

// until waits for a condition, which is asked with the lock held.
func (e *editor) until(what string, holds func() bool) {
	e.t.Helper()
	late := time.After(time.Minute)
	for {
		e.mu.Lock()
		ok, changed := holds(), e.changed
		e.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-late:
			e.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// open opens a file of the folder with the text that the disk has.
func (e *editor) open(path string) {
	e.t.Helper()
	text, err := os.ReadFile(filepath.Join(e.root, path))
	if err != nil {
		e.t.Fatal(err)
	}
	e.openText(path, string(text))
}

func (e *editor) openText(path, text string) {
	e.t.Helper()
	uri := e.uri(path)
	e.versions[uri]++
	e.texts[uri] = text
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": uri, "languageId": "python", "version": e.versions[uri], "text": text,
	}})
}

func (e *editor) close(path string) {
	e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": e.uri(path)}})
}

// replace changes a part of a buffer, given by its bytes.
func (e *editor) replace(path string, start, end int, with string) {
	e.t.Helper()
	uri := e.uri(path)
	text := e.texts[uri]
	e.versions[uri]++
	e.notify("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": uri, "version": e.versions[uri]},
		"contentChanges": []any{map[string]any{
			"range": map[string]any{"start": e.position(text, start), "end": e.position(text, end)}, "text": with,
		}},
	})
	e.texts[uri] = text[:start] + with + text[end:]
}

// position is the reference for the server's arithmetic: straight from the text.
func (e *editor) position(text string, offset int) map[string]int {
	before := strings.ReplaceAll(text[:offset], "\r\n", "\n")
	before = strings.ReplaceAll(before, "\r", "\n")
	line := before[strings.LastIndexByte(before, '\n')+1:]
	character := len(line)
	if !e.utf8 {
		character = len(utf16.Encode([]rune(line)))
	}
	return map[string]int{"line": strings.Count(before, "\n"), "character": character}
}

// offset is the reverse.
func (e *editor) offset(text string, p position) int {
	for at := range len(text) + 1 {
		if got := e.position(text, at); got["line"] == p.Line && got["character"] == p.Character {
			return at
		}
	}
	e.t.Fatalf("the text has no position %v", p)
	return 0
}

// diagnostics returns what is shown for the newest text of a file.
func (e *editor) diagnostics(path string) []diagnostic {
	e.t.Helper()
	uri := e.uri(path)
	e.until("diagnostics of "+path, func() bool {
		p, ok := e.shown[uri]
		return ok && p.Version == e.versions[uri]
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.shown[uri].Diagnostics
}

// pull asks for the diagnostics of a file.
func (e *editor) pull(path string) []diagnostic {
	e.t.Helper()
	var report struct{ Items []diagnostic }
	e.call("textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": e.uri(path)}}, &report)
	return report.Items
}

// actions returns the code actions at a place of a buffer.
func (e *editor) actions(path string, start, end int, only ...string) []codeAction {
	e.t.Helper()
	text := e.texts[e.uri(path)]
	var out []codeAction
	e.call("textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": e.uri(path)},
		"range":        map[string]any{"start": e.position(text, start), "end": e.position(text, end)},
		"context":      map[string]any{"diagnostics": []any{}, "only": only},
	}, &out)
	return out
}

// apply makes the edits of an action, from the last to the first.
func (e *editor) apply(w *workspaceEdit) {
	e.t.Helper()
	for uri, edits := range w.Changes {
		e.applyTo(uri, edits)
	}
	for _, d := range w.DocumentChanges {
		if v := d.TextDocument.Version; v != nil && *v != e.versions[d.TextDocument.URI] {
			e.t.Errorf("an edit of version %d came for version %d", *v, e.versions[d.TextDocument.URI])
		}
		e.applyTo(d.TextDocument.URI, d.Edits)
	}
}

func (e *editor) applyTo(uri string, edits []textEdit) {
	e.t.Helper()
	path := strings.TrimPrefix(uri, e.uri("")+"/")
	for i := len(edits) - 1; i >= 0; i-- {
		text := e.texts[uri]
		e.replace(path, e.offset(text, edits[i].Range.Start), e.offset(text, edits[i].Range.End), edits[i].NewText)
	}
}

// leave ends the session as the protocol wants it, and returns the exit code.
func (e *editor) leave() int {
	e.t.Helper()
	e.call("shutdown", nil, nil)
	e.notify("exit", nil)
	return e.exit()
}

// exit waits for the server to be gone.
func (e *editor) exit() int {
	e.t.Helper()
	select {
	case code := <-e.code:
		return code
	case <-time.After(time.Minute):
		e.t.Fatal("the server is still there")
		return -1
	}
}

// errorCode returns the code of an error of JSON-RPC, 0 for none.
func errorCode(err error) int {
	var e *jrpc2.Error
	if errors.As(err, &e) {
		return int(e.Code)
	}
	return 0
}
