package lsp_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/lsp"
)

// A client that pulls is pushed nothing. It is told to ask again only where it cannot
// know by itself: an edit of losses.py changes what is wrong in train.py. What has
// not changed is not sent again.
func TestPull(t *testing.T) {
	root := folder(t, &txtar.Archive{Files: []txtar.File{
		{Name: "losses.py", Data: []byte("import torch\n\ndef scale(x):\n    return torch.log_softmax(x, -1)\n")},
		{Name: "train.py", Data: []byte("import torch\nfrom losses import scale\ny = torch.multinomial(scale(torch.randn(3)), 1)\n")},
	}})
	e := connect(t, root, lsp.Options{}, `{"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": true}}}`, "")
	e.open("train.py")
	e.open("losses.py")
	var report struct {
		Kind, ResultID string
		Items          []diagnostic
	}
	ask := func(previous string) {
		report.Items = nil
		e.call("textDocument/diagnostic", map[string]any{"textDocument": map[string]any{"uri": e.uri("train.py")}, "previousResultId": previous}, &report)
	}
	ask("")
	if report.Kind != "full" || len(report.Items) != 1 {
		t.Fatalf("the first report is %+v", report)
	}
	ask(report.ResultID)
	if report.Kind != "unchanged" || report.Items != nil {
		t.Errorf("the second report is %+v", report)
	}
	end := len(e.texts[e.uri("losses.py")])
	e.replace("losses.py", end, end, "# a note\n")
	e.pull("losses.py")
	if e.asksAgain() {
		t.Error("the client is told to ask again after an edit that changes nothing elsewhere")
	}
	at := strings.Index(e.texts[e.uri("losses.py")], "log_softmax")
	e.replace("losses.py", at, at+len("log_softmax"), "softmax")
	e.until("being told to ask again", func() bool { return slices.Contains(e.requests, "workspace/diagnostic/refresh") })
	ask(report.ResultID)
	if report.Kind != "full" || len(report.Items) != 0 {
		t.Errorf("after the edit the report is %+v", report)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.published > 0 {
		t.Errorf("%d diagnostics were pushed", e.published)
	}
}

func (e *editor) asksAgain() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Contains(e.requests, "workspace/diagnostic/refresh")
}

// Documents that are too large or no text are said to be so, and the rest goes on.
func TestHugeDocument(t *testing.T) {
	e := connect(t, folder(t, &txtar.Archive{}), lsp.Options{}, `{}`, "")
	e.openText("huge.py", strings.Repeat("x = 1  # a line of a file that nobody wrote by hand\n", 300000))
	e.openText("train.py", scaled)
	if got := e.diagnostics("huge.py"); len(got) != 1 || !strings.Contains(got[0].Message, "larger than") {
		t.Errorf("a huge document has %v", got)
	}
	if got := e.diagnostics("train.py"); len(got) != 1 || got[0].Code != "ADV009" {
		t.Errorf("the file beside it has %v", got)
	}
}
