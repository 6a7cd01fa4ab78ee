package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"github.com/creachadair/jrpc2"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/confirm"
	"github.com/rlvet/rlvet/internal/lsp/protocol"
	"github.com/rlvet/rlvet/internal/report"
	"github.com/rlvet/rlvet/internal/vet"
)

// commandParams are those of workspace/executeCommand.
type commandParams struct {
	Command   string
	Arguments []json.RawMessage
}

// executeCommand is workspace/executeCommand.
func (s *server) executeCommand(ctx context.Context, p commandParams) (any, error) {
	var words []string
	for _, raw := range p.Arguments {
		var word string
		if err := json.Unmarshal(raw, &word); err != nil {
			return nil, &jrpc2.Error{Code: jrpc2.InvalidParams, Message: fmt.Sprintf("%s takes strings, not %.40s", p.Command, raw)}
		}
		words = append(words, word)
	}
	switch {
	case p.Command == commandExplain && len(words) == 1:
		return s.explain(ctx, words[0])
	case p.Command == commandConfirm && len(words) >= 2 && words[1] == "" && s.Confirm != nil:
		return s.confirmFile(ctx, protocol.DocumentURI(words[0]), words[2:])
	case p.Command == commandConfirm && len(words) >= 2 && s.Confirm != nil:
		return s.confirm(ctx, protocol.DocumentURI(words[0]), words[1], words[2:])
	}
	return nil, &jrpc2.Error{Code: jrpc2.InvalidParams, Message: fmt.Sprintf("there is no command %q with %d arguments", p.Command, len(words))}
}

// explain shows the page of a rule where the client can show one, and returns it.
func (s *server) explain(ctx context.Context, code string) (any, error) {
	e, ok := s.Rules.Lookup(code)
	if !ok {
		return nil, &jrpc2.Error{Code: jrpc2.InvalidParams, Message: s.Rules.Unknown(code).Error()}
	}
	if s.client.shows {
		go s.ask("window/showDocument", object{"uri": e.Doc.URL(), "external": true})
	} else {
		s.notify(ctx, "window/showMessage", protocol.ShowMessage{
			Type: protocol.MessageInfo, Message: fmt.Sprintf("%s %s: %s %s", e.Doc.Code, e.Doc.Name, e.Doc.Summary(), e.Doc.URL()),
		})
	}
	return e.Doc.Markdown(), nil
}

// confirm runs the script that holds a finding, after asking, and shows the verdict
// in the finding's message until the file changes. The arguments are the script's.
func (s *server) confirm(ctx context.Context, uri protocol.DocumentURI, fingerprint string, arguments []string) (any, error) {
	path := pathOf(uri)
	r, _, err := s.resultOf(ctx, uri)
	if err != nil {
		return nil, err
	}
	code := ""
	if r != nil {
		for _, f := range r.findings {
			if f.Fingerprint == fingerprint {
				code = f.Code
			}
		}
	}
	switch {
	case code == "":
		return nil, &jrpc2.Error{Code: codeRequestFailed, Message: "the finding no longer exists, so there is nothing to confirm"}
	case !s.agreed(ctx, path, code, arguments):
		return nil, nil
	}
	verdicts, err := s.run(ctx, path, code, arguments)
	if errors.Is(err, context.Canceled) {
		return nil, err
	}
	if err != nil {
		s.mu.Lock()
		s.lastMessage = ""
		s.tell(protocol.MessageError, "%s", s.spoken(err.Error()))
		s.mu.Unlock()
		return nil, s.failed(err)
	}
	return s.judged(ctx, r, verdicts, fingerprint), nil
}

// confirmFile runs the script with everything that is found in it, and shows the verdicts as confirm
// does. A client that names no finding has asked its user, shows that the script runs, and cancels
// by cancelling the request; it gets the report, and what kept the script from being judged.
func (s *server) confirmFile(ctx context.Context, uri protocol.DocumentURI, arguments []string) (any, error) {
	path := pathOf(uri)
	r, _, err := s.resultOf(ctx, uri)
	if err != nil {
		return nil, err
	}
	if path == "" {
		return nil, &jrpc2.Error{Code: codeRequestFailed, Message: fmt.Sprintf("%s is no file of the disk, so it cannot run", uri)}
	}
	script, verdicts, err := s.verdictsOf(ctx, path, "", arguments)
	if err != nil {
		return nil, s.failed(err)
	}
	if r != nil {
		s.keep(r, verdicts)
	}
	var text bytes.Buffer
	if err := report.WriteConfirmations(&text, &confirm.Result{Scripts: []*confirm.Script{script}}, "full", false); err != nil {
		return nil, err
	}
	return protocol.Confirmation{Report: beside(path, text.String()), Trouble: s.spoken(beside(path, strings.Join(script.Trouble(), "\n")))}, nil
}

// failed is the answer to a request that could not be done, unless it was cancelled.
func (s *server) failed(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return &jrpc2.Error{Code: codeRequestFailed, Message: s.spoken(err.Error())}
}

// agreed asks the user whether the script may run. No answer is no.
func (s *server) agreed(ctx context.Context, path, code string, arguments []string) bool {
	const yes = "Run it"
	var answer *protocol.MessageActionItem
	asked := s.request(ctx, "window/showMessageRequest", protocol.ShowMessage{
		Type: protocol.MessageWarning,
		Message: fmt.Sprintf("rlvet: Confirm %s by running %s? The saved script runs under five seeds, in a copy of its project.",
			code, strings.Join(append([]string{filepath.Base(path)}, arguments...), " ")),
		Actions: []protocol.MessageActionItem{{Title: yes}, {Title: "Cancel"}},
	}, &answer)
	return asked && answer != nil && answer.Title == yes
}

// run runs the script with progress, which the user can cancel.
func (s *server) run(ctx context.Context, path, code string, arguments []string) (map[string]string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	token := fmt.Sprintf("rlvet-confirm-%d", time.Now().UnixNano())
	s.mu.Lock()
	s.running[token] = cancel
	shown := s.client.progress
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.running, token)
		s.mu.Unlock()
	}()
	tell := func(value any) {
		if shown {
			s.notify(ctx, "$/progress", map[string]any{"token": token, "value": value})
		}
	}
	shown = shown && s.request(ctx, "window/workDoneProgress/create", map[string]string{"token": token}, nil)
	tell(protocol.WorkDoneProgress{Kind: "begin", Title: "rlvet confirm " + code, Cancellable: true})
	defer tell(protocol.WorkDoneProgress{Kind: "end"})
	tell(protocol.WorkDoneProgress{Kind: "report", Message: "running the script under five seeds", Cancellable: true})
	_, verdicts, err := s.verdictsOf(ctx, path, code, arguments)
	return verdicts, err
}

// verdictsOf confirms what a rule finds in a script, or "" for all of them, and returns the verdicts
// in words by the fingerprints of the findings. One rule runs by the settings of the disk, all of
// them by those of the editor, so that what it shows is what is confirmed.
func (s *server) verdictsOf(ctx context.Context, path, code string, arguments []string) (*confirm.Script, map[string]string, error) {
	var request confirm.Request
	request.Check = vet.Request{Rules: s.Rules, Resolver: &config.Resolver{Rules: s.Rules, Override: config.Values{Select: []string{code}}}, Version: s.Version, Trace: s.Trace}
	request.Scripts, request.Plan.Args = []string{path}, arguments
	s.mu.Lock()
	request.Python = s.settings.python
	if code == "" {
		request.Check.Resolver = s.newResolver()
	}
	s.mu.Unlock()
	result, err := s.Confirm(ctx, request)
	if err != nil {
		return nil, nil, err
	}
	script := result.Scripts[0]
	if err := script.Err(); err != nil {
		return nil, nil, err
	}
	s.showEvidence(ctx, path, result)
	out := map[string]string{}
	if script.Outcome == nil {
		return script, out, nil
	}
	for i, f := range script.Findings {
		agree, runs := script.Agree(i)
		e := script.Outcome.Targets[i]
		out[f.Fingerprint] = fmt.Sprintf("%s %s in %d of %d runs", f.Code, e.Verdict, agree, runs)
		if e.Reason != "" {
			out[f.Fingerprint] += ": " + e.Reason
		}
	}
	return script, out, nil
}

// showEvidence sends the page of a run to a client that shows such pages.
func (s *server) showEvidence(ctx context.Context, path string, result *confirm.Result) {
	var page bytes.Buffer
	if !s.client.evidence || result.Scripts[0].Outcome == nil || report.WriteConfirmationPage(&page, result) != nil {
		return
	}
	s.notify(ctx, "rlvet/evidence", protocol.Evidence{URI: uriOf(path), HTML: beside(path, page.String())})
}

// beside names files as one does who stands beside a script. The server runs nowhere in
// particular, so paths are in full; they would fill a page.
func beside(path, text string) string {
	return strings.ReplaceAll(text, filepath.ToSlash(filepath.Dir(path))+"/", "")
}

// judged adds the verdicts to the findings of the file, and tells the user that of
// the one that was asked about.
func (s *server) judged(ctx context.Context, r *result, verdicts map[string]string, fingerprint string) any {
	verdict := verdicts[fingerprint]
	if verdict == "" {
		verdict = "the saved script does not have this finding; save the file and try again"
	}
	s.notify(ctx, "window/showMessage", protocol.ShowMessage{Type: protocol.MessageInfo, Message: "rlvet: " + verdict})
	s.keep(r, verdicts)
	return verdict
}

// keep adds the verdicts to the findings of the file.
func (s *server) keep(r *result, verdicts map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.verdicts[r.path] == nil {
		s.verdicts[r.path] = map[string]string{}
	}
	maps.Copy(s.verdicts[r.path], verdicts)
	s.revise()
}

// cancelProgress is window/workDoneProgress/cancel.
func (s *server) cancelProgress(_ context.Context, p struct{ Token any }) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if token, ok := p.Token.(string); ok && s.running[token] != nil {
		s.running[token]()
	}
	return nil
}
