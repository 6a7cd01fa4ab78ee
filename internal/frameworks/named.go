package frameworks

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rlvet/rlvet/internal/runconf"
	"github.com/rlvet/rlvet/internal/source"
)

// # Files that configurations name
//
// A command names a configuration, and that may start from others. Their settings come first, and what is written
// nearer to the run counts. Where a file is not there, nothing is known of what the run leaves out.

// maxBases bounds how deep configurations start from each other.
const maxBases = 8

// reader reads a text with what it names.
type reader struct {
	around *runconf.Around
	files  int // that were read
}

// maxFiles bounds the files that are read for one text.
const maxFiles = 200

// find returns the file that a text names, with a text of nil where it is not known or too many were read.
func (r *reader) find(name string) (string, []byte) {
	if r.files++; r.files > maxFiles {
		return "", nil
	}
	return r.around.Find(name)
}

// all returns the texts of all files that a name may mean.
func (r *reader) all(name string) [][]byte {
	if r.files++; r.files > maxFiles {
		return nil
	}
	return r.around.FindAll(name)
}

// document returns the configuration that is named, with what it starts from; nil where it is not known.
func (r *reader) document(name string, depth int) *runconf.Document {
	file, text := r.find(name)
	if text == nil || depth > maxBases {
		return nil
	}
	docs, err := documents(source.LanguageOf(file), text)
	if err != nil || len(docs) != 1 {
		return nil
	}
	runconf.In(file, docs)
	return r.composed(file, docs[0], depth)
}

// composed is a document behind the settings of those that it starts from. Its bases are then those that are not known,
// and those that the framework has itself.
func (r *reader) composed(file string, d *runconf.Document, depth int) *runconf.Document {
	if len(d.Bases) == 0 || file == "" {
		return d
	}
	out := &runconf.Document{At: d.At}
	own := d.Settings
	for _, b := range d.Bases {
		if b == "_self_" {
			out.Settings, own = append(out.Settings, own...), nil
			continue
		}
		name, prefix := entry(b)
		base := (*runconf.Document)(nil)
		if !ships(name) {
			base = r.document(path.Join(filepath.ToSlash(filepath.Dir(file)), withExtension(name)), depth+1)
		}
		if base == nil {
			out.Bases = append(out.Bases, b)
			continue
		}
		for _, s := range base.Settings {
			s.Key = prefix + s.Key
			out.Settings = append(out.Settings, s)
		}
		out.Bases = append(out.Bases, base.Bases...)
	}
	out.Settings = append(out.Settings, own...)
	if len(out.Settings) > runconf.MaxSettings {
		return d
	}
	return out
}

// entry is the file that an entry of a defaults list means, and the prefix of its keys: GROUP@PACKAGE=NAME.
func entry(text string) (name, prefix string) {
	group, option, isGroup := strings.Cut(text, "=")
	if !isGroup {
		return text, ""
	}
	group, pkg, moved := strings.Cut(group, "@")
	if !moved {
		pkg = strings.ReplaceAll(group, "/", ".")
	}
	return group + "/" + option, pkg + "."
}

func withExtension(name string) string {
	if ext := path.Ext(name); ext == ".yaml" || ext == ".yml" {
		return name
	}
	return name + ".yaml"
}

// ships reports whether a configuration is a framework's own, whose settings are the defaults of its table.
func ships(name string) bool {
	return slices.ContainsFunc(Tables(), func(t *Table) bool { return t.ships(name) })
}

func (t *Table) ships(name string) bool {
	return slices.ContainsFunc(t.Document, func(d Document) bool { return d.ships(name) })
}

// ships reports whether a name in a defaults list is one of the row's bases, as Hydra lets it be written: from the top, and with
// the package that it has anyway.
func (row *Document) ships(name string) bool {
	name, pkg, _ := strings.Cut(strings.TrimPrefix(name, "/"), "@")
	return slices.Contains(row.Bases, strings.TrimSuffix(name, ".yaml")) && slices.Contains([]string{"", "_here_", "_global_"}, pkg)
}

// isClosed reports whether all is known that a document starts from, for a framework whose own configuration
// has to be among it, if it has one.
func (t *Table) isClosed(d *runconf.Document) bool {
	ships := slices.ContainsFunc(t.Document, func(d Document) bool { return len(d.Bases) > 0 })
	shipped := slices.ContainsFunc(d.Bases, t.ships)
	unknown := slices.ContainsFunc(d.Bases, func(b string) bool { return !t.ships(b) && b != "_self_" && !strings.Contains(b, "hydra/") })
	return ships == shipped && !unknown
}

// named adds the settings of a configuration that the arguments name, under a prefix.
func (r *Run) named(from *reader, name, prefix string) {
	d := from.document(name, 0)
	if d == nil {
		r.open()
		return
	}
	r.startFrom(d, slices.ContainsFunc(r.Document, func(row Document) bool { return row.fits(valuesOf(d)) }))
	for _, s := range d.Settings {
		s.Key = prefix + s.Key
		r.Add(s)
	}
}

// composition adds the settings of the configuration that Hydra's own arguments choose.
func (r *Run) composition(from *reader, row *Command, words []runconf.Word) {
	dir, name := "", ""
	for i, w := range words {
		key, text, joined := strings.Cut(w.Text, "=")
		if key = strings.TrimLeft(key, "-"); !strings.HasPrefix(w.Text, "-") || !slices.Contains(row.Partial, key) {
			continue
		}
		known := w.Known
		if !joined {
			if i+1 == len(words) {
				return
			}
			text, known = words[i+1].Text, words[i+1].Known
		}
		switch {
		case !known:
			r.open()
			return
		case key == "config-name":
			name = strings.Trim(text, `'"`)
		default:
			dir = path.Clean(strings.Trim(text, `'"`))
		}
	}
	switch {
	case dir == "" && name == "", r.ships(name) && (dir == "" || dir == "config"):
		return
	case name == "" && len(r.Document) > 0 && len(r.Document[0].Bases) > 0:
		name = r.Document[0].Bases[0]
	}
	r.named(from, path.Join(dir, withExtension(name)), "")
}
