package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/rlvet/rlvet/internal/benchtest"
)

// bareParse names the row to which all others are related.
const bareParse = "bare tree-sitter parse, 1 worker"

// render returns the results as a Markdown table, with what they were measured on.
func render(c corpus, results []result, rounds int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d files, %d lines, %.1f MB of Python; %s, %d cores, %s/%s; medians of %d rounds (one run where that takes over %s); ratios are to the bare parse\n\n",
		c.files, c.lines, float64(c.bytes)/1e6, benchtest.Processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, rounds, slow)
	b.WriteString("| tool | version | wall | ratio | CPU time | ratio | peak memory |\n| --- | --- | --: | --: | --: | --: | --: |\n")
	baseWall, baseCPU := baseline(results, wallTime), baseline(results, cpuTime)
	for _, r := range results {
		if r.note != "" {
			fmt.Fprintf(&b, "| %s | %s | %s | | | | |\n", r.tool.name, r.tool.version, strings.ReplaceAll(r.note, "|", "/"))
			continue
		}
		wall := median(r.costs, wallTime)
		cpu := median(r.costs, cpuTime)
		peak := median(r.costs, func(c cost) int64 { return c.peak })
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %.0f MB |\n", r.tool.name, r.tool.version,
			seconds(wall), ratio(wall, baseWall), seconds(cpu), ratio(cpu, baseCPU), float64(peak)/1e6)
	}
	return b.String()
}

func wallTime(c cost) time.Duration { return c.wall }
func cpuTime(c cost) time.Duration  { return c.cpu }

// baseline returns the median time of the bare parse, 0 where it has none.
func baseline(results []result, of func(cost) time.Duration) time.Duration {
	for _, r := range results {
		if r.tool.name == bareParse && len(r.costs) > 0 {
			return median(r.costs, of)
		}
	}
	return 0
}

func ratio(time, base time.Duration) string {
	if base == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", float64(time)/float64(base))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
