package frameworks

import (
	"bytes"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rlvet/rlvet/internal/runconf"
	"github.com/rlvet/rlvet/internal/source"
)

// signs are bytes of which each configuration of a framework contains one.
var signs = sync.OnceValue(func() map[source.Language][][]byte {
	out := map[source.Language][][]byte{}
	add := func(l source.Language, text string) {
		if !slices.ContainsFunc(out[l], func(b []byte) bool { return string(b) == text }) {
			out[l] = append(out[l], []byte(text))
		}
	}
	for _, t := range Tables() {
		for _, c := range t.Command {
			switch {
			case c.Module != "":
				add(source.Shell, c.Module)
			case len(c.Needs) > 0:
				for _, flag := range c.Needs {
					add(source.Shell, flag)
				}
			case c.Script != "":
				add(source.Shell, c.Script)
			default:
				add(source.Shell, c.sign())
			}
		}
		for _, d := range t.Document {
			for _, base := range d.Bases {
				add(source.YAML, base)
			}
			if len(d.Keys) > 0 {
				add(source.YAML, lastPart(d.Keys[0]))
				continue
			}
			for _, key := range d.Any {
				add(source.YAML, lastPart(key))
			}
		}
	}
	for _, flag := range []string{"per_device_train_batch_size", "num_generations", "max_completion_length"} {
		add(source.Shell, flag) // of scripts of one's own
	}
	for name := range launchers {
		add(source.Shell, name) // of scripts that say the rest themselves
	}
	for name := range modules {
		add(source.Shell, name)
	}
	out[source.JSON], out[source.TOML] = out[source.YAML], out[source.YAML]
	out[source.Shell] = append(out[source.Shell], out[source.YAML]...) // here-documents
	return out
})

// sign is the word of a command that says most; of short words all, as people write them.
func (row *Command) sign() string {
	longest := slices.MaxFunc(row.Words, func(a, b string) int { return len(a) - len(b) })
	if len(longest) < 4 {
		return strings.Join(row.Words, " ")
	}
	return longest
}

func lastPart(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }

// Concerns is a cheap look at the bytes of a file: whether it may configure a run.
func Concerns(l source.Language, text []byte) bool {
	return slices.ContainsFunc(signs()[l], func(sign []byte) bool { return bytes.Contains(text, sign) })
}

// Read returns the runs that a text configures, with the files that it names, and the commands of a script that end before their
// options do; around may be nil.
func Read(l source.Language, text []byte, around *runconf.Around) (runs []*Run, cut []*runconf.Command, err error) {
	from := &reader{around: around}
	if l != source.Shell {
		docs, err := documents(l, text)
		return ofDocuments(from, docs), nil, err
	}
	script, err := runconf.Shell(text, around)
	if err != nil {
		return nil, nil, err
	}
	runs = ofDocuments(&reader{}, script.Documents) // they will stand elsewhere
	for _, c := range script.Commands {
		if c.Cut != nil {
			cut = append(cut, c)
		}
		if r := ofCommand(from, c); r != nil {
			runs = append(runs, r)
		}
	}
	return runs, cut, nil
}

// documents reads the documents of a text in their language.
func documents(l source.Language, text []byte) ([]*runconf.Document, error) {
	switch l {
	case source.TOML:
		return runconf.TOML(text)
	case source.JSON:
		return runconf.JSON(text, 0, nil)
	}
	return runconf.YAML(text, 0, nil)
}

func ofDocuments(from *reader, docs []*runconf.Document) (out []*Run) {
	for _, d := range docs {
		if r := ofDocument(from, d, false); r != nil {
			out = append(out, r)
			continue
		}
		for _, part := range parts(d) {
			if r := ofDocument(from, part, true); r != nil {
				out = append(out, r)
			}
		}
	}
	return out
}

// parts are the mappings at the top of a document.
func parts(d *runconf.Document) (out []*runconf.Document) {
	byName := map[string]*runconf.Document{}
	for _, s := range d.Settings {
		name, key, within := strings.Cut(s.Key, ".")
		if !within {
			continue
		}
		part := byName[name]
		if part == nil {
			part = &runconf.Document{At: s.At}
			byName[name] = part
			out = append(out, part)
		}
		s.Key = key
		part.Settings = append(part.Settings, s)
	}
	return out
}

// ofDocument finds the first row that a document, or a part of one, fits.
func ofDocument(from *reader, d *runconf.Document, part bool) *Run {
	if from.around != nil && !part {
		d = from.composed(from.around.Path, d, 0)
	}
	values := valuesOf(d)
	for _, t := range Tables() {
		for _, row := range t.Document {
			if row.Each != part || !row.fits(values) && !t.refines(&row, d) {
				continue
			}
			r := NewRun(t, row.Set, d.At)
			r.startFrom(d, !part && !from.isShipped())
			r.Alone, r.copied = true, from.around.Holds(t.Home)
			for _, s := range d.Settings {
				s.Key = strings.TrimPrefix(s.Key, row.Prefix)
				r.Add(s)
			}
			r.defined(from)
			return r
		}
	}
	return nil
}

// isShipped reports whether the text is called as a configuration that a framework ships: a copy of one, of which launches change much.
func (r *reader) isShipped() bool {
	return r.around == nil || ships(strings.TrimSuffix(path.Base(filepath.ToSlash(r.around.Path)), path.Ext(r.around.Path)))
}

// valuesOf are the settings of a document by their keys, and the groups that they stand in.
func valuesOf(d *runconf.Document) map[string]runconf.Value {
	values := map[string]runconf.Value{}
	for _, s := range d.Settings {
		values[s.Key] = s.Value
		for key := s.Key; ; {
			at := strings.LastIndexByte(key, '.')
			if at < 0 {
				break
			}
			key = key[:at]
			values[key] = runconf.Value{}
		}
	}
	return values
}

// refines reports whether a document starts from the configuration of a row, by its name, and sets something of the table:
// it need not repeat what that is recognised by.
func (t *Table) refines(row *Document, d *runconf.Document) bool {
	return slices.ContainsFunc(d.Bases, row.ships) && slices.ContainsFunc(d.Settings, func(s runconf.Setting) bool {
		_, known := t.aliases[strings.TrimPrefix(s.Key, row.Prefix)]
		return known
	})
}

func (row *Document) fits(values map[string]runconf.Value) bool {
	has := func(key string) bool { _, ok := values[row.Prefix+key]; return ok }
	for _, key := range row.Keys {
		if !has(key) {
			return false
		}
	}
	for key, words := range row.Values {
		if v := values[row.Prefix+key]; v.Kind != runconf.Text || !slices.Contains(strings.Fields(words), v.Text) {
			return false
		}
	}
	return (len(row.Any) == 0 || slices.ContainsFunc(row.Any, has)) && !slices.ContainsFunc(row.Without, has)
}
