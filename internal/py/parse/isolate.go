package parse

import (
	"bytes"

	sitter "github.com/smacker/go-tree-sitter"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// Isolation of errors. The parser recovers from an error by skipping tokens
// until something fits, which may take the statements around it along. But a
// logical line of Python is a sentence of its own, or the head of one: parsed
// alone it shows whether the error is in it. Lines that are wrong alone are
// replaced by placeholders, and the file is parsed once more.

// maxIsolated bounds the source in broken regions that is examined line by
// line; a file with more of it is hardly Python.
const maxIsolated = 256 << 10

// isolate returns what is wrong with which logical lines of the broken parts of
// the tree in the arena.
func (p *Parser) isolate(mod *ast.Module, text []byte, fixed marks) map[int]lineError {
	regions := p.brokenRegions()
	size := 0
	for _, r := range regions {
		size += int(r.End - r.Start)
	}
	if size > maxIsolated {
		return nil
	}
	wrong := map[int]lineError{}
	needed := p.spent // for the whole text, once more
	for _, line := range listLines(mod) {
		for len(regions) > 0 && int(regions[0].End) <= line.start {
			regions = regions[1:]
		}
		if len(regions) == 0 || p.limit-p.spent <= needed {
			break
		}
		if line.end <= int(regions[0].Start) || line.end <= line.start || fixed[uint32(line.start)] {
			continue
		}
		if where, bad := p.wrongAlone(text[line.start:line.end], line.first); bad {
			where = span(line.start+int(where.Start), line.start+int(where.End))
			wrong[line.start] = lineError{where: where, message: "invalid syntax near " + quote(string(mod.Text[where.Start:line.end])) + "; fix it" + Skipped}
		}
	}
	return wrong
}

// brokenRegions returns the spans of the smallest statements with errors.
func (p *Parser) brokenRegions() []ast.Span {
	var out []ast.Span
	for i := uint32(1); i < uint32(len(p.arena)); {
		n := &p.arena[i]
		switch k := kinds[n.symbol]; {
		case n.flags&flagError == 0:
			i = n.next
		case isCompound(k) && !p.strayError(i):
			i++
		case k == kindBlock || k == kindElif || k == kindElse || k == kindExcept || k == kindExceptGroup || k == kindFinally || k == kindCaseClause:
			i++
		default:
			out = append(out, ast.Span{Start: n.start, End: max(n.end, n.start+1)})
			i = n.next
		}
	}
	return out
}

func isCompound(k kind) bool {
	switch k {
	case kindFunctionDefinition, kindClassDefinition, kindDecorated, kindIf, kindFor, kindWhile, kindWith, kindTry, kindMatch:
		return true
	}
	return false
}

// strayError reports whether an error stands directly in node i.
func (p *Parser) strayError(i uint32) bool {
	for c := i + 1; c < p.arena[i].next; c = p.arena[c].next {
		if kinds[p.arena[c].symbol] == kindError || p.arena[c].flags&flagMissing != 0 {
			return true
		}
	}
	return false
}

// surroundings complete a line of the given first word to a statement.
var surroundings = map[string][2]string{
	"elif": {"if _: pass\n", " pass"}, "else": {"if _: pass\n", " pass"}, "try": {"", " pass\nfinally: pass"},
	"except": {"try: pass\n", " pass"}, "finally": {"try: pass\n", " pass"}, "case": {"match _:\n ", " pass"},
	"match": {"", "\n case _: pass"}, "@": {"", "\ndef _(): pass"},
}

// wrongAlone reports whether the logical line is no Python by itself, and the
// place in it where the parser says so.
func (p *Parser) wrongAlone(line []byte, first string) (ast.Span, bool) {
	before, after := "", ""
	if line[0] == '@' {
		first = "@"
	}
	if first == "" && bytes.HasSuffix(line, []byte(":")) {
		first = string(wordAt(line))
	}
	if s, ok := surroundings[first]; ok {
		before, after = s[0], s[1]
	} else if bytes.HasSuffix(line, []byte(":")) {
		after = " pass"
	}
	tree, err := p.tree([]byte(before + string(line) + after))
	if err != nil {
		return span(0, len(line)), true
	}
	defer tree.Close()
	root := tree.RootNode()
	if !root.HasError() {
		return ast.Span{}, false
	}
	where := firstError(root)
	start := min(max(0, int(where.Start)-len(before)), len(line)-1)
	return span(start, min(max(start+1, int(where.End)-len(before)), len(line))), true
}

// firstError returns where the tree, which is small, has its first error.
func firstError(root *sitter.Node) ast.Span {
	nodes, err := export(root, nil)
	if err != nil {
		return ast.Span{}
	}
	for i := range nodes {
		if kinds[nodes[i].symbol] == kindError || nodes[i].flags&flagMissing != 0 {
			return ast.Span{Start: nodes[i].start, End: nodes[i].end}
		}
	}
	return ast.Span{}
}
