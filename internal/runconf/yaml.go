package runconf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// YAML reads the documents of a text. base is added to all positions. A scalar that contains a variable or a template is unknown, unless
// expand, which may be nil, knows what it stands for.
func YAML(text []byte, base int, expand func(string) (string, bool)) ([]*Document, error) {
	return (&yamlReader{base: base, text: text, lines: lineStarts(text), expand: expand}).read()
}

// JSON is YAML of a text in JSON, whose comments are passed over: of its numbers none is a string.
func JSON(text []byte, base int, expand func(string) (string, bool)) ([]*Document, error) {
	text = WithoutComments(text)
	docs, err := (&yamlReader{base: base, text: text, lines: lineStarts(text), expand: expand, json: true}).read()
	if at := (*Error)(nil); errors.As(err, &at) {
		at.Message = strings.Replace(at.Message, "this is no YAML", "this is no JSON", 1)
	}
	return docs, err
}

func (r *yamlReader) read() ([]*Document, error) {
	text := r.text
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var out []*Document
	for {
		var root yaml.Node
		err := decoder.Decode(&root)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, plainError(err)
		}
		if len(root.Content) == 0 || root.Content[0].Kind != yaml.MappingNode {
			continue
		}
		d, err := r.document(root.Content[0])
		if err != nil {
			return out, err
		}
		out = append(out, d)
	}
}

// Error is a mistake in a text.
type Error struct {
	Line    int // from 1; 0 where none is known
	Message string
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

var yamlPlace = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)

// plainError takes the line out of the text of an error, which leaves out the first.
func plainError(err error) error {
	m := yamlPlace.FindStringSubmatch(err.Error())
	line, _ := strconv.Atoi(m[1])
	return &Error{Line: max(line, 1), Message: "this is no YAML: " + err.Error()[len(m[0]):]}
}

// yamlReader flattens documents.
type yamlReader struct {
	base   int
	text   []byte
	lines  []int
	expand func(string) (string, bool)
	json   bool
	doc    *Document
	work   int // nodes that were looked at, through aliases too
}

func (r *yamlReader) document(root *yaml.Node) (*Document, error) {
	r.doc = &Document{At: r.span(root, root)}
	if err := r.mapping("", root, 0); err != nil {
		return nil, err
	}
	r.interpolate()
	return r.doc, nil
}

// mapping adds the keys of a mapping, those that it merges first: its own come later, and count.
func (r *yamlReader) mapping(prefix string, m *yaml.Node, depth int) error {
	if r.work++; r.work > maxWork {
		return &Error{Line: m.Line, Message: "aliases of aliases stand for more than any configuration has"}
	}
	if depth > maxDepth {
		return &Error{Line: m.Line, Message: fmt.Sprintf("mappings are nested more than %d deep", maxDepth)}
	}
	for _, merged := range []bool{true, false} {
		for i := 0; i+1 < len(m.Content); i += 2 {
			key, value := m.Content[i], m.Content[i+1]
			var err error
			switch {
			case (key.Tag == "!!merge") != merged:
			case merged:
				err = r.merge(prefix, value, depth+1)
			default:
				err = r.entry(prefix+key.Value, key, value, depth)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// merge adds the keys of what "<<" names: of several mappings the first one counts most.
func (r *yamlReader) merge(prefix string, n *yaml.Node, depth int) error {
	switch n = resolve(n); n.Kind {
	case yaml.MappingNode:
		return r.mapping(prefix, n, depth)
	case yaml.SequenceNode:
		for i := len(n.Content) - 1; i >= 0; i-- {
			if m := resolve(n.Content[i]); m.Kind == yaml.MappingNode {
				if err := r.mapping(prefix, m, depth); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// resolve returns what an alias stands for; an anchor cannot contain an alias to itself.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// entry adds one key.
func (r *yamlReader) entry(key string, at, value *yaml.Node, depth int) error {
	if len(r.doc.Settings) >= MaxSettings {
		return &Error{Line: at.Line, Message: fmt.Sprintf("more than %d settings, as aliases of aliases make them", MaxSettings)}
	}
	n := resolve(value)
	if n.Kind == yaml.MappingNode {
		return r.mapping(key+".", n, depth+1)
	}
	s := Setting{Key: key, Value: r.value(n, depth), At: r.span(at, at)}
	if n == value && n.Kind == yaml.ScalarNode && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 && n.Line == at.Line {
		s.At.End = r.span(n, n).End
	}
	if key == "defaults" {
		r.bases(n)
	}
	r.doc.Settings = append(r.doc.Settings, s)
	return nil
}

// bases notes the entries of Hydra's defaults list, or the only file that a configuration starts from.
func (r *yamlReader) bases(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && strings.HasSuffix(n.Value, ".yaml") {
		r.doc.Bases = append(r.doc.Bases, n.Value)
	}
	for _, item := range n.Content {
		switch {
		case item.Kind == yaml.ScalarNode:
			r.doc.Bases = append(r.doc.Bases, item.Value)
		case item.Kind == yaml.MappingNode && len(item.Content) > 1:
			r.doc.Bases = append(r.doc.Bases, item.Content[0].Value+"="+item.Content[1].Value)
		}
	}
}

func (r *yamlReader) value(n *yaml.Node, depth int) Value {
	switch n = resolve(n); n.Kind {
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return Value{Kind: Null}
		}
		return r.scalar(n)
	case yaml.SequenceNode:
		v := Value{Kind: List}
		for _, item := range n.Content {
			if r.work++; depth > maxDepth || r.work > maxWork {
				return Value{}
			}
			v.Items = append(v.Items, r.value(item, depth+maxDepth/4))
		}
		return v
	}
	return Value{}
}

// scalar is unknown where it contains a template: {{ x }}, <x>, or a variable that expand does not know.
func (r *yamlReader) scalar(n *yaml.Node) Value {
	switch text := n.Value; {
	case strings.Contains(text, "{{") || strings.Contains(text, "{%"):
		return Value{}
	case !strings.Contains(text, "$"):
		return r.resolved(n, text)
	case r.expand != nil:
		if known, ok := r.expand(text); ok {
			return r.resolved(n, known)
		}
		return Value{}
	}
	return Value{Kind: Unknown, Text: n.Value} // perhaps an interpolation
}

// resolved is what the text of a scalar is: a number, a truth value or a string.
func (r *yamlReader) resolved(n *yaml.Node, text string) Value {
	const quotes = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	v := Of(text)
	switch {
	case n.Style&yaml.TaggedStyle != 0 && n.Tag != "!!str": // !!float 5e4
	case n.Style&quotes != 0 || n.Style&yaml.TaggedStyle != 0:
		v.Reads = AsString
	case !r.json:
		v = plainScalar(text)
	}
	return v
}

var interpolation = regexp.MustCompile(`^\$\{([A-Za-z_][\w.]*)\}$`)

// interpolate gives ${a.b} the value of the setting a.b, as OmegaConf does.
func (r *yamlReader) interpolate() {
	last := map[string]Value{}
	for _, s := range r.doc.Settings {
		last[s.Key] = s.Value
	}
	for i := range r.doc.Settings {
		v := &r.doc.Settings[i].Value
		for range 8 { // one may lead to another
			m := interpolation.FindStringSubmatch(v.Text)
			if v.Kind != Unknown || m == nil {
				break
			}
			*v = last[m[1]]
		}
		if v.Kind == Unknown {
			v.Text = ""
		}
	}
}

// span is the text from the start of one scalar to the end of another.
func (r *yamlReader) span(from, to *yaml.Node) Span {
	end := r.offset(to) + len(to.Value)
	if to.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		end += 2
	}
	return Span{Start: r.base + r.offset(from), End: r.base + min(end, r.lines[len(r.lines)-1])}
}

func (r *yamlReader) offset(n *yaml.Node) int {
	if n.Line < 1 || n.Line >= len(r.lines) {
		return 0
	}
	at := r.lines[n.Line-1]
	for range n.Column - 1 { // columns count characters
		_, size := utf8.DecodeRune(r.text[at:])
		at += size
	}
	return min(at, r.lines[n.Line])
}

// lineStarts returns where each line starts, and in the end where the text ends.
func lineStarts(text []byte) []int {
	starts := []int{0}
	for i, c := range text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return append(starts, len(text))
}

// WithoutComments blanks the comments of JSON as people write it, // and /* */, so that all offsets stay.
func WithoutComments(text []byte) []byte {
	if !bytes.Contains(text, []byte("//")) && !bytes.Contains(text, []byte("/*")) {
		return text
	}
	out := bytes.Clone(text)
	for i := 0; i < len(out); i++ {
		switch {
		case out[i] == '"':
			for i++; i < len(out) && out[i] != '"'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
		case bytes.HasPrefix(out[i:], []byte("//")):
			for ; i < len(out) && out[i] != '\n'; i++ {
				out[i] = ' '
			}
		case bytes.HasPrefix(out[i:], []byte("/*")):
			end := bytes.Index(out[i:], []byte("*/"))
			if end < 0 {
				return out
			}
			for j := i; j < i+end+2; j++ {
				if out[j] != '\n' {
					out[j] = ' '
				}
			}
		}
	}
	return out
}
