package frameworks

import (
	"path"
	"regexp"
	"strings"

	"github.com/rlvet/rlvet/internal/runconf"
)

// # What a setting names in a file
//
// A framework loads a file of the project and takes from it what another setting names. The file is searched, not
// evaluated: only a name that it does not mention at all is missing, and none is where names may come
// from elsewhere.

// Definition is such a pair of settings.
type Definition struct {
	Path, Name string // the fields of the file and of the name in it
	Missing    string // the field that is true where the file has no such name
}

var (
	identifier = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	elsewhere  = regexp.MustCompile(`\bimport\s*\(?\s*\*|\b(?:globals|locals|vars|setattr|exec|eval|import_module|__import__|__getattr__|__dict__|modules)\b`)
	remark     = regexp.MustCompile(`(?m)^[ \t]*#.*$`)
)

// defined notes which names are missing in the files that settings name.
func (r *Run) defined(from *reader) {
	for _, d := range r.Definition {
		file, okFile := r.Value(d.Path)
		name, okName := r.Value(d.Name)
		if !okFile || !okName || file.Kind != runconf.Text || name.Kind != runconf.Text || r.Given(d.Path) == nil {
			continue
		}
		at := strings.TrimPrefix(file.Text, "file://")
		if path.Ext(at) != ".py" || strings.Contains(at, "://") {
			continue
		}
		if texts := from.all(at); len(texts) > 0 && !mentionedIn(texts, name.Text) {
			r.given[d.Missing] = runconf.Setting{Key: d.Missing, Value: runconf.Of("true")}
		}
	}
}

// mentionedIn reports whether one of the files that may be meant has a name, or may have it from elsewhere.
func mentionedIn(texts [][]byte, name string) bool {
	if !identifier.MatchString(name) {
		return true
	}
	word := regexp.MustCompile(`\b` + name + `\b`)
	for _, text := range texts {
		if elsewhere.Match(text) || word.Match(remark.ReplaceAll(text, nil)) {
			return true
		}
	}
	return false
}
