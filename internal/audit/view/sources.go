package view

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/words"
)

// digitsOf finds what tells the files of a row apart: completions_00010, checkpoint-500.
var digitsOf = regexp.MustCompile(`[0-9]+`)

// sourceLines says what was read, a line a file; files of a row that are whole share one.
func sourceLines(sources []record.Source) []string {
	var rows grouped[record.Source]
	for _, s := range sources {
		key := s.Path
		if s.Bad == 0 && len(s.Notes) == 0 {
			key = s.Format + " " + digitsOf.ReplaceAllString(s.Path, "*")
		}
		rows.add(key, s)
	}
	var out []string
	for _, row := range rows.rows {
		s := row[0]
		var records int64
		for _, each := range row {
			records += each.Records
		}
		line := s.Path + " ("
		if n := len(row); n > 1 {
			line = fmt.Sprintf("%s to %s (%s, ", s.Path, row[n-1].Path, words.Count(n, "file"))
		}
		line += s.Format + ", " + words.Count(int(records), "record")
		if s.Bad > 0 {
			line += fmt.Sprintf(", %d damaged", s.Bad)
		}
		line += ")"
		if len(s.Notes) > 0 {
			line += ": " + strings.Join(s.Notes, "; ")
		}
		out = append(out, line)
	}
	return out
}

// unusedLines says what was not used, and why; files of a row with one reason share a line,
// and metrics of a file with one.
func unusedLines(list []record.Unused) []string {
	var rows grouped[record.Unused]
	for _, u := range list {
		if u.Metric != "" {
			rows.add(u.Path+"\x00metric\x00"+u.Reason, u)
		} else {
			rows.add(digitsOf.ReplaceAllString(u.Path, "*")+"\x00"+u.Reason, u)
		}
	}
	var out []string
	for _, row := range rows.rows {
		u, n := row[0], len(row)
		switch {
		case u.Metric != "":
			var metrics []string
			for _, each := range row[:min(n, shownLines)] {
				metrics = append(metrics, each.Metric)
			}
			if n > shownLines {
				metrics = append(metrics, fmt.Sprintf("%d more", n-shownLines))
			}
			out = append(out, fmt.Sprintf("%s of %s: %s", words.And(metrics), u.Path, u.Reason))
		case n > 1:
			out = append(out, fmt.Sprintf("%s and %d like it: %s", u.Path, n-1, u.Reason))
		default:
			out = append(out, u.Path+": "+u.Reason)
		}
	}
	return out
}

// grouped collects things by a key, in the order in which the keys came.
type grouped[T any] struct {
	at   map[string]int
	rows [][]T
}

func (g *grouped[T]) add(key string, thing T) {
	if g.at == nil {
		g.at = map[string]int{}
	}
	at, known := g.at[key]
	if !known {
		at = len(g.rows)
		g.at[key], g.rows = at, append(g.rows, nil)
	}
	g.rows[at] = append(g.rows[at], thing)
}
