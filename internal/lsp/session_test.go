package lsp_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/rlvet/rlvet/internal/lsp"
	"github.com/rlvet/rlvet/internal/rule"
)

var update = flag.Bool("update", false, "rewrite what the sessions compare with")

// TestSessions plays the sessions of testdata/session, one story a file: what an
// editor does, and behind "> " what it gets to see. The files of the archive are the
// user's folder. Places are line:column as an editor's status line counts them.
func TestSessions(t *testing.T) {
	files, err := filepath.Glob("testdata/session/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no sessions", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { play(t, file) })
	}
}

func play(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	root := folder(t, archive)
	script := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "session" })
	if script < 0 {
		t.Fatal("the archive has no session")
	}
	p := &player{t: t, root: root, client: "{}"}
	var out strings.Builder
	for _, line := range strings.Split(strings.TrimRight(string(archive.Files[script].Data), "\n"), "\n") {
		if strings.HasPrefix(line, ">") {
			continue
		}
		out.WriteString(line + "\n")
		if line != "" && !strings.HasPrefix(line, "#") {
			for _, said := range p.do(line) {
				out.WriteString(strings.TrimRight("> "+strings.ReplaceAll(said, root, "ROOT"), " ") + "\n")
			}
		}
	}
	if code := p.end(); code != 0 {
		t.Errorf("the server ended with %d", code)
	}
	if got := out.String(); got != string(archive.Files[script].Data) {
		if !*update {
			t.Errorf("the session went differently:\n%s", got)
			return
		}
		archive.Files[script].Data = []byte(got)
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// folder writes the files of an archive, the session aside.
func folder(t testing.TB, archive *txtar.Archive) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, ".git"), 0o755); err != nil { // ends the search for settings above
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if f.Name == "session" {
			continue
		}
		path := filepath.Join(root, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// player does what the lines of a session say.
type player struct {
	*editor
	t       *testing.T
	root    string
	client  string // its capabilities
	options string
	seen    int // messages that were shown
}

// do does one line and returns what the user sees.
func (p *player) do(line string) []string {
	p.t.Helper()
	words := fields(p.t, line)
	verb, args := words[0], words[1:]
	if verb == "client" {
		p.client = strings.TrimSpace(strings.TrimPrefix(line, "client"))
		return nil
	}
	if verb == "options" {
		p.options = strings.TrimSpace(strings.TrimPrefix(line, "options"))
		return nil
	}
	if p.editor == nil {
		p.editor = connect(p.t, p.root, lsp.Options{Version: "test"}, p.client, p.options)
	}
	switch verb {
	case "open":
		p.open(args[0])
	case "close":
		p.close(args[0])
	case "save":
		p.save(args[0])
	case "write":
		p.write(args[0], args[1])
	case "replace": // FILE OLD NEW
		at := p.find(args[0], args[1])
		p.replace(args[0], at, at+len(args[1]), args[2])
	case "settings":
		p.notify("workspace/didChangeConfiguration", map[string]any{"settings": json.RawMessage(strings.TrimPrefix(line, "settings "))})
	case "diagnostics":
		return lines(p.diagnostics(args[0]))
	case "pull":
		return lines(p.pull(args[0]))
	case "workspace":
		return p.workspace()
	case "actions": // FILE TEXT
		at := p.find(args[0], args[1])
		return titles(p.actions(args[0], at, at))
	case "apply": // FILE TEXT TITLE
		return p.choose(args[0], args[1], args[2])
	case "all": // FILE
		return p.fixAll(args[0])
	case "buffer":
		return strings.Split(strings.TrimRight(p.texts[p.uri(args[0])], "\n"), "\n")
	case "hover": // FILE TEXT
		return p.hover(args[0], args[1])
	case "symbols": // FILE
		return p.symbols(args[0])
	case "hints":
		return p.hints(args[0])
	case "messages":
		return p.news()
	case "try": // METHOD PARAMS
		err := p.try(args[0], json.RawMessage(strings.SplitN(line, " ", 3)[2]), nil)
		return []string{fmt.Sprintf("error %d", errorCode(err))}
	default:
		p.t.Fatalf("no such verb: %s", line)
	}
	return nil
}

// end ends the session.
func (p *player) end() int {
	if p.editor == nil {
		return 0
	}
	return p.leave()
}

// fields splits a line into words and Go strings.
func fields(t testing.TB, line string) []string {
	var out []string
	for rest := strings.TrimSpace(line); rest != ""; rest = strings.TrimSpace(rest) {
		if rest[0] != '"' {
			word, after, _ := strings.Cut(rest, " ")
			out, rest = append(out, word), after
			continue
		}
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		word, _ := strconv.Unquote(quoted)
		out, rest = append(out, word), rest[len(quoted):]
	}
	return out
}

// find returns where a text stands in a buffer, which must be once.
func (p *player) find(path, text string) int {
	p.t.Helper()
	buffer := p.texts[p.uri(path)]
	if strings.Count(buffer, text) != 1 {
		p.t.Fatalf("%q is in %s %d times, not once", text, path, strings.Count(buffer, text))
	}
	return strings.Index(buffer, text)
}

func place(s span) string {
	return fmt.Sprintf("%d:%d-%d:%d", s.Start.Line+1, s.Start.Character+1, s.End.Line+1, s.End.Character+1)
}

// lines shows diagnostics, of messages the part that says what is wrong.
func lines(list []diagnostic) []string {
	words := map[int]string{1: "error", 2: "warning", 3: "information", 4: "hint"}
	out := []string{}
	for _, d := range list {
		what, _, _ := strings.Cut(d.Message, ":")
		text := fmt.Sprintf("%s %s %s %s", place(d.Range), words[d.Severity], d.Code, what)
		if len(d.Tags) > 0 {
			text += fmt.Sprintf(" tags %v", d.Tags)
		}
		if d.Code != "" && !strings.HasPrefix(d.CodeDescription.Href, rule.Site) {
			text += " without a link"
		}
		out = append(out, text)
		for _, r := range d.RelatedInformation {
			out = append(out, fmt.Sprintf("  %s %s %s", filepath.Base(r.Location.URI), place(r.Location.Range), r.Message))
		}
	}
	if len(out) == 0 {
		out = append(out, "nothing")
	}
	return out
}

func titles(list []codeAction) []string {
	var out []string
	for _, a := range list {
		text := a.Title
		if a.IsPreferred {
			text += " (preferred)"
		}
		out = append(out, text)
	}
	return out
}

// save writes a buffer to the disk and says so.
func (p *player) save(path string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.root, path), []byte(p.texts[p.uri(path)]), 0o644); err != nil {
		p.t.Fatal(err)
	}
	p.notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": p.uri(path)}})
}

// write changes a file of the disk behind the editor's back, which it notices.
func (p *player) write(path, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.root, path), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
	p.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": p.uri(path), "type": 2}}})
}

// choose takes the action at a text whose title has some words.
func (p *player) choose(path, at, title string) []string {
	p.t.Helper()
	start := p.find(path, at)
	for _, a := range p.actions(path, start, start) {
		if !strings.Contains(a.Title, title) {
			continue
		}
		if a.Edit != nil {
			p.apply(a.Edit)
			return nil
		}
		var result any
		if err := p.try("workspace/executeCommand", map[string]any{"command": a.Command.Command, "arguments": a.Command.Arguments}, &result); err != nil {
			return []string{err.Error()}
		}
		text, _ := result.(string)
		first, _, _ := strings.Cut(text, "\n")
		return []string{first}
	}
	return []string{"no such action"}
}

func (p *player) fixAll(path string) []string {
	p.t.Helper()
	list := p.actions(path, 0, 0, "source.fixAll")
	if len(list) == 0 {
		return []string{"nothing to fix"}
	}
	p.apply(list[0].Edit)
	return nil
}

func (p *player) hover(path, at string) []string {
	p.t.Helper()
	var h *struct {
		Contents struct{ Value string }
		Range    span
	}
	text := p.texts[p.uri(path)]
	p.call("textDocument/hover", map[string]any{
		"textDocument": map[string]any{"uri": p.uri(path)}, "position": p.position(text, p.find(path, at)),
	}, &h)
	if h == nil {
		return []string{"nothing"}
	}
	if strings.HasPrefix(h.Contents.Value, "# ") { // the page of a rule
		h.Contents.Value, _, _ = strings.Cut(h.Contents.Value, "\n")
	}
	said := slices.DeleteFunc(strings.Split(h.Contents.Value, "\n"), func(line string) bool { return line == "" })
	said[0] = place(h.Range) + " " + said[0]
	return said
}

func (p *player) symbols(path string) []string {
	p.t.Helper()
	var list []struct {
		Name, Detail          string
		Range, SelectionRange span
	}
	p.call("textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": p.uri(path)}}, &list)
	out := []string{}
	for _, s := range list {
		out = append(out, fmt.Sprintf("%s %s: %s", place(s.Range), s.Name, s.Detail))
	}
	return out
}

func (p *player) hints(path string) []string {
	p.t.Helper()
	var list []struct {
		Position position
		Label    string
	}
	text := p.texts[p.uri(path)]
	p.call("textDocument/inlayHint", map[string]any{
		"textDocument": map[string]any{"uri": p.uri(path)},
		"range":        map[string]any{"start": p.position(text, 0), "end": p.position(text, len(text))},
	}, &list)
	out := []string{}
	for _, h := range list {
		out = append(out, fmt.Sprintf("%d:%d%s", h.Position.Line+1, h.Position.Character+1, h.Label))
	}
	return out
}

// workspace asks for the diagnostics of everything.
func (p *player) workspace() []string {
	p.t.Helper()
	var report struct {
		Items []struct {
			URI   string
			Items []diagnostic
		}
	}
	p.call("workspace/diagnostic", map[string]any{"previousResultIds": []any{}}, &report)
	sort.Slice(report.Items, func(i, j int) bool { return report.Items[i].URI < report.Items[j].URI })
	var out []string
	for _, item := range report.Items {
		for _, line := range lines(item.Items) {
			out = append(out, strings.TrimPrefix(item.URI, p.uri("")+"/")+" "+line)
		}
	}
	return out
}

// news returns the messages that came since it was asked last, of which there must
// be one at least.
func (p *player) news() []string {
	p.t.Helper()
	p.until("a message", func() bool { return len(p.messages) > p.seen })
	p.mu.Lock()
	defer p.mu.Unlock()
	out := slices.Clone(p.messages[p.seen:])
	p.seen = len(p.messages)
	return out
}
