package lsp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/lsp"
)

// wire is a client that writes bytes, right ones or wrong ones.
type wire struct {
	t    *testing.T
	in   io.WriteCloser
	out  *bufio.Reader
	code chan int
}

func dial(t *testing.T) *wire {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	w := &wire{t, toServer, bufio.NewReader(fromServer), make(chan int, 1)}
	o := lsp.Options{Rules: registry(t)}
	go func() { w.code <- lsp.Serve(context.Background(), fromClient, toClient, o) }()
	t.Cleanup(func() {
		toServer.Close()
		fromServer.Close()
	})
	return w
}

func (w *wire) raw(text string) {
	w.t.Helper()
	if _, err := io.WriteString(w.in, text); err != nil {
		w.t.Fatal(err)
	}
}

func (w *wire) send(message string) {
	w.t.Helper()
	w.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(message), message))
}

// receive returns the id and the code of the error of the next answer.
func (w *wire) receive() (id string, code int) {
	w.t.Helper()
	var length int
	for {
		line, err := w.out.ReadString('\n')
		if err != nil {
			w.t.Fatal(err)
		}
		if line = strings.TrimSpace(line); line == "" {
			break
		}
		fmt.Sscanf(line, "Content-Length: %d", &length)
	}
	message := make([]byte, length)
	if _, err := io.ReadFull(w.out, message); err != nil {
		w.t.Fatal(err)
	}
	var answer struct {
		ID     json.RawMessage
		Method string
		Error  struct{ Code int }
	}
	if err := json.Unmarshal(message, &answer); err != nil {
		w.t.Fatalf("%v in %s", err, message)
	}
	if answer.Method != "" { // none of ours is an answer
		return w.receive()
	}
	return string(answer.ID), answer.Error.Code
}

func (w *wire) want(what, id string, code int) {
	w.t.Helper()
	if gotID, gotCode := w.receive(); gotID != id || gotCode != code {
		w.t.Errorf("%s: the answer is to %s with error %d, not to %s with %d", what, gotID, gotCode, id, code)
	}
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}`

// Whatever comes, the server answers what can be answered, says what is wrong, and
// goes on with what comes next.
func TestWrongMessages(t *testing.T) {
	w := dial(t)
	w.send(`{"jsonrpc":"2.0","id":"early","method":"textDocument/hover","params":{}}`)
	w.want("a request before initialize", `"early"`, -32002)
	w.send(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{}}`) // nobody answers notifications
	w.send(hello)
	w.want("initialize", "1", 0)
	w.send(hello)
	w.want("a second initialize", "1", -32600)
	w.send(`{"jsonrpc": `)
	w.want("half a message", "null", -32700)
	w.raw("Content-Length: many\r\n\r\n")
	w.want("a length in words", "null", -32700)
	w.raw("Content-Length: -1\r\n\r\n")
	w.want("a negative length", "null", -32700)
	w.raw("what is this\r\n\r\n")
	w.want("no header", "null", -32700)
	w.raw(strings.Repeat("x", 5000) + "\r\n\r\n")
	for range 2 { // the long line, and what follows it
		w.want("a header without end", "null", -32700)
	}
	w.send(`{"jsonrpc":"2.0","id":2,"method":"textDocument/fly","params":{}}`)
	w.want("an unknown method", "2", -32601)
	w.send(`{"jsonrpc":"2.0","id":3,"method":"textDocument/hover","params":{"position":"here"}}`)
	w.want("parameters of another shape", "3", -32602)
	w.send(`{"jsonrpc":"2.0","id":4,"method":"workspace/executeCommand","params":{"command":"rlvet.explain","arguments":["NOPE"]}}`)
	w.want("an unknown rule", "4", -32602)
	w.send(`{"jsonrpc":"2.0","id":5,"method":"workspace/executeCommand","params":{"command":"rm"}}`)
	w.want("an unknown command", "5", -32602)
	w.send(`{"jsonrpc":"2.0","id":6,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///nowhere.py"},"position":{"line":1,"character":1}}}`)
	w.want("a file that is not open", "6", 0)
	w.send(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///nowhere.py","version":1},"contentChanges":[{"text":""}]}}`)
	w.send(`{"jsonrpc":"2.0","id":7,"method":"shutdown"}`)
	w.want("shutdown", "7", 0)
	w.send(`{"jsonrpc":"2.0","id":8,"method":"textDocument/hover","params":{}}`)
	w.want("a request after shutdown", "8", -32600)
	w.send(`{"jsonrpc":"2.0","method":"exit"}`)
	if code := <-w.code; code != 0 {
		t.Errorf("the exit code after shutdown is %d", code)
	}
}

func TestExitWithoutShutdown(t *testing.T) {
	w := dial(t)
	w.send(hello)
	w.want("initialize", "1", 0)
	w.send(`{"jsonrpc":"2.0","method":"exit"}`)
	if code := <-w.code; code != 1 {
		t.Errorf("the exit code without shutdown is %d", code)
	}
}

// A client that dies takes the server with it, also in the middle of a check and of
// a message.
func TestClientDies(t *testing.T) {
	for _, last := range []string{"", "Content-Length: 100\r\n\r\n{", "Content-Le"} {
		w := dial(t)
		w.send(hello)
		w.want("initialize", "1", 0)
		w.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///x/train.py","languageId":"python","version":1,"text":%q}}}`,
			strings.Repeat("x = [1, 2]\n", 10000)))
		w.raw(last)
		w.in.Close()
		select {
		case code := <-w.code:
			if code != 1 {
				t.Errorf("after %q the exit code is %d", last, code)
			}
		case <-time.After(30 * time.Second): // a second on a machine that is not busy
			t.Fatalf("after %q the server stays", last)
		}
	}
}

// A client that writes all at once and says no more gets its answers, also one that waits for
// none of them before it says exit.
func TestAllAtOnce(t *testing.T) {
	text := strings.Repeat("import torch\nx = torch.randn(3).softmax(-1).log()\n", 300)
	for _, last := range []string{"", `{"jsonrpc":"2.0","method":"exit"}`} {
		w := dial(t)
		go func() {
			w.send(hello)
			w.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
			if last != "" {
				w.send(last)
			} else {
				w.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///x/train.py","languageId":"python","version":1,"text":%q}}}`, text))
				w.send(`{"jsonrpc":"2.0","id":"a \" quote","method":"textDocument/diagnostic","params":{"textDocument":{"uri":"file:///x/train.py"}}}`)
			}
			w.in.Close()
		}()
		w.want("initialize", "1", 0)
		if last == "" {
			w.want("what was running at the end", `"a \" quote"`, 0)
		}
		if code := <-w.code; code != 1 {
			t.Errorf("the exit code is %d", code)
		}
	}
}

// What was cancelled is answered as such, and what asks for a text that is being
// checked waits for it.
func TestCancel(t *testing.T) {
	w := dial(t)
	w.send(hello)
	w.want("initialize", "1", 0)
	text := strings.Repeat("import torch\nx = torch.randn(3).softmax(-1).log()\n", 3000)
	w.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///x/train.py","languageId":"python","version":1,"text":%q}}}`, text))
	w.send(`{"jsonrpc":"2.0","id":"slow","method":"textDocument/diagnostic","params":{"textDocument":{"uri":"file:///x/train.py"}}}`)
	w.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"slow"}}`)
	if id, code := w.receive(); id != `"slow"` || code != 0 && code != -32800 {
		t.Errorf("the answer is to %s with error %d", id, code)
	}
}

// A client that is gone while somebody else holds its streams open is known by its
// process.
func TestClientProcessDies(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: processes are not watched on Windows, where streams close with them")
	}
	gone := exec.Command("go", "version")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	w := dial(t)
	w.send(strings.Replace(hello, `"processId":null`, fmt.Sprintf(`"processId":%d`, gone.Process.Pid), 1))
	w.want("initialize", "1", 0)
	if code := <-w.code; code != 1 {
		t.Errorf("the exit code is %d", code)
	}
}

// A mistake of ours in a check is said, and the next check goes on.
func TestMistakeInCheck(t *testing.T) {
	wrong := true
	o := lsp.Options{}.WithFresh(func(_ *config.Settings, list []finding.Finding) ([]finding.Finding, error) {
		if wrong {
			wrong = false
			panic("the baseline is upside down")
		}
		return list, nil
	})
	e := connect(t, folder(t, &txtar.Archive{}), o, `{}`, "")
	e.openText("train.py", scaled)
	e.until("the message", func() bool { return len(e.messages) > 0 })
	if !strings.Contains(e.messages[0], "internal error: the baseline is upside down; please report it") {
		t.Errorf("the user is told %q", e.messages)
	}
	e.replace("train.py", 0, 0, "# again\n")
	if got := e.diagnostics("train.py"); len(got) != 1 {
		t.Errorf("after the mistake the file has %v", got)
	}
}
