package report

import (
	"github.com/rlvet/rlvet/internal/vet"
	"io"
	"sort"
	"strconv"
)

// Count is how often a rule was found.
type Count struct {
	Code    string `json:"code"`
	Name    string `json:"name"`
	Count   int    `json:"count"`
	Fixable bool   `json:"fixable"`
}

// Statistics returns the counts, most frequent first.
func Statistics(r *vet.Result) []Count {
	byCode := map[string]*Count{}
	for i := range r.Findings {
		f := &r.Findings[i]
		c := byCode[f.Code]
		if c == nil {
			c = &Count{Code: f.Code, Name: f.Name}
			byCode[f.Code] = c
		}
		c.Count++
		c.Fixable = c.Fixable || applicable(r, f)
	}
	out := make([]Count, 0, len(byCode))
	for _, c := range byCode {
		out = append(out, *c)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Count != out[j].Count {
			return out[i].Count > out[j].Count
		}
		return out[i].Code < out[j].Code
	})
	return out
}

// WriteStatistics writes the table of counts, or, for the JSON formats, an
// array of them.
func WriteStatistics(w io.Writer, r *vet.Result, format string, look Look) error {
	counts := Statistics(r)
	if format == "json" || format == "json-lines" {
		return encode(w, counts, "  ")
	}
	p, style := &printer{w: w}, newPalette(look)
	width, codes := 1, 1
	for _, c := range counts {
		width, codes = max(width, len(strconv.Itoa(c.Count))), max(codes, len(c.Code))
	}
	for _, c := range counts {
		mark := "[ ]"
		if c.Fixable {
			mark = "[" + style.help.Sprint("*") + "]"
		}
		p.printf("%*d  %s  %s %s\n", width, c.Count, style.code.Sprintf("%-*s", codes, c.Code), mark, c.Name)
	}
	summarise(p, style, r)
	return p.err
}
