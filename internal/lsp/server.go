package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/handler"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/confirm"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/unanswered"
	"github.com/rlvet/rlvet/internal/vet"
)

// Options are what the server takes from the program around it.
type Options struct {
	Rules   *rule.Registry
	Version string
	User    string // the folder of the user's own settings, "" for none
	// Confirm is [confirm.Run]; nil offers no such thing.
	Confirm func(context.Context, confirm.Request) (*confirm.Result, error)
	// Trace is called with the stack of each panic of an analyzer.
	Trace func(stack []byte)

	fresh func(*config.Settings, []finding.Finding) ([]finding.Finding, error) // vet.Fresh, but in tests
}

// The errors of JSON-RPC and of the protocol that are not jrpc2's.
const (
	codeNotInitialized   = jrpc2.Code(-32002)
	codeRequestCancelled = jrpc2.Code(-32800)
	codeRequestFailed    = jrpc2.Code(-32803)
)

// stage is how far a session is.
type stage int

const (
	before  stage = iota // initialize
	running              // from its answer
	ended                // by shutdown
)

// server is one session with one client.
type server struct {
	Options
	rpc    *jrpc2.Server
	client client
	// exited is closed when the client said exit.
	exited   chan struct{}
	exitOnce sync.Once

	// greeted is closed when initialize is over; nil before that came. It belongs to Assign,
	// which jrpc2 calls for one message after the other.
	greeted <-chan struct{}

	mu    sync.Mutex
	stage stage
	state
	checks
}

// Serve speaks with the client until it says exit, or hangs up and has its answers, or
// ctx ends. It returns the exit code: 0 after shutdown, else 1.
func Serve(ctx context.Context, in io.Reader, out io.WriteCloser, o Options) int {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if o.fresh == nil {
		o.fresh = vet.Fresh
	}
	s := &server{Options: o, exited: make(chan struct{})}
	s.state.init()
	s.checks.init()
	s.rpc = jrpc2.NewServer(s, &jrpc2.ServerOptions{
		AllowPush: true, DisableBuiltin: true, Concurrency: 64,
		NewContext: func() context.Context { return ctx },
	})
	var wire *framing
	wire = newFraming(in, out, func() {
		// When it hears that nothing more comes, jrpc2 cancels what runs and forgets what waits.
		wire.requests.Wait(ctx.Done(), unanswered.Patience)
		stop()
	})
	s.rpc.Start(wire)
	checked := make(chan struct{})
	go func() {
		defer close(checked)
		s.check(ctx)
		s.rpc.Wait()
	}()
	select {
	case <-s.exited:
		wire.requests.Wait(ctx.Done(), shortly) // of a client that wrote all at once
	case <-ctx.Done(): // the client hung up
	}
	stop()
	await(checked)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stage == ended {
		return 0
	}
	return 1
}

// shortly is how long the server goes on after exit: a client that is gone must not
// be survived for long.
const shortly = time.Second / 2

// await waits a little for what was told to stop.
func await(done <-chan struct{}) {
	select {
	case <-done:
	case <-time.After(shortly):
	}
}

// Assign implements jrpc2.Assigner: the handler of a method, as far as the stage of
// the session allows it.
func (s *server) Assign(request context.Context, method string) jrpc2.Handler {
	h := s.methods()[method]
	if h == nil {
		return nil
	}
	earlier := s.greeted
	if method == "initialize" && earlier == nil {
		h = s.greeting(request, h)
	}
	return func(ctx context.Context, req *jrpc2.Request) (result any, err error) {
		if earlier != nil { // a client need not wait for the answer to initialize
			select {
			case <-earlier:
			case <-ctx.Done():
			}
		}
		if err := s.allows(method); err != nil {
			return nil, err
		}
		defer s.rescue(func(mistake error) { err = mistake })
		result, err = h(ctx, req)
		if errors.Is(err, context.Canceled) || ctx.Err() != nil {
			return nil, &jrpc2.Error{Code: codeRequestCancelled, Message: "the request was cancelled"}
		}
		return result, err
	}
}

// greeting notes when initialize is over: it was handled, or was cancelled before that.
func (s *server) greeting(request context.Context, initialize jrpc2.Handler) jrpc2.Handler {
	greeted := make(chan struct{})
	over := sync.OnceFunc(func() { close(greeted) })
	context.AfterFunc(request, over)
	s.greeted = greeted
	return func(ctx context.Context, req *jrpc2.Request) (any, error) {
		defer over()
		return initialize(ctx, req)
	}
}

// rescue turns a panic, which is a mistake of ours, into an error: one request or
// one check fails, and the editor keeps its server. It is deferred.
func (s *server) rescue(tell func(error)) {
	v := recover()
	if v == nil {
		return
	}
	if s.Trace != nil {
		s.Trace(debug.Stack())
	}
	tell(&jrpc2.Error{Code: jrpc2.InternalError, Message: fmt.Sprintf("internal error: %v; please report it with the file that caused it", v)})
}

// allows says whether the session is at a stage for the method.
func (s *server) allows(method string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case method == "exit":
		return nil
	case s.stage == before && method != "initialize":
		return &jrpc2.Error{Code: codeNotInitialized, Message: fmt.Sprintf("%s came before initialize", method)}
	case s.stage == running && method == "initialize":
		return &jrpc2.Error{Code: jrpc2.InvalidRequest, Message: "initialize came a second time"}
	case s.stage == ended:
		return &jrpc2.Error{Code: jrpc2.InvalidRequest, Message: fmt.Sprintf("%s came after shutdown; only exit may", method)}
	}
	return nil
}

// methods are the methods that the server knows.
func (s *server) methods() handler.Map {
	return handler.Map{
		"initialize":      handler.New(s.initialize),
		"initialized":     handler.New(s.initialized),
		"shutdown":        s.shutdown,
		"exit":            s.exit,
		"$/cancelRequest": handler.New(s.cancelRequest),
		"$/setTrace":      ignore,

		"textDocument/didOpen":       handler.New(s.didOpen),
		"textDocument/didChange":     handler.New(s.didChange),
		"textDocument/didSave":       handler.New(s.didSave),
		"textDocument/didClose":      handler.New(s.didClose),
		"notebookDocument/didOpen":   handler.New(s.didOpenNotebook),
		"notebookDocument/didChange": handler.New(s.didChangeNotebook),
		"notebookDocument/didSave":   ignore,
		"notebookDocument/didClose":  handler.New(s.didCloseNotebook),

		"workspace/didChangeConfiguration":    handler.New(s.didChangeConfiguration),
		"workspace/didChangeWatchedFiles":     handler.New(s.didChangeWatchedFiles),
		"workspace/didChangeWorkspaceFolders": handler.New(s.didChangeFolders),
		"workspace/executeCommand":            handler.New(s.executeCommand),
		"window/workDoneProgress/cancel":      handler.New(s.cancelProgress),

		"textDocument/diagnostic":     handler.New(s.pullDocument),
		"workspace/diagnostic":        handler.New(s.pullWorkspace),
		"textDocument/codeAction":     handler.New(s.codeActions),
		"textDocument/codeLens":       handler.New(s.codeLenses),
		"textDocument/completion":     handler.New(s.completions),
		"textDocument/hover":          handler.New(s.hover),
		"textDocument/documentSymbol": handler.New(s.documentSymbols),
		"textDocument/inlayHint":      handler.New(s.inlayHints),
	}
}

func ignore(context.Context, *jrpc2.Request) (any, error) { return nil, nil }

func (s *server) shutdown(context.Context, *jrpc2.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stage = ended
	s.interrupt()
	return nil, nil
}

func (s *server) exit(context.Context, *jrpc2.Request) (any, error) {
	s.leave()
	return nil, nil
}

// leave ends the session.
func (s *server) leave() { s.exitOnce.Do(func() { close(s.exited) }) }

// cancelRequest is $/cancelRequest.
func (s *server) cancelRequest(_ context.Context, p struct {
	ID json.RawMessage `json:"id"`
}) error {
	s.rpc.CancelRequest(string(p.ID))
	return nil
}

// notify sends a notification; a client that is gone is noticed elsewhere.
func (s *server) notify(ctx context.Context, method string, params any) {
	_ = s.rpc.Notify(ctx, method, params)
}
