package read

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// isTable reports whether it is a table with a line of names.
func isTable(f candidate) bool {
	switch path.Ext(f.name()) {
	case ".csv", ".tsv":
		return len(f.head) > 0
	case ".txt":
		return isTabbed(f.head)
	}
	return false
}

// isTabbed reports whether a text is a table with tabs, as Spinning Up's progress.txt: names in
// the first line, as many numbers in the second.
func isTabbed(head []byte) bool {
	first, rest, _ := strings.Cut(string(head), "\n")
	second, _, _ := strings.Cut(rest, "\n")
	names, cells := strings.Split(strings.TrimRight(first, "\r"), "\t"), strings.Split(strings.TrimRight(second, "\r"), "\t")
	number := func(cell string) bool {
		_, _, ok := parseCell(cell)
		return ok || cell == ""
	}
	return len(names) > 1 && len(cells) == len(names) && !slices.ContainsFunc(names, number) &&
		!slices.ContainsFunc(cells, func(cell string) bool { return !number(cell) })
}

// table reads a table row by row, in bounded memory even where a quote is never closed.
type table struct {
	csv    *csv.Reader
	limit  *recordLimit
	names  []string
	cells  []string // of the row
	line   int
	latin  int64
	header []string // as it stands in the file
}

// openTable reads the line of names.
func openTable(r io.Reader, head []byte) (*table, error) {
	limit := &recordLimit{r: r}
	t := &table{csv: csv.NewReader(limit), limit: limit}
	t.csv.Comma, t.csv.LazyQuotes, t.csv.FieldsPerRecord, t.csv.ReuseRecord = separator(head), true, -1, true
	header, err := t.csv.Read()
	if err != nil {
		return nil, errors.New(trouble(err))
	}
	for _, name := range header {
		t.header = append(t.header, strings.Clone(name))
		t.names = append(t.names, strings.TrimSpace(t.utf8(strings.Clone(name))))
	}
	numbers := 0
	for _, name := range t.names {
		if _, err := strconv.ParseFloat(name, 64); err == nil {
			numbers++
		}
	}
	if numbers > 0 && numbers == len(t.names) {
		return nil, errors.New("has no line of names: put the names of the columns into its first line, such as step,reward")
	}
	return t, nil
}

// separator is the one of which the first line has most.
func separator(head []byte) rune {
	line, _, _ := strings.Cut(string(head), "\n")
	best, most := ',', 0
	for _, c := range ",;\t" {
		if n := strings.Count(line, string(c)); n > most {
			best, most = c, n
		}
	}
	return best
}

// next reads a row; false at the end, with io.EOF or what is wrong.
func (t *table) next() error {
	for {
		t.limit.read = 0
		cells, err := t.csv.Read()
		t.line, _ = t.csv.FieldPos(0)
		if err != nil {
			return err
		}
		if !slices.Equal(cells, t.header) { // a writer that went on wrote it again
			t.cells = cells
			return nil
		}
	}
}

// utf8 returns a text that may be Latin-1 as UTF-8.
func (t *table) utf8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	t.latin++
	s, _ = charmap.Windows1252.NewDecoder().String(s)
	return s
}

// readTable reads a table of metrics, of completions, or of judgements.
func readTable(ctx context.Context, c *collector, f candidate) error {
	r, err := f.text()
	if err != nil {
		return errors.New(trouble(err))
	}
	defer r.Close()
	t, err := openTable(r, f.head)
	if err != nil {
		return err
	}
	if isJudgements(t.names) {
		return c.judgements(f)
	}
	if isTexts(t.names) {
		return c.readTexts(ctx, f, "csv", t.texts(ctx))
	}
	return c.readMetrics(ctx, f, t)
}

// readMetrics reads a table of numbers.
func (c *collector) readMetrics(ctx context.Context, f candidate, t *table) error {
	l := c.newLog(f, "csv")
	names, note := chartNames(t.names)
	if note != "" {
		l.note("%s", note)
	}
	percent, european := map[string]bool{}, t.csv.Comma == ';'
	short, shortAt := int64(0), 0
	err := t.next()
	for ; err == nil && ctx.Err() == nil; err = t.next() {
		if len(t.cells) < len(names) {
			short, shortAt = short+1, t.line
		}
		for i, cell := range t.cells {
			if i >= len(names) || names[i] == "" {
				continue
			}
			if european {
				cell = strings.Replace(cell, ",", ".", 1)
			}
			if v, unit, ok := parseCell(cell); ok {
				l.put(names[i], v)
				if unit && len(percent) < maxUnknown {
					percent[names[i]] = true
				}
			}
		}
		l.end()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != io.EOF {
		l.Bad++
		l.note("%s", tableTrouble(err))
	}
	if short > 0 {
		l.note("%s shorter than the line of names, the last at line %d: what is there was read", were(short, "row"), shortAt)
	}
	if len(percent) > 0 {
		l.note("%s in percent: read as shares of 1, such as %s", were(int64(len(percent)), "column"), first(percent))
	}
	if t.latin > 0 {
		l.note("is not UTF-8 and was read as Latin-1")
	}
	return c.keep(l)
}

// tableTrouble says why a table ended too early.
func tableTrouble(err error) string {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return fmt.Sprintf("is damaged at line %d: what came before was read (%v)", parse.Line, parse.Err)
	}
	if errors.Is(err, errLarge) {
		return err.Error() + ", a quote that is never closed perhaps: what came before was read"
	}
	return trouble(err)
}

// parseCell reads a number, or a percentage as a share.
func parseCell(cell string) (v float64, percent, ok bool) {
	cell = strings.TrimSpace(cell)
	if cell == "" {
		return 0, false, false
	}
	if number, found := strings.CutSuffix(cell, "%"); found {
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		return v / 100, true, err == nil
	}
	if v, ok := notFinite(cell); ok {
		return v, false, true
	}
	v, err := strconv.ParseFloat(cell, 64)
	return v, false, err == nil || errors.Is(err, strconv.ErrRange)
}

// chartNames returns the names of the metrics of a chart that was exported from W&B, whose
// columns are "run - metric", with the least and the largest beside it. Other names it
// returns as they are.
func chartNames(names []string) ([]string, string) {
	runs := []string{}
	for _, name := range names {
		if isStepName(name) {
			continue
		}
		run, _, ok := strings.Cut(name, " - ")
		if !ok {
			return names, ""
		}
		if !slices.Contains(runs, run) {
			runs = append(runs, run)
		}
	}
	if len(runs) == 0 {
		return names, ""
	}
	short := make([]string, len(names))
	for i, name := range names {
		if isStepName(name) {
			short[i] = name
		} else if run, metric, _ := strings.Cut(name, " - "); run == runs[0] && !strings.HasSuffix(metric, "__MIN") && !strings.HasSuffix(metric, "__MAX") {
			short[i] = metric
		}
	}
	if len(runs) == 1 {
		return short, ""
	}
	return short, fmt.Sprintf("holds %d runs: the first, %q, was read, and %s not; export one run", len(runs), runs[0], list(runs[1:]))
}
