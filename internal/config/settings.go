package config

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/py/project"
	"github.com/rlvet/rlvet/internal/rule"
)

// Settings are the settings that hold for the files of one folder.
type Settings struct {
	Root   string   // the folder of the settings file, absolute; else the root of the project
	Layers []*Layer // from least to most important; empty where nothing is set

	Enabled  rule.Set // codes of the rules that run
	Held     rule.Set // codes of the rules that are selected and off, being in preview
	Fixable  rule.Set // codes of the rules whose fixes may be applied
	Warnings []string // about selections without effect

	Preview, ExplicitPreview       bool
	ShowHints, Fix, UnsafeFixes    bool
	ForceExclude, RespectGitignore bool
	FailOn                         finding.Severity // the least that lets a check fail
	OutputFormat                   string
	Baseline                       string // absolute path, or ""
	CacheDir                       string // absolute path, or ""
	// TargetTorch is the oldest version of torch for which fixes must hold, or
	// "" for all; TorchFrom says which file or setting it comes from.
	TargetTorch, TorchFrom string
	// Metrics are what `rlvet audit` takes metrics for, by their names in the log.
	Metrics map[string]Metric

	project string // its root, absolute
	include []glob // nil for all that can be read
	exclude []glob
	ignores []fileIgnore
	origins map[string]string
}

// Origin says where the effective value of a key comes from: "default",
// "PATH:LINE" or "--KEY".
func (s *Settings) Origin(key string) string {
	if o, ok := s.origins[key]; ok {
		return o
	}
	return "default"
}

// fileIgnore is one line of per-file-ignores.
type fileIgnore struct {
	glob  glob
	codes rule.Set
}

// build merges layers into settings.
func build(root string, layers []*Layer, rules *rule.Registry) (*Settings, error) {
	s := &Settings{Root: root, project: root, Layers: layers, RespectGitignore: true, FailOn: finding.Warning, OutputFormat: "full", origins: map[string]string{}}
	s.exclude = globs(root, project.DefaultExclude)
	for _, l := range layers {
		if err := s.apply(l, rules); err != nil {
			return nil, err
		}
	}
	return s, s.selectRules(rules)
}

// apply puts one layer on top of s.
func (s *Settings) apply(l *Layer, rules *rule.Registry) error {
	v := &l.Values
	if err := checkLayer(l, rules); err != nil {
		return err
	}
	s.setBool(l, "preview", v.Preview, &s.Preview)
	s.setBool(l, "explicit-preview-rules", v.ExplicitPreviewRules, &s.ExplicitPreview)
	s.setBool(l, "show-hints", v.ShowHints, &s.ShowHints)
	s.setBool(l, "fix", v.Fix, &s.Fix)
	s.setBool(l, "unsafe-fixes", v.UnsafeFixes, &s.UnsafeFixes)
	s.setBool(l, "force-exclude", v.ForceExclude, &s.ForceExclude)
	s.setBool(l, "respect-gitignore", v.RespectGitignore, &s.RespectGitignore)
	s.setText(l, "fail-on", v.FailOn, (*string)(&s.FailOn))
	s.setText(l, "output-format", v.OutputFormat, &s.OutputFormat)
	s.setText(l, "target-torch", v.TargetTorch, &s.TargetTorch)
	s.setPath(l, "baseline", v.Baseline, &s.Baseline)
	s.setPath(l, "cache-dir", v.CacheDir, &s.CacheDir)
	if v.RequiredVersion != nil {
		s.origins["required-version"] = l.at("required-version")
	}
	if v.Extend != nil {
		s.origins["extend"] = l.at("extend")
	}
	switch {
	case v.TargetTorch == nil:
	case *v.TargetTorch == "": // as if it were not set
		s.TorchFrom = ""
		delete(s.origins, "target-torch")
	default:
		s.TorchFrom = l.at("target-torch")
	}
	if v.Include != nil {
		s.include = globs(l.Dir, v.Include)
		s.origins["include"] = l.at("include")
	}
	if v.ExtendInclude != nil {
		if s.include != nil { // else all that can be read is checked
			s.include = append(s.include, globs(l.Dir, v.ExtendInclude)...)
		}
		s.origins["extend-include"] = l.at("extend-include")
	}
	if v.Exclude != nil {
		s.exclude = globs(l.Dir, v.Exclude)
		s.origins["exclude"] = l.at("exclude")
	}
	if v.ExtendExclude != nil {
		s.exclude = append(s.exclude, globs(l.Dir, v.ExtendExclude)...)
		s.origins["extend-exclude"] = l.at("extend-exclude")
	}
	if err := s.applyAudit(l); err != nil {
		return err
	}
	s.applyIgnores(l, rules)
	return nil
}

func (s *Settings) setBool(l *Layer, key string, from, to *bool) {
	if from != nil {
		*to = *from
		s.origins[key] = l.at(key)
	}
}

func (s *Settings) setText(l *Layer, key string, from, to *string) {
	if from != nil {
		*to = *from
		s.origins[key] = l.at(key)
	}
}

// setPath sets a path, from the folder of the layer where it is relative.
func (s *Settings) setPath(l *Layer, key string, from, to *string) {
	s.setText(l, key, from, to)
	if from != nil && *to != "" && !filepath.IsAbs(*to) {
		*to = filepath.Join(l.Dir, *to)
	}
}

// applyIgnores replaces per-file-ignores, as ruff does, and adds those that extend them.
func (s *Settings) applyIgnores(l *Layer, rules *rule.Registry) {
	if l.Values.PerFileIgnores != nil {
		s.ignores = nil
	}
	s.addIgnores(l, "per-file-ignores", l.Values.PerFileIgnores, rules)
	s.addIgnores(l, "extend-per-file-ignores", l.Values.ExtendPerFileIgnores, rules)
}

func (s *Settings) addIgnores(l *Layer, key string, ignores map[string][]string, rules *rule.Registry) {
	if ignores != nil {
		s.origins[key] = l.at(key)
	}
	for pattern, selectors := range ignores {
		set := rule.Set{}
		for _, selector := range selectors {
			codes, _, _ := rules.Match(selector) // checkLayer has tried it
			for _, c := range codes {
				set[c] = true
			}
		}
		s.ignores = append(s.ignores, fileIgnore{newGlob(l.Dir, pattern), set})
	}
}

// selectRules resolves the selections of all layers.
func (s *Settings) selectRules(rules *rule.Registry) error {
	selected := []rule.Selection{{Select: []string{"ALL"}}}
	fixable := []rule.Selection{{Select: []string{"ALL"}}}
	for _, l := range s.Layers {
		v := l.Values
		selected = append(selected, rule.Selection{Select: v.Select, Extend: v.ExtendSelect, Ignore: v.Ignore})
		fixable = append(fixable, rule.Selection{Select: v.Fixable, Extend: v.ExtendFixable, Ignore: v.Unfixable})
		for key, list := range selectorLists(&v) {
			if list != nil {
				s.origins[key] = l.at(key)
			}
		}
	}
	on, err := rules.Resolve(selected, s.previews())
	if err != nil {
		return err
	}
	fixes, err := rules.Resolve(fixable, rule.Previews)
	if err != nil {
		return err
	}
	s.Enabled, s.Held, s.Warnings, s.Fixable = on.Enabled, on.Held, on.Warnings, fixes.Enabled
	return nil
}

// previews are the rules in preview that may run.
func (s *Settings) previews() rule.PreviewMode {
	switch {
	case !s.Preview:
		return rule.NoPreviews
	case s.ExplicitPreview:
		return rule.NamedPreviews
	}
	return rule.Previews
}

// selectorLists returns the settings that are lists of rules.
func selectorLists(v *Values) map[string][]string {
	return map[string][]string{
		"select": v.Select, "extend-select": v.ExtendSelect, "ignore": v.Ignore,
		"fixable": v.Fixable, "extend-fixable": v.ExtendFixable, "unfixable": v.Unfixable,
	}
}

// ignoreTables returns the settings that are tables from globs to lists of rules.
func ignoreTables(v *Values) map[string]map[string][]string {
	return map[string]map[string][]string{"per-file-ignores": v.PerFileIgnores, "extend-per-file-ignores": v.ExtendPerFileIgnores}
}

// globLists returns the settings that are lists of globs.
func globLists(v *Values) map[string][]string {
	return map[string][]string{
		"include": v.Include, "extend-include": v.ExtendInclude, "exclude": v.Exclude, "extend-exclude": v.ExtendExclude,
	}
}

// versionShape is a version, or nothing: the default.
var versionShape = regexp.MustCompile(`^(\d+(\.\d+){1,2})?$`)

// checkLayer checks the values of one layer, so that a mistake is reported at
// the place where it was made.
func checkLayer(l *Layer, rules *rule.Registry) error {
	lists := selectorLists(&l.Values)
	for key, table := range ignoreTables(&l.Values) {
		for _, glob := range slices.Sorted(maps.Keys(table)) {
			lists[key] = append(lists[key], table[glob]...)
		}
	}
	for _, key := range KeyNames() {
		for _, selector := range lists[key] {
			if _, _, err := rules.Match(selector); err != nil {
				return errorAt(l.at(key), "%v", err)
			}
		}
	}
	if f := l.Values.OutputFormat; f != nil && !has(Formats, *f) {
		return errorAt(l.at("output-format"), "unknown output format %q; the formats are %s", *f, strings.Join(Formats, ", "))
	}
	if f := l.Values.FailOn; f != nil && !has(Severities, *f) {
		return errorAt(l.at("fail-on"), "%q is neither error nor warning, from which on a check may fail; notes never let it fail", *f)
	}
	if v := l.Values.TargetTorch; v != nil && !versionShape.MatchString(*v) {
		return errorAt(l.at("target-torch"), "%q is not a version of torch; write, for example, target-torch = \"2.1\"", *v)
	}
	return checkGlobs(l)
}

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// workingDir returns the working directory, or "." where the system cannot say.
func workingDir() string {
	if wd, err := os.Getwd(); err == nil {
		return wd
	}
	return "."
}

// Value returns the effective value of a key as TOML on one line. Lists of rules
// are those of the last layer that gives them.
func (s *Settings) Value(key string) string {
	switch key {
	case "preview":
		return strconv.FormatBool(s.Preview)
	case "explicit-preview-rules":
		return strconv.FormatBool(s.ExplicitPreview)
	case "show-hints":
		return strconv.FormatBool(s.ShowHints)
	case "fix":
		return strconv.FormatBool(s.Fix)
	case "unsafe-fixes":
		return strconv.FormatBool(s.UnsafeFixes)
	case "force-exclude":
		return strconv.FormatBool(s.ForceExclude)
	case "respect-gitignore":
		return strconv.FormatBool(s.RespectGitignore)
	case "fail-on":
		return strconv.Quote(string(s.FailOn))
	case "output-format":
		return strconv.Quote(s.OutputFormat)
	case "target-torch":
		return strconv.Quote(s.TargetTorch)
	case "baseline":
		return strconv.Quote(s.Baseline)
	case "cache-dir":
		return strconv.Quote(s.CacheDir)
	}
	for i := len(s.Layers) - 1; i >= 0; i-- {
		if text, given := s.Layers[i].text(key); given {
			return text
		}
	}
	k, _ := KeyNamed(key)
	return k.Default
}

// text returns a key of one layer as TOML on one line.
func (l *Layer) text(key string) (string, bool) {
	v := &l.Values
	for _, lists := range []map[string][]string{selectorLists(v), globLists(v)} {
		if list := lists[key]; list != nil {
			return quoteList(list), true
		}
	}
	if table := ignoreTables(v)[key]; table != nil {
		return quoteTable(table), true
	}
	switch {
	case key == "extend" && v.Extend != nil:
		return strconv.Quote(*v.Extend), true
	case key == "required-version" && v.RequiredVersion != nil:
		return strconv.Quote(*v.RequiredVersion), true
	case key == "audit.metrics" && v.Audit.Metrics != nil:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v.Audit.Metrics)) {
			parts = append(parts, strconv.Quote(name)+" = "+strconv.Quote(v.Audit.Metrics[name]))
		}
		return "{ " + strings.Join(parts, ", ") + " }", true
	}
	return "", false
}

// Decoded is a value that Value gives as TOML, as Go has it.
func Decoded(text string) any {
	var doc struct{ Value any }
	if toml.Unmarshal([]byte("Value = "+text), &doc) != nil {
		return text // of the default that is shortened
	}
	return doc.Value
}

func quoteTable(table map[string][]string) string {
	var parts []string
	for _, pattern := range slices.Sorted(maps.Keys(table)) {
		parts = append(parts, strconv.Quote(pattern)+" = "+quoteList(table[pattern]))
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

func quoteList(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = strconv.Quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
