package frameworks

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rlvet/rlvet/internal/py/pins"
	"github.com/rlvet/rlvet/internal/runconf"
)

// Run is one run as a file configures it.
type Run struct {
	*Table
	// Open says that settings may come from elsewhere, so that nothing is known of what is not written here.
	Open bool
	// whole says that the run is open only because its configuration starts from none of the framework's: then what its settings leave
	// out is in no other file.
	whole bool
	// Foreign says that the run sets what the framework does not have: it is of a program that was made of it, and nothing is known of what
	// that one does with its settings.
	Foreign bool
	// Alone says that a document is read without the command that starts from it.
	Alone bool
	// version is that of the framework, "" where it is not known; then it is at least oldest.
	version, oldest string
	// At is what starts the run, or where its configuration begins.
	At runconf.Span

	// copied says that the project holds a copy of the framework, which may be changed.
	copied bool

	given map[string]runconf.Setting // by the name in the table
}

// NewRun returns a run without settings but those that its row of the table implies.
func NewRun(t *Table, set map[string]string, at runconf.Span) *Run {
	r := &Run{Table: t, oldest: t.Since, At: at, given: map[string]runconf.Setting{}}
	for key, value := range set {
		r.given[key] = runconf.Setting{Key: key, Value: runconf.Of(value)}
	}
	return r
}

// Add adds a setting, if the table knows its key. The one that is added last counts.
func (r *Run) Add(s runconf.Setting) {
	if key, ok := r.aliases[s.Key]; ok {
		s.Value = s.Value.As(r.reading())
		r.given[key] = s
	}
}

// reading is how the framework takes what looks like a number.
func (t *Table) reading() runconf.Reading {
	switch t.Loader {
	case "typed":
		return runconf.AsString
	case "omegaconf":
		return runconf.ByDot
	}
	return runconf.ByLooks
}

// open says that settings may come from elsewhere.
func (r *Run) open() { r.Open, r.whole = true, false }

// startFrom takes over of a document whether anything is known of what it leaves out.
func (r *Run) startFrom(d *runconf.Document, complete bool) {
	switch {
	case r.isClosed(d):
	case !r.Open && complete && len(d.Bases) == 0:
		r.Open, r.whole = true, true
	default:
		r.open()
	}
}

// Pin says which version of the framework the project asks for.
func (r *Run) Pin(p pins.Pin) {
	switch {
	case p.Exact:
		r.version = p.Version
	case p.Version != "" && pins.Compare(p.Version, r.oldest) > 0:
		r.oldest = p.Version
	}
}

// Forget makes unknown the fields of a prefix.
func (r *Run) Forget(prefix string) {
	for key := range r.Field {
		if strings.HasPrefix(key, prefix) {
			r.given[key] = runconf.Setting{Key: key}
		}
	}
}

// Given returns the setting of a field, nil where it is not written.
func (r *Run) Given(key string) *runconf.Setting {
	if s, ok := r.given[key]; ok {
		return &s
	}
	return nil
}

// Value returns what is known of a field: as it is written, else its default.
func (r *Run) Value(key string) (runconf.Value, bool) {
	if s := r.Given(key); s != nil {
		return s.Value, s.Value.Kind != runconf.Unknown
	}
	switch {
	case r.whole:
		return valueOf(r.Field[key].Missing)
	case r.Open:
		return runconf.Value{}, false
	}
	return r.byDefault(key)
}

// byDefault is the default of a field in the versions in question.
func (r *Run) byDefault(key string) (runconf.Value, bool) {
	field := r.Field[key]
	if r.Alone && field.Launch {
		return runconf.Value{}, false
	}
	if m := r.Given(method); m != nil {
		if own, ok := field.Method[m.Value.Text]; ok {
			field = own
		}
	}
	value := field.Default
	for _, old := range field.Before {
		if pins.Compare(cmp.Or(r.version, r.oldest), old.Version) < 0 {
			if r.version == "" {
				return runconf.Value{}, false
			}
			value = old.Default
			break
		}
	}
	return valueOf(value)
}

// valueOf turns what a table holds into a value.
func valueOf(x any) (runconf.Value, bool) {
	switch x := x.(type) {
	case nil:
		return runconf.Value{}, false
	case string:
		if x == "null" {
			return runconf.Value{Kind: runconf.Null}, true
		}
		return runconf.Of(x), true
	case bool:
		return runconf.Of(strconv.FormatBool(x)), true
	case []any:
		v := runconf.Value{Kind: runconf.List}
		for _, item := range x {
			of, _ := valueOf(item)
			v.Items = append(v.Items, of)
		}
		return v, true
	}
	return runconf.Of(fmt.Sprint(x)), true
}

// number is a field as a number: of #KEY how many items it has.
func (r *Run) number(key string) (float64, bool) {
	name, counted := strings.CutPrefix(key, "#")
	v, known := r.Value(name)
	switch {
	case !known:
		return 0, false
	case counted:
		return float64(len(v.Items)), v.Kind == runconf.List
	}
	return v.Number()
}

// ofCode are the rules whose checks say what the framework's code makes of its settings: what it reads, compares and divides. A copy
// that the project holds may do else; what is wrong for any trainer, as a group of one, stays wrong there. Of a document that no command
// names nothing is said beside a copy: it may be that of a class which the project made of the framework's, for evaluations too.
var ofCode = []string{"setting-without-effect", "settings-conflict", "batch-exceeds", "sizes-do-not-divide", "counts-do-not-match", "never-due"}

// Hit is a check that applies to a run.
type Hit struct {
	*Check
	Run *Run
	// At is the setting that decides.
	At runconf.Setting
	// Beside are the other settings that it goes by.
	Beside []runconf.Setting
}

// Varies reports whether a setting that the check goes by is the default of an option.
func (h *Hit) Varies() bool {
	return h.At.Default != "" || slices.ContainsFunc(h.Beside, func(s runconf.Setting) bool { return s.Default != "" })
}

// Hits are what the checks of one rule find.
func (r *Run) Hits(rule string) (out []Hit) {
	for i := range r.Check {
		c := &r.Check[i]
		if c.Rule != rule {
			continue
		}
		if h, ok := r.hit(c); ok {
			out = append(out, h)
		}
	}
	return out
}

// hit applies a check whose setting is written in the file: of several that it may be reported at the first one.
func (r *Run) hit(c *Check) (Hit, bool) {
	h := Hit{Check: c, Run: r}
	if c.Until != "" && (r.version == "" || pins.Compare(r.version, c.Until) >= 0) {
		return h, false
	}
	if r.Foreign || r.copied && (r.Alone || slices.Contains(ofCode, c.Rule)) {
		return h, false
	}
	for _, key := range c.At {
		if s := r.Given(key); s != nil && s.At != (runconf.Span{}) {
			h.At = *s
			break
		}
	}
	if h.At.At == (runconf.Span{}) {
		return h, false
	}
	for i := range c.conditions {
		if !c.conditions[i].holds(r) {
			return h, false
		}
	}
	seen := map[runconf.Span]bool{h.At.At: true}
	for i := range c.conditions {
		for _, key := range c.conditions[i].keys() {
			if s := r.Given(key); s != nil && s.At != (runconf.Span{}) && !seen[s.At] {
				seen[s.At] = true
				h.Beside = append(h.Beside, *s)
			}
		}
	}
	return h, true
}

// From says where the check was read: the repository, and the file in it.
func (h *Hit) From() string {
	if strings.HasPrefix(h.Source, "http") {
		return h.Source
	}
	return h.Run.Repository + ": " + h.Source
}

// Explain is Say with a word on numbers that the file does not have: they are defaults.
func (h *Hit) Explain(text string) string {
	if strings.Contains(text, "default") {
		return h.Say(text) // it says so itself
	}
	return h.fill(text, func(key string) string {
		shown := h.Run.shown(key)
		if _, isNumber := h.Run.number(key); isNumber && h.Run.Given(key) == nil {
			shown += " (the default)"
		}
		return shown
	})
}

// Say fills in the values that a text of the check names in braces. They are numbers and words from the table, never other text of the file.
func (h *Hit) Say(text string) string { return h.fill(text, h.Run.shown) }

func (h *Hit) fill(text string, shown func(key string) string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		key, after, _ := strings.Cut(rest, "}")
		b.WriteString(shown(key))
		text = after
	}
}

// shown is a value as a message says it: a number or a truth value, else the field's name.
func (r *Run) shown(key string) string {
	if n, ok := r.number(key); ok {
		if v, _ := r.Value(key); v.Text != "" {
			return v.Text
		}
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	v, _ := r.Value(key)
	if t, ok := v.Bool(); ok {
		return strconv.FormatBool(t)
	}
	if key == method && v.Text != "" || r.isNamed(key, v.Text) {
		return v.Text
	}
	return key
}

// isNamed reports whether a condition of the table compares the field with this word.
func (r *Run) isNamed(key, text string) bool {
	for i := range r.Check {
		for _, c := range r.Check[i].conditions {
			if len(c.words) == 0 || c.left.keys[0] != key {
				continue
			}
			for _, w := range c.words {
				if strings.EqualFold(strings.Trim(w, "'"), text) {
					return true
				}
			}
		}
	}
	return false
}
