package rule

import (
	"cmp"
	"fmt"
	"sort"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/words"
)

// Entry is one rule: its page and its code. Analyzer is nil for the rules about
// suppression comments, which need no analysis.
type Entry struct {
	Doc      *Doc
	Analyzer *analysis.Analyzer
}

// Retired is a code that is no longer used. Codes are never given to another
// rule.
type Retired struct {
	Code, Name string
	By         string // the code of the rule that took over, or ""
	Why        string // one sentence
}

// Registry is the table of all rules, in the order of their families and codes.
type Registry struct {
	entries []Entry
	byKey   map[string]int // code and name, lower case
	retired map[string]Retired
}

// NewRegistry builds the table. It fails on two rules with one code or name, on
// a retired code that is in use, on an analyzer that is not named by its
// code, and on rules that yield in a circle.
func NewRegistry(entries []Entry, retired []Retired) (*Registry, error) {
	r := &Registry{entries: append([]Entry(nil), entries...), byKey: map[string]int{}, retired: map[string]Retired{}}
	sort.Slice(r.entries, func(i, j int) bool { return less(r.entries[i].Doc, r.entries[j].Doc) })
	for i, e := range r.entries {
		if e.Analyzer != nil && e.Analyzer.Name != e.Doc.Code {
			return nil, fmt.Errorf("%s: the analyzer is named %s; name it %s", e.Doc.Path, e.Analyzer.Name, e.Doc.Code)
		}
		for _, key := range []string{e.Doc.Code, e.Doc.Name} {
			if j, taken := r.byKey[strings.ToLower(key)]; taken {
				return nil, fmt.Errorf("%s: %s is already taken by %s", e.Doc.Path, key, r.entries[j].Doc.Path)
			}
			r.byKey[strings.ToLower(key)] = i
		}
	}
	for _, old := range retired {
		for _, key := range []string{old.Code, old.Name} {
			if _, taken := r.byKey[strings.ToLower(key)]; taken {
				return nil, fmt.Errorf("retired rule %s is in use", key)
			}
			r.retired[strings.ToLower(key)] = old
		}
	}
	return r, r.checkYields()
}

// less orders pages by family, as listed in Families, then by code.
func less(a, b *Doc) bool {
	if a.Family != b.Family {
		return familyIndex(a.Family) < familyIndex(b.Family)
	}
	return a.Code < b.Code
}

func familyIndex(name string) int {
	for i, f := range Families {
		if f.Name == name {
			return i
		}
	}
	return len(Families)
}

// Entries returns all rules.
func (r *Registry) Entries() []Entry { return r.entries }

// Lookup returns the rule with this code or name, in any case.
func (r *Registry) Lookup(key string) (Entry, bool) {
	i, ok := r.byKey[strings.ToLower(key)]
	if !ok {
		return Entry{}, false
	}
	return r.entries[i], true
}

// Retired returns what became of a retired code or name.
func (r *Registry) Retired(key string) (Retired, bool) {
	old, ok := r.retired[strings.ToLower(key)]
	return old, ok
}

// Unknown returns the error for a code, name or selector that means no rule: it
// names the successor of a retired rule, a rule of the family, or the nearest
// rule.
func (r *Registry) Unknown(key string) error {
	if old, ok := r.Retired(key); ok {
		hint := "remove it"
		if next, ok := r.Lookup(old.By); ok {
			hint = fmt.Sprintf("write %s (%s) instead", next.Doc.Code, next.Doc.Name)
		}
		return fmt.Errorf("rule %s (%s) was retired: %s; %s", old.Code, old.Name, strings.TrimSuffix(old.Why, "."), hint)
	}
	if e, ok := r.first(key); ok {
		return fmt.Errorf("%q is a family, not a rule; name the rule, such as %s (%s); `rlvet rules %s` lists them", key, e.Doc.Code, e.Doc.Name, key)
	}
	if near, ok := r.Lookup(r.Nearest(key)); ok {
		return fmt.Errorf("unknown rule %q; did you mean %s (%s)?", key, near.Doc.Code, near.Doc.Name)
	}
	return fmt.Errorf("unknown rule %q; `rlvet rules` lists all", key)
}

// first returns the first rule of the family that has this name or prefix.
func (r *Registry) first(family string) (Entry, bool) {
	for _, f := range Families {
		if !strings.EqualFold(family, f.Name) && !strings.EqualFold(family, f.Prefix) {
			continue
		}
		for _, e := range r.entries {
			if e.Doc.Family == f.Name {
				return e, true
			}
		}
	}
	return Entry{}, false
}

// Nearest returns the code or name that is spelt most like key, or "".
func (r *Registry) Nearest(key string) string {
	var all []string
	for _, e := range r.entries {
		all = append(all, e.Doc.Code, e.Doc.Name)
	}
	return words.Nearest(key, all)
}

// Complete fills in what a rule's page says about a finding: name, URL
// and, where the analyzer gave none, severity and evidence. Neither the severity nor a fix
// is ever stronger than the page allows.
func (r *Registry) Complete(f *finding.Finding) {
	e, ok := r.Lookup(f.Code)
	if !ok {
		return
	}
	f.Name, f.URL = e.Doc.Name, e.Doc.URL()
	if f.Severity.Compare(e.Doc.Severity) < 0 {
		f.Severity = e.Doc.Severity
	}
	f.Message, f.Why, f.Help = cmp.Or(f.Message, e.Doc.Headline), cmp.Or(f.Why, e.Doc.Why), cmp.Or(f.Help, e.Doc.Help)
	if f.Evidence == "" {
		f.Evidence = e.Doc.Evidence
	}
	if f.Fix == nil {
		return
	}
	fix := *f.Fix
	switch {
	case e.Doc.Fix == FixNone:
		fix.Applicability = finding.DisplayOnly
	case fix.Applicability == "":
		fix.Applicability = finding.Applicability(e.Doc.Fix)
	case e.Doc.Fix == FixUnsafe && fix.Applicability == finding.Safe:
		fix.Applicability = finding.Unsafe
	}
	f.Fix = &fix
}
