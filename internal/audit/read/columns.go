package read

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path"
	"regexp"
	"slices"

	"github.com/tidwall/gjson"
)

// # A history in one object
//
// People who keep the history of their loop in lists save an object of columns,
// {"step": [1, 2], "reward": [0.5, 0.7]}, or an object that holds the rows beside other things,
// {"config": {...}, "history": [{"step": 1, "reward": 0.5}]}.

// How such objects start, or what stands in their heads.
var (
	columnsHead = regexp.MustCompile(`^\s*\{\s*"[^"]{1,200}"\s*:\s*\[\s*-?[0-9.NI]`)
	historyHead = regexp.MustCompile(`"(?:(?:\w+_)?history|(?:\w+_)?logs?|(?:\w+_)?metrics|trajectory|steps|iterations)"\s*:\s*\[\s*\{`)
)

// isHistory reports whether it is an object of columns of numbers, or one that holds rows.
func isHistory(f candidate) bool {
	return path.Ext(f.name()) == ".json" && (columnsHead.Match(f.head) || historyHead.Match(f.head))
}

// readHistory reads the rows, or makes them of the columns.
func readHistory(ctx context.Context, c *collector, f candidate) error {
	r, err := f.text()
	if err != nil {
		return errors.New(trouble(err))
	}
	defer r.Close()
	l, d := c.newLog(f, "json"), newDocument(r)
	columns := map[string][]gjson.Result{}
	err = d.object(func(key string) error {
		v, err := d.value()
		if list := v.Array(); err == nil && v.IsArray() && len(list) > 0 && list[0].IsObject() && historyHead.MatchString(`"`+key+`":[{`) {
			l.putRows(list)
		} else if err == nil && v.IsArray() {
			columns[key] = list
		}
		return cmp.Or(err, ctx.Err())
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	d.note(l, err)
	if l.Records == 0 {
		l.putColumns(columns)
	}
	return c.keep(l)
}

func (l *log) putRows(rows []gjson.Result) {
	for _, row := range rows {
		if row.IsObject() {
			l.putObject(row, "", 0)
			l.end()
		}
	}
}

// putColumns puts the rows of those columns that are as long as most are.
func (l *log) putColumns(columns map[string][]gjson.Result) {
	lengths := map[int]int{}
	for _, column := range columns {
		lengths[len(column)]++
	}
	rows := 0
	for n, times := range lengths {
		if times > lengths[rows] || times == lengths[rows] && n > rows {
			rows = n
		}
	}
	var whole, left []string
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		if len(columns[name]) == rows {
			whole = append(whole, name)
		} else {
			left = append(left, name)
		}
	}
	if len(left) > 0 {
		l.note("%s: not of %d values, as the other columns are, and left out", list(left), rows)
	}
	for i := range rows {
		for _, name := range whole {
			if v, ok := number(columns[name][i]); ok {
				l.put(name, v)
			} else if columns[name][i].Type == gjson.Null {
				l.missing(name)
			}
		}
		l.end()
	}
}
