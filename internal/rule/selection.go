package rule

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

// Selection is one layer of choosing rules: a settings file or the command
// line. A selector is ALL, a family, a prefix of codes, a code or a name.
type Selection struct {
	Select []string // replaces what earlier layers chose, unless nil
	Extend []string // adds to it
	Ignore []string // takes from it
}

// Set is a set of rule codes.
type Set map[string]bool

// PreviewMode says which rules in preview may run.
type PreviewMode int

// The modes.
const (
	NoPreviews    PreviewMode = iota
	NamedPreviews             // those that are selected by their whole code or name
	Previews                  // all
)

// Resolution is what selections come to.
type Resolution struct {
	Enabled  Set
	Held     Set      // rules that were selected and stay off, being in preview
	Warnings []string // of each selector that has no effect
}

// Resolve applies the layers in order. Within a layer the more specific
// selector wins, as in ruff: selecting ADV and ignoring ADV009 leaves the rest
// of ADV; ignoring ALL and selecting ADV leaves ADV. Rules in preview stay off
// unless the mode lets them run.
func (r *Registry) Resolve(layers []Selection, mode PreviewMode) (*Resolution, error) {
	set := Set{}
	for _, layer := range layers {
		if layer.Select != nil {
			set = Set{}
		}
		steps, err := r.steps(layer)
		if err != nil {
			return nil, err
		}
		for _, s := range steps {
			for _, code := range s.codes {
				if s.on {
					set[code] = true
				} else {
					delete(set, code)
				}
			}
		}
	}
	if mode == Previews {
		return &Resolution{Enabled: set, Warnings: r.warnings(layers, set, set)}, nil
	}
	on := r.stable(set)
	if mode == NamedPreviews {
		for code := range r.named(layers) {
			if set[code] {
				on[code] = true
			}
		}
	}
	warnings := r.warnings(layers, set, on)
	maps.DeleteFunc(set, func(code string, _ bool) bool { return on[code] })
	return &Resolution{Enabled: on, Held: set, Warnings: warnings}, nil
}

// step is one selector of a layer, resolved.
type step struct {
	codes       []string
	on          bool
	specificity int
}

// steps returns the selectors of a layer, least specific first; among equals,
// ignoring comes last.
func (r *Registry) steps(layer Selection) ([]step, error) {
	var out []step
	add := func(selectors []string, on bool) error {
		for _, s := range selectors {
			codes, specificity, err := r.Match(s)
			if err != nil {
				return err
			}
			out = append(out, step{codes, on, specificity})
		}
		return nil
	}
	for _, err := range []error{add(layer.Select, true), add(layer.Extend, true), add(layer.Ignore, false)} {
		if err != nil {
			return nil, err
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].specificity < out[j].specificity })
	return out, nil
}

// Match returns the codes that a selector means, and how specific it is: 0 for
// ALL, the length of a prefix, more for a whole code or name.
func (r *Registry) Match(selector string) (codes []string, specificity int, err error) {
	if e, ok := r.Lookup(selector); ok {
		return []string{e.Doc.Code}, exact, nil
	}
	upper := strings.ToUpper(selector)
	family := familyNamed(strings.ToLower(selector))
	for _, e := range r.entries {
		switch {
		case upper == "ALL":
			codes = append(codes, e.Doc.Code)
		case family != nil:
			if specificity = len(family.Prefix); e.Doc.Family == family.Name {
				codes = append(codes, e.Doc.Code)
			}
		case upper != "" && prefixOf(upper, e.Doc.Code):
			codes, specificity = append(codes, e.Doc.Code), len(upper)
		}
	}
	if codes == nil && family == nil && upper != "ALL" && !isPrefix(upper) {
		return nil, 0, r.Unknown(selector)
	}
	return codes, specificity, nil
}

// prefixOf reports whether a selector is a family's prefix, perhaps with the
// first digits of a code: ADV, ADV0, but not AD.
func prefixOf(selector, code string) bool {
	letters := strings.TrimRight(code, "0123456789")
	return strings.HasPrefix(selector, letters) && strings.HasPrefix(code, selector)
}

// isPrefix reports whether the selector is the prefix of a family, which is
// accepted even where the family has no rule yet.
func isPrefix(selector string) bool {
	for _, f := range Families {
		if f.Prefix == selector {
			return true
		}
	}
	return false
}

// exact is the specificity of a whole code or name.
const exact = 100

// named are the rules that some layer selects by their whole code or name.
func (r *Registry) named(layers []Selection) Set {
	out := Set{}
	for _, l := range layers {
		for _, s := range slices.Concat(l.Select, l.Extend) {
			if e, ok := r.Lookup(s); ok {
				out[e.Doc.Code] = true
			}
		}
	}
	return out
}

// stable is the set without the rules in preview.
func (r *Registry) stable(set Set) Set {
	out := maps.Clone(set)
	for _, e := range r.entries {
		if e.Doc.Status == Preview {
			delete(out, e.Doc.Code)
		}
	}
	return out
}

// warnings names each selector that chooses nothing that runs. before is what was selected
// with rules in preview, set what runs.
func (r *Registry) warnings(layers []Selection, before, set Set) (out []string) {
	for _, l := range layers {
		for _, s := range slices.Concat(l.Select, l.Extend) {
			if w := r.idle(s, before, set); w != "" && !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// idle says why a selector has no effect, or "". before is what was selected with
// rules in preview, set without.
func (r *Registry) idle(selector string, before, set Set) string {
	codes, _, err := r.Match(selector)
	isIn := func(set Set) bool { return slices.ContainsFunc(codes, func(c string) bool { return set[c] }) }
	switch {
	case err != nil || strings.EqualFold(selector, "ALL"):
		return ""
	case len(codes) == 0:
		return fmt.Sprintf("selecting %s has no effect: the family has no rule yet; `rlvet rules` lists all", selector)
	case !isIn(before) || isIn(set):
		return ""
	case len(codes) == 1:
		return fmt.Sprintf("selecting %s has no effect: the rule is in preview; add --preview", codes[0])
	}
	return fmt.Sprintf("selecting %s has no effect: its rules are in preview; add --preview", selector)
}
