package parse

import (
	"context"
	"os"
	"testing"
	"time"

	sitter "github.com/smacker/go-tree-sitter"

	"github.com/rlvet/rlvet/internal/py/ast"
)

// corpusTexts returns the standard library as texts, and its size.
func corpusTexts(tb testing.TB) (texts [][]byte, size int64) {
	tb.Helper()
	for _, f := range standardLibrary(tb) {
		text, err := os.ReadFile(f)
		if err != nil {
			tb.Fatal(err)
		}
		texts = append(texts, text)
		size += int64(len(text))
	}
	return texts, size
}

// stages is what each step of parsing a corpus took.
type stages struct{ scan, parse, export, lower time.Duration }

// runStages parses every text step by step.
func runStages(tb testing.TB, p *Parser, texts [][]byte) (s stages) {
	tb.Helper()
	for _, text := range texts {
		t0 := time.Now()
		mod := &ast.Module{Text: append([]byte(nil), text...)}
		seen := scan(mod, nil)
		t1 := time.Now()
		p.limit, p.spent = p.timeFor(len(text)), 0
		tree, err := p.tree(seen.text)
		if err != nil {
			tb.Fatal(err)
		}
		t2 := time.Now()
		p.arena, err = export(tree.RootNode(), p.arena)
		if err != nil {
			tb.Fatal(err)
		}
		tree.Close()
		t3 := time.Now()
		p.lower(mod, seen.marks)
		t4 := time.Now()
		s.scan += t1.Sub(t0)
		s.parse += t2.Sub(t1)
		s.export += t3.Sub(t2)
		s.lower += t4.Sub(t3)
	}
	return s
}

// BenchmarkStages reports each step's share of tree-sitter's own time.
func BenchmarkStages(b *testing.B) {
	texts, size := corpusTexts(b)
	b.SetBytes(size)
	b.ReportAllocs()
	p := New()
	defer p.Close()
	var sum stages
	for b.Loop() {
		s := runStages(b, p, texts)
		sum.scan += s.scan
		sum.parse += s.parse
		sum.export += s.export
		sum.lower += s.lower
	}
	b.ReportMetric(float64(sum.scan)/float64(sum.parse), "scan/parse")
	b.ReportMetric(float64(sum.export)/float64(sum.parse), "export+close/parse")
	b.ReportMetric(float64(sum.lower)/float64(sum.parse), "lower/parse")
}

func BenchmarkParse(b *testing.B) {
	texts, size := corpusTexts(b)
	b.SetBytes(size)
	b.ReportAllocs()
	p := New()
	defer p.Close()
	for b.Loop() {
		for _, text := range texts {
			if _, err := p.Parse(context.Background(), "", text); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// largest returns the corpus's largest text.
func largest(texts [][]byte) (out []byte) {
	for _, t := range texts {
		if len(t) > len(out) {
			out = t
		}
	}
	return out
}

func BenchmarkScan(b *testing.B) {
	texts, _ := corpusTexts(b)
	text := largest(texts)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		scan(&ast.Module{Text: text}, nil)
	}
}

func BenchmarkExport(b *testing.B) {
	texts, _ := corpusTexts(b)
	text := largest(texts)
	parser := sitter.NewParser()
	defer parser.Close()
	parser.SetLanguage(grammar)
	tree, err := parser.ParseCtx(context.Background(), nil, text)
	if err != nil {
		b.Fatal(err)
	}
	defer tree.Close()
	b.SetBytes(int64(len(text)))
	var arena []flatNode
	for b.Loop() {
		if arena, err = export(tree.RootNode(), arena); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(arena)), "nodes")
}

func BenchmarkLower(b *testing.B) {
	texts, _ := corpusTexts(b)
	text := largest(texts)
	p := New()
	defer p.Close()
	mod := &ast.Module{Text: text}
	seen := scan(mod, nil)
	p.limit = time.Minute
	if err := p.flatten(seen); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		p.lower(&ast.Module{Text: text}, seen.marks)
	}
	b.ReportMetric(float64(len(p.arena)), "nodes")
}
