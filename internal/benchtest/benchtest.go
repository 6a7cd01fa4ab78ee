// Package benchtest is what the benchmarks for developers share: on what they ran, what they used
// of the processor, and the section of a page that they write anew.
//
// Limits: it measures nothing else itself.
package benchtest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
)

// Main parses the flags and runs a benchmark until its end or an interrupt. What it fails of
// is one line, and the exit code 2.
func Main(run func(context.Context) error) {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
}

// Processor returns the name of the processor where the system tells it.
func Processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unnamed processor"
	}
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unnamed processor"
}

// Versions returns those of a Python and of its torch in words: "Python 3.11.2, torch
// 1.13.0". It fails where that Python has no torch.
func Versions(ctx context.Context, python string) (string, error) {
	out, err := exec.CommandContext(ctx, python, "-c", "import sys, torch; print('Python', sys.version.split()[0] + ', torch', torch.__version__)").Output()
	if err != nil {
		return "", fmt.Errorf("%s has no torch: %w", python, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Between replaces what stands between two marks of the page called name, each a line. It
// fails where the page lacks one.
func Between(name string, page []byte, begin, end string, middle []byte) ([]byte, error) {
	head, rest, ok := bytes.Cut(page, []byte(begin))
	if !ok {
		return nil, fmt.Errorf("%s lacks the line %q", name, strings.TrimSpace(begin))
	}
	_, tail, ok := bytes.Cut(rest, []byte(end))
	if !ok {
		return nil, fmt.Errorf("%s lacks the line %q", name, strings.TrimSpace(end))
	}
	return slices.Concat(head, []byte(begin), []byte("\n"), middle, []byte("\n"), []byte(end), tail), nil
}
