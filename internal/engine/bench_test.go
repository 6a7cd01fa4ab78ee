package engine_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/python"
	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/internal/pass"
)

// BenchmarkCheck checks the trainers of testdata, or the Python files below
// $BENCH_TREE, with one rule on values on one worker, and relates the time to a
// bare parse of the same texts by tree-sitter in the same run. check/parse is
// the ratio of the whole; the others are its parts.
func BenchmarkCheck(b *testing.B) { benchmark(b, 1) }

// BenchmarkCheckParallel is BenchmarkCheck with a worker for each core.
func BenchmarkCheckParallel(b *testing.B) { benchmark(b, runtime.GOMAXPROCS(0)) }

func benchmark(b *testing.B, jobs int) {
	paths, size := corpus(b)
	b.SetBytes(size)
	var bare, whole time.Duration
	var stats engine.Stats
	for b.Loop() {
		start := time.Now()
		bareParse(b, paths)
		bare += time.Since(start)
		start = time.Now()
		res := check(b, paths, engine.Options{Analyzers: []*analysis.Analyzer{draws}, Jobs: jobs})
		whole += time.Since(start)
		stats.Parse += res.Stats.Parse
		stats.Infer += res.Stats.Infer
		stats.Steps += res.Stats.Steps
		stats.Rules += res.Stats.Rules
		stats.Read += res.Stats.Read
	}
	relative := func(d time.Duration, name string) { b.ReportMetric(float64(d)/float64(bare), name) }
	relative(whole, "check/parse")
	relative(stats.Read, "read")
	relative(stats.Parse, "parse+lower")
	relative(stats.Infer, "infer")
	relative(stats.Steps, "steps")
	relative(stats.Rules, "rules")
}

// corpus lists the files to check.
func corpus(b *testing.B) (paths []string, size int64) {
	root := os.Getenv("BENCH_TREE")
	if root == "" {
		root = filepath.Join("..", "..", "testdata", "ok")
	}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".py" && d.Type().IsRegular() {
			info, err := d.Info()
			paths, size = append(paths, path), size+info.Size()
			return err
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		b.Fatalf("no files below %s: %v", root, err)
	}
	return paths, size
}

// bareParse is the least that any checker built on the grammar must spend.
func bareParse(b *testing.B, paths []string) {
	parser := sitter.NewParser()
	defer parser.Close()
	parser.SetLanguage(python.GetLanguage())
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		tree, err := parser.ParseCtx(context.Background(), nil, text)
		if err != nil {
			b.Fatal(err)
		}
		tree.Close()
	}
}

// BenchmarkSteps checks with a rule that does nothing: what all rules share.
func BenchmarkSteps(b *testing.B) {
	paths, size := corpus(b)
	b.SetBytes(size)
	idle := pass.Rule([]byte("---\ncode: IDLE001\nname: idle\n---\n"), func(*pass.Pass) {})
	for b.Loop() {
		check(b, paths, engine.Options{Analyzers: []*analysis.Analyzer{idle}, Jobs: 1})
	}
}
