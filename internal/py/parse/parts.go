package parse

import (
	"sync/atomic"

	sitter "github.com/smacker/go-tree-sitter"
)

// # What an editor's text keeps of its parse
//
// Tree-sitter takes most of the time of a parse, and a keystroke changes one
// statement. A compound statement in the first column is a sentence of its own,
// whatever stands before and after it: so the text is cut before each, every part is
// parsed alone, and the nodes of a part are those of the same part of the parse before.
// The tree is the very one that the whole text has, as long as no part has an error:
// where tree-sitter recovers, it looks at what is around. Then the whole text is parsed
// as if nothing was kept. (The incremental parsing of tree-sitter itself has no such
// guarantee.)

// Kept is what the parse of a file leaves for the next one. Several parsers may use it
// at a time.
type Kept struct {
	parts atomic.Pointer[map[string][]flatNode]
}

// Keep makes the parses that follow use what earlier ones left, and leave it; nil for
// none. It is meant for the successive texts of one file.
func (p *Parser) Keep(k *Kept) { p.kept = k }

// parts is the state of one parse that keeps.
type parts struct {
	known map[string][]flatNode // of the parse before
	used  map[string][]flatNode // of this one
}

// beginParts takes what the parse before left.
func (p *Parser) beginParts() {
	p.parts = parts{}
	if p.kept == nil {
		return
	}
	if known := p.kept.parts.Load(); known != nil {
		p.parts.known = *known
	}
	p.parts.used = make(map[string][]flatNode, len(p.parts.known)+1)
}

// endParts leaves the parts of this parse, and no older ones.
func (p *Parser) endParts() {
	if p.kept != nil && len(p.parts.used) > 0 {
		used := p.parts.used
		p.kept.parts.Store(&used)
	}
	p.parts = parts{}
}

// flattenParts leaves the tree of a text in the arena, part by part; it is false where
// a part has an error.
func (p *Parser) flattenParts(s scanned) (sound bool, err error) {
	arena := p.arena[:0]
	from := 0
	for _, to := range append(s.cuts[:len(s.cuts):len(s.cuts)], len(s.text)) {
		nodes, err := p.part(s.text[from:to])
		if err != nil || nodes[0].flags&flagError != 0 {
			return false, err
		}
		arena = appendPart(arena, nodes, uint32(from))
		from = to
	}
	arena[0].next = uint32(len(arena))
	p.arena = arena
	return true, nil
}

// part returns the nodes of a part, its root first.
func (p *Parser) part(text []byte) ([]flatNode, error) {
	nodes, ok := p.parts.known[string(text)]
	if !ok {
		nodes, ok = p.parts.used[string(text)]
	}
	if !ok {
		tree, err := p.tree(text)
		if err != nil {
			return nil, err
		}
		defer tree.Close()
		if nodes, err = exactly(tree.RootNode()); err != nil {
			return nil, err
		}
	}
	p.parts.used[string(text)] = nodes
	return nodes, nil
}

// exactly exports a tree into a piece of memory that is no larger than it.
func exactly(root *sitter.Node) ([]flatNode, error) {
	nodes, err := export(root, nil)
	return append([]flatNode(nil), nodes...), err
}

// appendPart adds the nodes below a part's root, where the part begins at an offset;
// the roots become one.
func appendPart(arena, nodes []flatNode, offset uint32) []flatNode {
	root := nodes[0]
	root.start, root.end = root.start+offset, root.end+offset
	switch {
	case len(arena) == 0:
		arena = append(arena, root)
	case len(arena) == 1: // nothing but blanks before
		arena[0].start = root.start
	}
	arena[0].end = root.end
	shift := uint32(len(arena)) - 1 // of indices: the root is left out
	for _, n := range nodes[1:] {
		n.start, n.end, n.next = n.start+offset, n.end+offset, n.next+shift
		if n.parent > 0 {
			n.parent += shift
		}
		arena = append(arena, n)
	}
	return arena
}
