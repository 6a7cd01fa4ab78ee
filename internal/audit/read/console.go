package read

import (
	"bytes"
	"context"
	"errors"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// # What a trainer prints
//
// Many a run leaves nothing but what it wrote to the terminal. Two trainers print all their
// metrics in a form that can be told from other text: verl a line "step:3 - actor/lr:1e-06 -
// ...", and transformers' Trainer a dict of Python, whose values newer versions put in quotes.
// The dict has no step: its number stands for it. Progress bars end in a carriage return, which
// divides lines here.

// isConsole reports whether a file may be what a trainer printed.
func isConsole(f candidate) bool {
	return slices.Contains([]string{".log", ".txt", ".out", ".err"}, path.Ext(f.name()))
}

// readConsole reads the metrics among what was printed. A file without any is none.
func readConsole(ctx context.Context, c *collector, f candidate) error {
	r, err := f.text()
	if err != nil {
		return errors.New(trouble(err))
	}
	defer r.Close()
	l, in := c.newLog(f, "console"), newLines(r)
	for in.next() {
		if in.number%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for piece := range bytes.SplitSeq(in.line, []byte("\r")) {
			l.putPrinted(piece)
		}
	}
	if l.Records == 0 {
		return in.err
	}
	in.note(l)
	return c.keep(l)
}

// putPrinted puts the metrics of a line, where it holds some.
func (l *log) putPrinted(line []byte) {
	var all []printed
	if _, text, ok := bytes.Cut(line, []byte("step:")); ok && bytes.Contains(text, []byte(" - ")) {
		all = printedByVerl(string(text))
	} else if text := bytes.TrimSpace(line); bytes.HasPrefix(text, []byte("{'")) && bytes.HasSuffix(text, []byte("}")) {
		all = printedDict(string(text))
	}
	if !slices.ContainsFunc(all, func(p printed) bool { return l.c.known(p.name) }) {
		return
	}
	for _, p := range all {
		l.put(p.name, p.value)
	}
	l.end()
}

// printed is a metric in a line.
type printed struct {
	name  string
	value float64
}

// printedByVerl reads "3 - actor/lr:1e-06 - actor/entropy:np.float64(0.5)", the text behind
// "step:"; nothing where that is no number.
func printedByVerl(text string) []printed {
	parts := strings.Split(text, " - ")
	step, ok := printedNumber(parts[0])
	if !ok {
		return nil
	}
	all := []printed{{"step", step}}
	for _, part := range parts[1:] {
		if at := strings.LastIndexByte(part, ':'); at > 0 && !strings.Contains(part[:at], "global_step") {
			if v, ok := printedNumber(part[at+1:]); ok {
				all = append(all, printed{strings.TrimSpace(part[:at]), v})
			}
		}
	}
	return all
}

// dictPair is a metric in a dict of Python.
var dictPair = regexp.MustCompile(`'([^']{1,200})': *'?([-+.0-9a-zA-Z]{1,40})'?[,}]`)

// printedDict reads "{'loss': 0.5, 'reward': '1.25'}".
func printedDict(text string) []printed {
	var all []printed
	for _, m := range dictPair.FindAllStringSubmatch(text, -1) {
		if v, ok := printedNumber(m[2]); ok {
			all = append(all, printed{m[1], v})
		}
	}
	return all
}

// printedNumber reads a number as Python prints it, or as numpy 2 does.
func printedNumber(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "np.float"); ok {
		_, inner, _ = strings.Cut(inner, "(")
		text = strings.TrimSuffix(inner, ")")
	}
	if v, ok := notFinite(text); ok {
		return v, true
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}
