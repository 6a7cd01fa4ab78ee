package main

import (
	"fmt"
	"strings"
)

// row is what all tools said of a program.
type row struct {
	program program
	said    map[string]verdict // by tool
}

const preface = `# Planted faults

Each program below is a small training loop with one fault. The line at which the first value or gradient turns bad, or
which a wrong backward returns, was marked when the program was written. Each tool
ran on the same programs, under the same seeds, one after the other, by ` + "`go run ./internal/tools/benchhunt`" + `, with %s.

- *found*: the tool said that something is wrong. *crash*: it did not, and the program ended with an error of its own.
- *line*: the line it named is the marked one. rlvet and ` + "`torch.autograd.detect_anomaly`" + ` (with check_nan) name a line; the
  technique of transformers' DebugUnderflowOverflow (forward hooks on every module) names a module, which counts if the line lies
  within its forward. The last line of a crash counts too, for whichever tool.
- rlvet had to find the seed that fails among those of the program; the others were told it.

`

// render returns the verdicts as a page of Markdown.
func render(versions string, rows []row) string {
	var b strings.Builder
	fmt.Fprintf(&b, preface, versions)
	head(&b, "fault | kind")
	for _, r := range rows {
		if r.program.kind != "" {
			r.fault(&b)
		}
	}
	total(&b, rows)
	b.WriteString("\n## Correct programs\n\nThese hold infinities, NaN and kinks on purpose: masks of -inf, padding, initial minima of inf, straight-through estimators,\nskipped steps; those that are named mended are faults from above with the right statement. A tool that says anything about them accuses falsely.\n\n")
	head(&b, "program | ")
	for _, r := range rows {
		if r.program.kind == "" {
			r.correct(&b)
		}
	}
	return b.String()
}

func head(b *strings.Builder, first string) {
	fmt.Fprintf(b, "| %s | %s |\n|%s\n", first, strings.Join(tools, " | "), strings.Repeat(" --- |", 2+len(tools)))
}

func (r row) fault(b *strings.Builder) {
	fmt.Fprintf(b, "| %s | %s |", r.program.name, r.program.kind)
	for _, t := range tools {
		fmt.Fprintf(b, " %s |", r.said[t].judged(r.program))
	}
	b.WriteString("\n")
}

// judged is a verdict in words: what was found, and whether the line is right.
func (v verdict) judged(p program) string {
	word := "no"
	switch {
	case v.detected:
		word = "found"
	case v.crash:
		word = "crash"
	}
	switch {
	case v.localised(p):
		return word + ", line"
	case v.file != "" && v.file != "." && v.row > 0 && v.end == v.row:
		return fmt.Sprintf("%s, %s:%d instead", word, v.file, v.row)
	}
	return word
}

// total writes how many faults each tool found, and how many lines it named.
func total(b *strings.Builder, rows []row) {
	fmt.Fprintf(b, "| **together** | %d |", faults(rows))
	for _, t := range tools {
		found, lines := 0, 0
		for _, r := range rows {
			if v := r.said[t]; r.program.kind != "" {
				found += count(v.detected)
				lines += count(v.localised(r.program))
			}
		}
		fmt.Fprintf(b, " %d found, %d lines |", found, lines)
	}
	b.WriteString("\n")
}

func faults(rows []row) (n int) {
	for _, r := range rows {
		n += count(r.program.kind != "")
	}
	return n
}

func count(holds bool) int {
	if holds {
		return 1
	}
	return 0
}

func (r row) correct(b *strings.Builder) {
	fmt.Fprintf(b, "| %s | |", r.program.name)
	for _, t := range tools {
		word := "silent"
		if v := r.said[t]; v.detected || v.crash {
			word = "**accused**: " + strings.ReplaceAll(v.said, "|", "/")
		}
		fmt.Fprintf(b, " %s |", word)
	}
	b.WriteString("\n")
}
