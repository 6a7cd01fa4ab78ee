package parse

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	sitter "github.com/smacker/go-tree-sitter"
)

// cursorArena builds the arena through the binding's public cursor.
func cursorArena(root *sitter.Node) []flatNode {
	var out []flatNode
	cursor := sitter.NewTreeCursor(root)
	defer cursor.Close()
	fields := fieldNumbers()
	var open []uint32 // the indices of the ancestors
	for {
		n := cursor.CurrentNode()
		node := flatNode{symbol: uint16(n.Symbol()), field: fields[cursor.CurrentFieldName()], start: n.StartByte(), end: n.EndByte()}
		for flag, set := range map[uint8]bool{
			flagNamed: n.IsNamed(), flagMissing: n.IsMissing(), flagExtra: n.IsExtra(), flagError: n.HasError(),
		} {
			if set {
				node.flags |= flag
			}
		}
		if len(open) > 0 {
			node.parent = open[len(open)-1]
		}
		out = append(out, node)
		open = append(open, uint32(len(out)-1))
		if cursor.GoToFirstChild() {
			continue
		}
		for {
			last := len(open) - 1
			out[open[last]].next = uint32(len(out))
			open = open[:last]
			if cursor.GoToNextSibling() {
				break
			}
			if !cursor.GoToParent() {
				return out
			}
		}
	}
}

func fieldNumbers() map[string]field {
	out := map[string]field{}
	for i := 1; grammar.FieldName(i) != ""; i++ {
		out[grammar.FieldName(i)] = field(i)
	}
	return out
}

// compareArenas fails where the export of text and the cursor's walk differ.
func compareArenas(t *testing.T, name string, text []byte) int {
	t.Helper()
	parser := sitter.NewParser()
	defer parser.Close()
	parser.SetLanguage(grammar)
	tree, err := parser.ParseCtx(context.Background(), nil, text)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	exported, err := export(tree.RootNode(), nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	want := cursorArena(tree.RootNode())
	if len(exported) != len(want) {
		t.Fatalf("%s: the export has %d nodes, the cursor %d", name, len(exported), len(want))
	}
	for i := range want {
		if exported[i] != want[i] {
			t.Fatalf("%s: node %d: export %+v, cursor %+v", name, i, exported[i], want[i])
		}
	}
	return len(want)
}

// TestArenaEqualsCursor holds the export, which reads tree-sitter's memory, to
// what the library itself says: on a part of the standard library, and on
// sources in which nodes are missing, aliased, hidden or wrong.
func TestArenaEqualsCursor(t *testing.T) {
	nodes := 0
	for _, c := range oddSources {
		nodes += compareArenas(t, quote(c), []byte(c))
	}
	files := standardLibrary(t)
	for i := 0; i < len(files); i += 6 {
		text, err := os.ReadFile(files[i])
		if err != nil {
			t.Fatal(err)
		}
		nodes += compareArenas(t, files[i], text)
	}
	if nodes < 100_000 {
		t.Errorf("only %d nodes compared", nodes)
	}
}

var oddSources = []string{
	"", "\n", " ", "#", "x", "\x00", "\xff\xfe", "x = '''", "f'{", "f'{x!r:>{w}}'",
	"with a as b, (c) as d: pass\n", "if x:\n\ty\n  z\n", "def f(:\n  pass\n", "print >>f, 'x'\n", "(((\n", ")))\n",
	"x = [*a, *b.c]\n", "match x:\n  case {'a': b, **c} | -1: pass\n", "class A[T]: x: list[int]\n",
	"try: pass\nexcept* A as e: pass\n# end\n", "x = a if b else", "async def f(): await x\n", "x: int = yield\n",
	";;0", "type A[0=0=[0]]=0",
	strings.Repeat("(", 5000), strings.Repeat("x = [", 500) + strings.Repeat("]", 400), strings.Repeat("- ", 3000) + "x",
}

// TestDeepTreeExports goes deeper than any stack but the export's own would bear.
func TestDeepTreeExports(t *testing.T) {
	const depth = 300_000
	p := New()
	defer p.Close()
	p.limit = time.Minute
	if err := p.flatten(scanned{text: []byte("x = " + strings.Repeat("(", depth) + strings.Repeat(")", depth))}); err != nil {
		t.Fatal(err)
	}
	if len(p.arena) < depth {
		t.Errorf("%d nodes for %d brackets", len(p.arena), depth)
	}
}
