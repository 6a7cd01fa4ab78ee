// Package parse reads Python source into the tree of package ast.
//
// Purpose: the only package that knows tree-sitter. A file goes through four
// steps: a scanner blanks what the grammar cannot take (scan.go), tree-sitter
// parses the copy, one crossing into C exports the tree into a flat array
// (export.c), and lowering turns that array into typed nodes (lower.go).
//
// Input: UTF-8 text. Output: an ast.Module, also for broken source, with what
// was not understood in Module.Errors.
//
// Limits: a file over the size limit, or one that takes more processor time than
// its size allows, gives an error; nothing else does. No error is no proof of valid Python:
// what only CPython's compiler rejects (return outside of a function, a star in
// the wrong place) is accepted. \N{...} in strings is kept as it is written. A
// Parser serves one goroutine.
package parse

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	sitter "github.com/smacker/go-tree-sitter"

	"github.com/rlvet/rlvet/internal/py/ast"
	_ "github.com/rlvet/rlvet/internal/py/compiler" // says so where there is none
)

// The default limits. Generated Python of some MB exists, of 32 MB does not. A
// MB of ordinary source takes 80 ms of the processor, of the densest valid one
// 250 ms, on a quiet machine; the limit is for such, and deadline.go says what it
// is on others. The steps besides tree-sitter are linear and take as long as it
// does on valid source.
const (
	DefaultMaxBytes   = 32 << 20
	DefaultTimePerMiB = time.Second
)

// ErrLimit is what the errors of Parse wrap.
var ErrLimit = errors.New("gave up")

// Parser parses one file after another. It is not safe for concurrent use.
type Parser struct {
	parser   *sitter.Parser
	arena    []flatNode
	maxBytes int
	perMiB   time.Duration
	// Of the file being parsed: the processor time that tree-sitter may take and
	// has taken.
	limit, spent time.Duration
	kept         *Kept
	parts        parts
}

// New returns a parser with the default limits.
func New() *Parser { return &Parser{maxBytes: DefaultMaxBytes, perMiB: DefaultTimePerMiB} }

// Close frees the parser's C memory. It may be used again afterwards.
func (p *Parser) Close() {
	if p.parser != nil {
		p.parser.Close()
		p.parser = nil
	}
	p.arena = nil
}

// Parse parses one file. The error wraps ErrLimit, or is the context's own if
// that was cancelled before the start; syntax errors are no error but listed in
// the module. The path is only used in errors.
func (p *Parser) Parse(ctx context.Context, path string, text []byte) (*ast.Module, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(text) > p.maxBytes {
		return nil, fmt.Errorf("%s: %w: the file is over %s", path, ErrLimit, megabytes(p.maxBytes))
	}
	mod := &ast.Module{Text: append([]byte(nil), text...)}
	seen := scan(mod, nil)
	p.limit, p.spent = p.timeFor(len(text)), 0
	p.beginParts()
	defer p.endParts()
	if err := p.flatten(seen); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if p.arena[0].flags&flagError != 0 {
		seen = p.again(mod, seen)
	}
	p.lower(mod, seen.marks)
	return mod, nil
}

// again looks for the lines that are wrong and parses the text without them, in
// the time that is left. Where that is too little, the first tree has to do: it
// lacks more statements than need be, and says which.
func (p *Parser) again(mod *ast.Module, first scanned) scanned {
	wrong := p.isolate(mod, first.text, first.marks)
	if len(wrong) == 0 {
		return first
	}
	if second := scan(mod, wrong); p.flatten(second) == nil {
		return second
	}
	return scan(mod, nil)
}

func megabytes(n int) string { return fmt.Sprintf("%.3g MB", float64(n)/(1<<20)) }

// flatten parses a text and leaves its tree in the arena.
func (p *Parser) flatten(s scanned) error {
	if p.kept != nil {
		if sound, err := p.flattenParts(s); sound || err != nil {
			return err
		}
	}
	tree, err := p.tree(s.text)
	if err != nil {
		return err
	}
	defer tree.Close()
	p.arena, err = export(tree.RootNode(), p.arena)
	return err
}

// tree parses text within what is left of the file's time.
func (p *Parser) tree(text []byte) (*sitter.Tree, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p.ready()
	ctx, d := begin(p.limit - p.spent)
	tree, err := p.parser.ParseCtx(ctx, nil, text)
	used, limit := d.end()
	p.limit = max(p.limit, p.spent+limit)
	p.spent += used
	if ctx.Err() == nil {
		return tree, err
	}
	if err == nil {
		tree.Close()
	}
	p.drop()
	return nil, fmt.Errorf("%w after %v of processor time, so that nothing in the file is checked: "+
		"it is hardly Python, or very much of it is broken; fix it, or leave it out with exclude", ErrLimit, p.spent.Round(10*time.Millisecond))
}

// timeFor returns how much processor time a text of n bytes may take. What a
// small one takes is more for chance than for its size.
func (p *Parser) timeFor(n int) time.Duration {
	return p.perMiB/4 + time.Duration(float64(p.perMiB)*float64(n)/(1<<20))
}

// ready makes a parser if there is none.
func (p *Parser) ready() {
	if p.parser == nil {
		p.parser = sitter.NewParser()
		p.parser.SetLanguage(grammar)
	}
}

// drop closes a parser that was cut off: it would go on with the next text.
func (p *Parser) drop() {
	p.parser.Close()
	p.parser = nil
}

func (p *Parser) lower(mod *ast.Module, marks marks) {
	l := &lowerer{
		nodes: p.arena, mod: mod, marks: marks,
		src: unsafe.String(unsafe.SliceData(mod.Text), len(mod.Text)),
	}
	l.ascii = isASCII(mod.Text)
	l.module()
	if cap(p.arena) > maxKeptNodes {
		p.arena = nil
	}
}

func isASCII(text []byte) bool {
	for _, c := range text {
		if c >= 0x80 {
			return false
		}
	}
	return true
}
