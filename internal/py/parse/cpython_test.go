package parse

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// systemPython is the interpreter to compare with. RLVET_PYTHON names another,
// and RLVET_CORPUS other sources than its standard library.
var systemPython = cmp.Or(os.Getenv("RLVET_PYTHON"), "/usr/bin/python3")

// standardLibrary returns the sources of the machine's Python, its tests and
// what others installed left out.
func standardLibrary(tb testing.TB) []string {
	tb.Helper()
	if dir := os.Getenv("RLVET_CORPUS"); dir != "" {
		return pythonFiles(tb, dir)
	}
	out, err := pythonSays("import sysconfig; print(sysconfig.get_path('stdlib'))")
	if err != nil {
		tb.Skipf("SKIPPED: no %s on this machine, so nothing to compare with: %v", systemPython, err)
	}
	return pythonFiles(tb, strings.TrimSpace(out))
}

func pythonSays(code string) (string, error) {
	out, err := exec.Command(systemPython, "-c", code).Output()
	return string(out), err
}

func pythonFiles(tb testing.TB, root string) []string {
	tb.Helper()
	var files []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{"site-packages", "dist-packages", "lib2to3"}, d.Name()) && path != root {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".py") && d.Type().IsRegular() {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	if len(files) < 100 {
		tb.Fatalf("%s has %d Python files, too few to be a standard library", root, len(files))
	}
	return files
}

// TestAgreesWithCPython compares every node of the standard library, its kind,
// its bytes and its own words, with those of CPython's parser.
func TestAgreesWithCPython(t *testing.T) {
	files := standardLibrary(t)
	parser := New()
	defer parser.Close()
	newer, err := pythonSays("import sys; print(sys.version_info >= (3, 12))")
	if err != nil {
		t.Fatal(err)
	}
	inside := strings.TrimSpace(newer) == "True"
	var total, agreed, rejected, shown int
	eachFile(t, files, func(path string, theirs []string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if theirs[0][0] == '!' || !utf8Source(text) {
			rejected++
			return
		}
		mod, err := parser.Parse(context.Background(), path, text)
		if err != nil {
			t.Errorf("CPython parses it, rlvet does not: %v", err)
			return
		}
		for _, e := range mod.Errors {
			t.Logf("%s:%d: %s", path, 1+bytes.Count(text[:e.Span.Start], []byte("\n")), e.Message)
		}
		missing, extra := difference(theirs, ours(mod, inside))
		total += len(theirs)
		agreed += len(theirs) - len(missing)
		for _, d := range append(missing, extra...) {
			if shown++; shown > 40 {
				break
			}
			t.Log(describe(path, text, d))
		}
	})
	share := float64(agreed) / float64(total)
	t.Logf("%d files (%d that CPython rejects or that are not UTF-8), %d nodes, %d differ, agreement %.5f %%",
		len(files), rejected, total, total-agreed, 100*share)
	if share < 0.999 {
		t.Errorf("agreement is below 99.9 %%")
	}
}

func utf8Source(text []byte) bool {
	head := text[:min(len(text), 200)]
	return !bytes.Contains(head, []byte("latin")) && !bytes.Contains(head, []byte("iso-8859")) &&
		!bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) && bytes.Equal(bytes.ToValidUTF8(text, nil), text)
}

// eachFile runs the script over the files and calls f with each one's nodes.
func eachFile(t *testing.T, files []string, f func(path string, nodes []string)) {
	t.Helper()
	cmd := exec.Command(systemPython, "testdata/nodes.py")
	cmd.Stdin = strings.NewReader(strings.Join(files, "\n"))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	path, nodes := "", []string(nil)
	flush := func() {
		if len(nodes) > 0 && nodes[0] != "" {
			f(path, nodes)
		}
		nodes = nil
	}
	for lines.Scan() {
		if next, ok := strings.CutPrefix(lines.Text(), "= "); ok {
			flush()
			path = next
			continue
		}
		nodes = append(nodes, lines.Text())
	}
	flush()
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

// difference returns the lines of a that b lacks, and those of b that a lacks.
func difference(a, b []string) (onlyA, onlyB []string) {
	count := map[string]int{}
	for _, s := range b {
		count[s]++
	}
	for _, s := range a {
		if count[s]--; count[s] < 0 {
			onlyA = append(onlyA, "CPython: "+s)
		}
	}
	for s, n := range count {
		for ; n > 0; n-- {
			onlyB = append(onlyB, "rlvet:   "+s)
		}
	}
	slices.Sort(onlyB)
	return onlyA, onlyB
}

func describe(path string, text []byte, d string) string {
	var start, end int
	fields := strings.Fields(d)
	if len(fields) > 3 {
		fmt.Sscan(fields[2], &start)
		fmt.Sscan(fields[3], &end)
	}
	if start > end || end > len(text) {
		return path + " " + d
	}
	return fmt.Sprintf("%s:%d: %s %q", path, 1+bytes.Count(text[:start], []byte("\n")), d, text[start:min(end, start+60)])
}

// ours returns the module's nodes in the form of the script's output, with or
// without what is inside f-strings.
func ours(m *ast.Module, inside bool) []string {
	var out []string
	var visit func(ast.Node) bool
	parts := func(f *ast.FString) {
		for _, p := range f.Parts {
			if _, ok := p.(*ast.String); !ok {
				ast.Walk(p, visit)
			}
		}
	}
	visit = func(n ast.Node) bool {
		kind, word := pythonNode(m, n)
		if kind == "" {
			return true
		}
		s := n.Span()
		out = append(out, fmt.Sprintf("%s %d %d %s", kind, s.Start, s.End, word))
		switch n := n.(type) {
		case *ast.FString:
			if inside {
				parts(n)
			}
			return false
		case *ast.FormattedValue:
			ast.Walk(n.Value, visit)
			if f, ok := n.Format.(*ast.FString); ok {
				parts(f)
			}
			return false
		}
		return kind != "MatchSingleton"
	}
	ast.WalkModule(m, visit)
	return out
}

// pythonNode returns CPython's name for the node's kind, and its word.
func pythonNode(m *ast.Module, n ast.Node) (kind, word string) {
	async := func(is bool, name string) string {
		if is {
			return "Async" + name
		}
		return name
	}
	bodies := func(lists ...[]ast.Stmt) string {
		var b strings.Builder
		for i, l := range lists {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprint(&b, len(l))
		}
		return b.String()
	}
	name := strings.TrimPrefix(fmt.Sprintf("%T", n), "*ast.")
	switch n := n.(type) {
	case *ast.Params, *ast.Param, *ast.WithItem, *ast.CompClause, *ast.Case, *ast.Slice:
		if name == "Slice" {
			return name, ""
		}
		return "", ""
	case *ast.Name:
		return name, n.Ident
	case *ast.String:
		if bytes.Contains([]byte(m.Source(n)), []byte(`\N{`)) {
			return name, "named"
		}
		return name, fmt.Sprintf("%d:%d", len(n.Value), crc32.ChecksumIEEE([]byte(n.Value)))
	case *ast.FString:
		return "JoinedStr", ""
	case *ast.Constant:
		return name, n.Kind.String()
	case *ast.Attribute:
		return name, n.Attr
	case *ast.BinOp:
		return name, n.Op.String()
	case *ast.UnaryOp:
		return name, n.Op.String()
	case *ast.AugAssign:
		return name, n.Op.String()
	case *ast.BoolOp:
		if n.Or {
			return name, "or"
		}
		return name, "and"
	case *ast.Compare:
		var ops []string
		for _, op := range n.Ops {
			ops = append(ops, strings.ReplaceAll(op.String(), " ", "_"))
		}
		return name, strings.Join(ops, ",")
	case *ast.Call:
		return name, fmt.Sprintf("%d,%d", len(n.Args), len(n.Keywords))
	case *ast.Keyword:
		if n.Name == "" {
			return "keyword", "**"
		}
		return "keyword", n.Name
	case *ast.Comp:
		return n.Kind.String(), ""
	case *ast.Yield:
		if n.From {
			return "YieldFrom", ""
		}
		return name, ""
	case *ast.FunctionDef:
		return async(n.Async, name), n.Name
	case *ast.ClassDef:
		return name, n.Name
	case *ast.ExprStmt:
		return "Expr", ""
	case *ast.If:
		return name, bodies(n.Then, n.Else)
	case *ast.For:
		return async(n.Async, name), bodies(n.Body, n.Else)
	case *ast.While:
		return name, bodies(n.Body, n.Else)
	case *ast.With:
		return async(n.Async, name), ""
	case *ast.Try:
		if n.Star {
			name = "TryStar"
		}
		return name, bodies(n.Body, n.Else, n.Finally)
	case *ast.Alias:
		return "alias", n.Name + ":" + n.AsName
	case *ast.ImportFrom:
		return name, fmt.Sprintf("%d:%s", n.Level, n.Module)
	case *ast.Global:
		return name, strings.Join(n.Names, ",")
	case *ast.Nonlocal:
		return name, strings.Join(n.Names, ",")
	case *ast.Handler:
		return "ExceptHandler", n.Name
	case *ast.TypeParam:
		return n.Kind.String(), n.Name
	case *ast.MatchAs:
		return name, n.Name
	case *ast.MatchStar:
		return name, n.Name
	case *ast.MatchMapping:
		return name, n.Rest
	case *ast.MatchClass:
		return name, strings.Join(n.KwdNames, ",")
	case *ast.MatchValue:
		if _, ok := n.Value.(*ast.Constant); ok {
			return "MatchSingleton", ""
		}
	}
	return name, ""
}
