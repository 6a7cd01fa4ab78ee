package runconf

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// TOML reads a text as one document. What the tables of an array set ([[train.env]]) is under KEY[], as far as all of them that
// set it agree.
func TOML(text []byte) ([]*Document, error) {
	r := &tomlReader{doc: &Document{}, arrays: map[string]bool{}, entries: map[string]int{}}
	r.parser.Reset(text)
	for r.parser.NextExpression() {
		if err := r.expression(r.parser.Expression()); err != nil {
			return nil, err
		}
		if len(r.doc.Settings) > MaxSettings {
			return nil, &Error{Line: r.line(r.doc.Settings[MaxSettings].At.Start), Message: fmt.Sprintf("more than %d settings", MaxSettings)}
		}
	}
	if err := r.parser.Error(); err != nil {
		return nil, r.plainError(err)
	}
	if len(r.doc.Settings) == 0 {
		return nil, nil
	}
	r.doc.At = r.doc.Settings[0].At
	return []*Document{r.doc}, nil
}

// tomlReader flattens a document.
type tomlReader struct {
	parser unstable.Parser
	doc    *Document
	prefix string // of the table that is open
	// arrays are the arrays of tables by their keys, without the [] that their settings have.
	arrays map[string]bool
	// entries says where in doc a setting of an array's tables is.
	entries map[string]int
}

func (r *tomlReader) expression(e *unstable.Node) error {
	switch e.Kind {
	case unstable.Table:
		key := r.within(keyOf(e))
		r.add(Setting{Key: key, At: r.header(e)}) // an empty one says something too
		r.prefix = key + "."
	case unstable.ArrayTable:
		key := keyOf(e)
		if !r.arrays[key] {
			r.add(Setting{Key: r.within(key), Value: Value{Kind: List}, At: r.header(e)})
			r.arrays[key] = true
		}
		r.prefix = r.within(key) + "."
	case unstable.KeyValue:
		return r.pair(r.prefix, e, 0)
	}
	return nil
}

// within puts [] behind the arrays of tables that a key leads through.
func (r *tomlReader) within(key string) string {
	parts, name, out := strings.Split(key, "."), "", ""
	for i, part := range parts {
		if i > 0 {
			name, out = name+".", out+"."
		}
		name, out = name+part, out+part
		if r.arrays[name] {
			out += "[]"
		}
	}
	return out
}

// header is the key of a table, as it is written.
func (r *tomlReader) header(e *unstable.Node) Span {
	var out Span
	for it := e.Key(); it.Next(); {
		at := r.span(it.Node().Raw)
		if out.End == 0 {
			out = at
		}
		out.End = at.End
	}
	return out
}

// keyOf is the dotted key of a table or a pair. A dot in a quoted part is no other than one between parts.
func keyOf(n *unstable.Node) string {
	var parts []string
	for it := n.Key(); it.Next(); {
		parts = append(parts, string(it.Node().Data))
	}
	return strings.Join(parts, ".")
}

func (r *tomlReader) pair(prefix string, n *unstable.Node, depth int) error {
	at := r.span(n.Raw)
	if depth > maxDepth {
		return r.tooDeep(at)
	}
	key, value := prefix+keyOf(n), n.Value()
	if value.Kind == unstable.InlineTable {
		return r.table(key, value, depth)
	}
	if line := bytes.IndexByte(r.parser.Data()[at.Start:at.End], '\n'); line >= 0 {
		at.End = at.Start + line // of what takes several lines the first one is shown
	}
	for at.End > at.Start && strings.ContainsRune(" \t\r", rune(r.parser.Data()[at.End-1])) {
		at.End--
	}
	r.add(Setting{Key: key, Value: tomlValue(value, 0), At: at})
	if value.Kind != unstable.Array {
		return nil
	}
	for it := value.Children(); it.Next(); {
		if it.Node().Kind == unstable.InlineTable {
			if err := r.table(key+"[]", it.Node(), depth); err != nil {
				return err
			}
		}
	}
	return nil
}

// table adds what an inline table sets.
func (r *tomlReader) table(key string, n *unstable.Node, depth int) error {
	for it := n.Children(); it.Next(); {
		if err := r.pair(key+".", it.Node(), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// add adds a setting. One of an array's tables that differs from that of the tables before is not known.
func (r *tomlReader) add(s Setting) {
	if strings.Contains(s.Key, "[]") {
		if i, known := r.entries[s.Key]; known {
			if before := &r.doc.Settings[i].Value; before.Kind != s.Value.Kind || before.Text != s.Value.Text {
				*before = Value{}
			}
			return
		}
		r.entries[s.Key] = len(r.doc.Settings)
	}
	r.doc.Settings = append(r.doc.Settings, s)
}

func tomlValue(n *unstable.Node, depth int) Value {
	switch n.Kind {
	case unstable.String, unstable.Bool, unstable.Float, unstable.Integer:
		text := string(n.Data)
		if n.Kind == unstable.String && (text == "None" || strings.Contains(text, "{{") || strings.Contains(text, "$")) {
			return Value{} // none, or filled in
		}
		if n.Kind == unstable.String {
			return Value{Kind: Text, Text: text, Reads: AsString}
		}
		return Of(text)
	case unstable.Array:
		v := Value{Kind: List}
		for it := n.Children(); it.Next() && depth < maxDepth; {
			v.Items = append(v.Items, tomlValue(it.Node(), depth+1))
		}
		return v
	}
	return Value{}
}

func (r *tomlReader) span(raw unstable.Range) Span {
	return Span{Start: int(raw.Offset), End: int(raw.Offset + raw.Length)}
}

func (r *tomlReader) line(at int) int { return 1 + bytes.Count(r.parser.Data()[:at], []byte("\n")) }

func (r *tomlReader) tooDeep(at Span) error {
	return &Error{Line: r.line(at.Start), Message: fmt.Sprintf("tables are nested more than %d deep", maxDepth)}
}

func (r *tomlReader) plainError(err error) error {
	out := &Error{Line: 1, Message: "this is no TOML: " + err.Error()}
	if at := (*unstable.ParserError)(nil); errors.As(err, &at) && len(at.Highlight) > 0 {
		out.Line = r.line(int(r.parser.Range(at.Highlight).Offset))
	}
	return out
}
