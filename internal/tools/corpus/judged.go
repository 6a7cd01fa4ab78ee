package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// place is where a rule speaks.
type place struct {
	repository, path string
	line             int
	code             string
}

func (p place) compare(o place) int {
	return cmp.Or(cmp.Compare(p.repository, o.repository), cmp.Compare(p.path, o.path), cmp.Compare(p.line, o.line), cmp.Compare(p.code, o.code))
}

// verdict is what a person said of a finding.
type verdict string

const (
	harmful verdict = "harmful"
	idle    verdict = "idle" // true, and of no consequence there
	wrong   verdict = "wrong"
	unread  verdict = "unread"
)

var verdicts = []verdict{harmful, idle, wrong, unread}

// judgement is a verdict with its reason, for the next reader.
type judgement struct {
	verdict verdict
	note    string
}

// readJudged reads judged.tsv: repository, path, line, code, verdict, note. A file that is
// not there has no lines.
func readJudged(file string) (map[place]judgement, error) {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	out := map[place]judgement{}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) != 6 || !slices.Contains(verdicts, verdict(f[4])) {
			return nil, fmt.Errorf("%s:%d: a line is repository, path, line, code, %s, %s, %s or %s, and a note, with tabs between", file, n, harmful, idle, wrong, unread)
		}
		p := place{repository: f[0], path: f[1], code: f[3]}
		if _, err := fmt.Sscanf(f[2], "%d", &p.line); err != nil {
			return nil, fmt.Errorf("%s:%d: %q is not the number of a line", file, n, f[2])
		}
		if _, twice := out[p]; twice {
			return nil, fmt.Errorf("%s:%d: judged above", file, n)
		}
		out[p] = judgement{verdict(f[4]), f[5]}
	}
	return out, nil
}

// judgedText is the reverse of readJudged.
func judgedText(of map[place]judgement) []byte {
	places := make([]place, 0, len(of))
	for p := range of {
		places = append(places, p)
	}
	slices.SortFunc(places, place.compare)
	var b strings.Builder
	for _, p := range places {
		fmt.Fprintf(&b, "%s\t%s\t%d\t%s\t%s\t%s\n", p.repository, p.path, p.line, p.code, of[p].verdict, of[p].note)
	}
	return []byte(b.String())
}
