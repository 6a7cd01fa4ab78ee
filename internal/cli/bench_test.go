package cli

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/python"
	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/benchtest"
	"github.com/rlvet/rlvet/internal/engine"
	"github.com/rlvet/rlvet/rules"
)

// BenchmarkCheck checks the programs of testdata/ok, or the Python files below
// $BENCH_TREE, with every rule on one core, and relates the processor time to that
// of a bare parse of the same texts by tree-sitter just before: check/parse is the
// median of these ratios over the rounds. The other numbers are the medians of its
// parts, as they passed by the clock. What a worker a core gains is speedup. The
// collector is told what the command line tells it.
func BenchmarkCheck(b *testing.B) {
	paths, size := corpus(b)
	b.SetBytes(size)
	relaxCollector()
	rounds := map[string][]float64{}
	note := func(name string, d, unit time.Duration) {
		rounds[name] = append(rounds[name], float64(d)/float64(unit))
	}
	for b.Loop() {
		bare, bareCPU := timed(func() { bareParse(b, paths) })
		var res *engine.Result
		cores := runtime.GOMAXPROCS(1)
		alone, aloneCPU := timed(func() { res = check(b, paths, 1) })
		runtime.GOMAXPROCS(cores)
		both, _ := timed(func() { check(b, paths, cores) })
		note("check/parse", aloneCPU, bareCPU)
		note("read", res.Stats.Read, bare)
		note("parse+lower", res.Stats.Parse, bare)
		note("infer", res.Stats.Infer, bare)
		note("steps", res.Stats.Steps, bare)
		note("rules", res.Stats.Rules, bare)
		note("speedup", alone, both)
	}
	for name, list := range rounds {
		slices.Sort(list)
		b.ReportMetric(list[len(list)/2], name)
	}
}

// timed returns how long f took by the clock, and the processor time that all
// threads of the process spent meanwhile.
func timed(f func()) (clock, cpu time.Duration) {
	runtime.GC()
	start, spent := time.Now(), benchtest.ProcessorTime()
	f()
	return time.Since(start), benchtest.ProcessorTime() - spent
}

// check runs every rule over the files, each of which counts as named.
func check(b *testing.B, paths []string, jobs int) *engine.Result {
	var all []*analysis.Analyzer
	for _, e := range rules.All() {
		all = append(all, e.Analyzer)
	}
	res, err := engine.Check(context.Background(), paths, engine.Options{Analyzers: all, Jobs: jobs})
	if err != nil {
		b.Fatal(err)
	}
	return res
}

// corpus lists the files to check.
func corpus(b *testing.B) (paths []string, size int64) {
	root := os.Getenv("BENCH_TREE")
	if root == "" {
		root = filepath.Join("..", "..", "testdata", "ok")
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".py" || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			paths, size = append(paths, path), size+info.Size()
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
