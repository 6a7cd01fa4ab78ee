package lsp_test

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rlvet/rlvet/internal/benchtest"
	"github.com/rlvet/rlvet/internal/lsp"
)

// typing is what is typed: a statement with a slip that is deleted again, in the middle of
// the file. Until it is complete, the text is broken.
const typing = "\n        kl = (new_logp - old_logp.detach()).meam(\b\b\ban(dim=-1)\n        if kl > 0.5:\n            break\n"

// pauses are the times between keys, over and over: people type in bursts.
var pauses = []time.Duration{90, 70, 110, 60, 80, 30, 30, 30, 100, 120, 70, 300} // milliseconds

// asks are the requests that an editor makes of a text: at once, and when its user pauses.
type asks struct{ atOnce, inPauses []string }

// BenchmarkTyping is a session as editors lead one: a trainer of 2,000 lines in a small
// project, and for each key a change and the requests that follow it. ns/op is a session;
// p50 and p99 say how long it takes from a key to the diagnostics of a text that has it,
// cpu what a key costs the processor, the requests included.
func BenchmarkTyping(b *testing.B) {
	b.Run("push", func(b *testing.B) { benchTyping(b, `{}`, asks{}) })
	b.Run("pull", func(b *testing.B) {
		benchTyping(b, `{"textDocument":{"diagnostic":{}}}`, asks{
			[]string{"textDocument/diagnostic"}, []string{"textDocument/documentSymbol", "textDocument/inlayHint", "textDocument/codeAction"},
		})
	})
}

func benchTyping(b *testing.B, capabilities string, asks asks) {
	root := b.TempDir()
	bigProject(b, root, 20)
	text := append([]byte("import helper_0\nfrom helper_1 import scale\n"), longProgram(b, 2000)...)
	write(b, filepath.Join(root, "train.py"), text)
	write(b, filepath.Join(root, "run.py"), []byte("import torch\nimport train\n\nprint(train)\n"))
	e := connect(b, root, lsp.Options{}, capabilities, `{"inlayHints": true}`)
	e.open("train.py")
	e.open("run.py")
	e.pull("train.py")
	at := bytes.Index(text, []byte("\n    for ")) + 1
	at += bytes.IndexByte(text[at:], '\n')
	var took []time.Duration
	cpu := benchtest.ProcessorTime()
	for b.Loop() {
		took = append(took, e.typeAll(at, asks)...)
	}
	report(b, took, benchtest.ProcessorTime()-cpu)
}

// typeAll types all at an offset, deletes it again at once, and returns how long each key
// waited for its diagnostics.
func (e *editor) typeAll(at int, asks asks) []time.Duration {
	keys := []time.Time{}
	waited := make([]time.Duration, len(typing)+1)
	var mu sync.Mutex
	shown := func(n int) { // the diagnostics of a text with n keys
		mu.Lock()
		defer mu.Unlock()
		for i := range min(n, len(keys)) {
			if waited[i] == 0 {
				waited[i] = time.Since(keys[i])
			}
		}
	}
	uri := e.uri("train.py")
	first, length := e.versions[uri], 0
	e.mu.Lock()
	e.onShown = func(of string, version int) {
		if of == uri {
			shown(version - first)
		}
	}
	e.mu.Unlock()
	var asked sync.WaitGroup
	over := func() {}
	press := func(n int, change func(), pause time.Duration) {
		mu.Lock()
		keys = append(keys, time.Now())
		mu.Unlock()
		change()
		over() // what was asked of the text before
		var ctx context.Context
		ctx, over = context.WithCancel(context.Background())
		methods := asks.atOnce
		if pause > 250*time.Millisecond {
			methods = slices.Concat(methods, asks.inPauses)
		}
		for _, method := range methods {
			asked.Go(func() {
				_, err := e.rpc.Call(ctx, method, map[string]any{
					"textDocument": map[string]any{"uri": uri}, "context": map[string]any{"diagnostics": []any{}},
					"range": map[string]any{"start": position{}, "end": position{Line: 60}},
				})
				if err == nil && method == "textDocument/diagnostic" {
					shown(n)
				}
			})
		}
	}
	for i, key := range strings.Split(typing, "") {
		pause := pauses[i%len(pauses)] * time.Millisecond
		press(i+1, func() {
			if key == "\b" {
				length--
				e.replace("train.py", at+length, at+length+1, "")
			} else {
				e.replace("train.py", at+length, at+length, key)
				length++
			}
		}, pause)
		time.Sleep(pause)
	}
	press(len(typing)+1, func() { e.replace("train.py", at, at+length, "") }, 0)
	asked.Wait()
	if len(asks.atOnce) == 0 {
		e.diagnostics("train.py")
	}
	over()
	return waited[:len(keys)]
}
