package rules_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/python"
	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/rules"
)

// BenchmarkRules checks the files of testdata, or those below $BENCH_TREE, with all
// rules on one worker. Each part is reported as a share of what tree-sitter alone
// takes to parse the same texts in the same run, so that a busy machine does not
// change the numbers; $BENCH_RULE reports one rule or step by itself too.
func BenchmarkRules(b *testing.B) {
	var all []*analysis.Analyzer
	for _, r := range rules.All() {
		all = append(all, r.Analyzer)
	}
	paths, texts := benchFiles(b)
	one := os.Getenv("BENCH_RULE")
	var bare, whole time.Duration
	parts := map[string]time.Duration{}
	for b.Loop() {
		start := time.Now()
		parseBare(b, texts)
		bare += time.Since(start)
		start = time.Now()
		res, err := engine.Check(context.Background(), paths, engine.Options{Analyzers: all, Jobs: 1})
		if err != nil {
			b.Fatal(err)
		}
		whole += time.Since(start)
		s := res.Stats
		for name, d := range map[string]time.Duration{"read": s.Read, "parse+lower": s.Parse, "infer": s.Infer, "steps": s.Steps, "rules": s.Rules} {
			parts[name] += d
		}
		if one != "" {
			parts[one] += s.ByAnalyzer[one]
		}
	}
	b.ReportMetric(float64(whole)/float64(bare), "check/parse")
	for name, d := range parts {
		b.ReportMetric(float64(d)/float64(bare), name)
	}
}

// benchFiles lists the Python files to check, and their texts.
func benchFiles(b *testing.B) (paths []string, texts [][]byte) {
	root := os.Getenv("BENCH_TREE")
	if root == "" {
		root = filepath.Join("..", "testdata", "ok")
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".py" || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		paths, texts = append(paths, path), append(texts, text)
		return err
	})
	if err != nil || len(paths) == 0 {
		b.Fatalf("no files below %s: %v", root, err)
	}
	return paths, texts
}

// parseBare is the least that any checker built on the grammar must spend.
func parseBare(b *testing.B, texts [][]byte) {
	parser := sitter.NewParser()
	defer parser.Close()
	parser.SetLanguage(python.GetLanguage())
	for _, text := range texts {
		tree, err := parser.ParseCtx(context.Background(), nil, text)
		if err != nil {
			b.Fatal(err)
		}
		tree.Close()
	}
}
