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
// Limits: a file over the size limit, or one that takes longer than the time
// limit, gives an error; nothing else does. No error is no proof of valid Python:
// what only CPython's compiler rejects (return outside of a function, a star in
// the wrong place) is accepted. Of valid Python, two rare annotations are not
// understood: a type subscripted twice, x: A[b][c], and an unpacked attribute,
// *args: *a.b[c]. \N{...} in strings is kept as it is written. A Parser serves
// one goroutine.
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
)

// The default limits. Generated Python of some MB exists, of 32 MB does not. A
// MB of ordinary source takes 80 ms; all steps together take at most twice the
// limit.
const (
	DefaultMaxBytes   = 32 << 20
	DefaultTimePerMiB = 500 * time.Millisecond
)

// ErrLimit is what the errors of Parse wrap.
var ErrLimit = errors.New("gave up")

// Parser parses one file after another. It is not safe for concurrent use.
type Parser struct {
	parser   *sitter.Parser
	arena    []flatNode
	maxBytes int
	perMiB   time.Duration
	spent    time.Duration // processor time in tree-sitter since it was last set to 0
}

// Option changes a limit of a Parser.
type Option func(*Parser)

// MaxBytes sets the size in bytes over which a file is not parsed.
func MaxBytes(n int) Option { return func(p *Parser) { p.maxBytes = n } }

// TimePerMiB sets how much processor time a file may take for every MiB that it
// has begun.
func TimePerMiB(d time.Duration) Option { return func(p *Parser) { p.perMiB = d } }

// New returns a parser with the default limits.
func New(opts ...Option) *Parser {
	p := &Parser{maxBytes: DefaultMaxBytes, perMiB: DefaultTimePerMiB}
	for _, o := range opts {
		o(p)
	}
	return p
}

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
	copied, marks := scan(mod, nil)
	p.spent = 0
	if err := p.flatten(copied); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if p.arena[0].flags&flagError != 0 && p.spent < p.limit(len(text))/2 {
		if wrong := p.isolate(mod, copied, marks); len(wrong) > 0 {
			copied, marks = scan(mod, wrong)
			if err := p.flatten(copied); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	p.lower(mod, marks)
	return mod, nil
}

func megabytes(n int) string { return fmt.Sprintf("%.3g MB", float64(n)/(1<<20)) }

// flatten parses text and leaves its tree in the arena.
func (p *Parser) flatten(text []byte) error {
	tree, err := p.tree(text)
	if err != nil {
		return err
	}
	defer tree.Close()
	p.arena, err = export(tree.RootNode(), p.arena)
	return err
}

// maxStretch bounds how far the limit is stretched on a busy machine.
const maxStretch = 32

// tree parses text within the limit. The binding's contexts break parsers, so
// none is passed on; the limit does what they would. Tree-sitter measures the
// limit by the clock on the wall: on a busy machine a thread may not run for
// seconds, so a parse that was cut off without having used its share of the
// processor is begun again with twice the time.
func (p *Parser) tree(text []byte) (*sitter.Tree, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	limit := p.limit(len(text))
	for stretch := time.Duration(1); ; stretch *= 2 {
		p.ready()
		p.parser.SetOperationLimit(int((stretch * limit).Microseconds()))
		start, told := threadTime()
		tree, err := p.parser.ParseCtx(context.Background(), nil, text)
		now, _ := threadTime()
		p.spent += now - start
		if err == nil {
			return tree, nil
		}
		p.drop()
		if !told || now-start > limit/2 || stretch >= maxStretch {
			return nil, fmt.Errorf("%w after %v: the file does not look like Python", ErrLimit, limit)
		}
	}
}

// limit returns how long a text of n bytes may take.
func (p *Parser) limit(n int) time.Duration { return p.perMiB * time.Duration(n>>20+1) }

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
