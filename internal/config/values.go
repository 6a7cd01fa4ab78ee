// Package config finds, reads and merges settings, and decides by them which
// files are checked and which findings are shown.
//
// Settings come from [tool.rlvet] in pyproject.toml, from rlvet.toml or
// .rlvet.toml, whichever is nearest above the file, from the files that it
// extends, and from the command line, which wins. Where no file above has
// settings, those of the user hold: rlvet/rlvet.toml in the folder for settings.
// The names and the meaning of the keys follow ruff. The torch version for which fixes must hold is read from
// the project's requirements unless it is set.
//
// Inputs are paths and the registry of rules; outputs are Settings, lists of
// files, and findings filtered by them. Every mistake in a settings file is an
// error of the form "PATH:LINE: what; how to fix it".
// Limits: settings files above one another are not merged unless one extends
// the other; variables in paths are not expanded.
package config

import "strings"

// Values are the settings as one place gives them; nil means not given. The toml
// names are the keys, which Keys explains.
type Values struct {
	Extend               *string             `toml:"extend"`
	RequiredVersion      *string             `toml:"required-version"`
	Select               []string            `toml:"select"`
	ExtendSelect         []string            `toml:"extend-select"`
	Ignore               []string            `toml:"ignore"`
	PerFileIgnores       map[string][]string `toml:"per-file-ignores"`
	ExtendPerFileIgnores map[string][]string `toml:"extend-per-file-ignores"`
	Fixable              []string            `toml:"fixable"`
	ExtendFixable        []string            `toml:"extend-fixable"`
	Unfixable            []string            `toml:"unfixable"`
	Preview              *bool               `toml:"preview"`
	ExplicitPreviewRules *bool               `toml:"explicit-preview-rules"`
	ShowHints            *bool               `toml:"show-hints"`
	Include              []string            `toml:"include"`
	ExtendInclude        []string            `toml:"extend-include"`
	Exclude              []string            `toml:"exclude"`
	ExtendExclude        []string            `toml:"extend-exclude"`
	ForceExclude         *bool               `toml:"force-exclude"`
	RespectGitignore     *bool               `toml:"respect-gitignore"`
	TargetTorch          *string             `toml:"target-torch"`
	Fix                  *bool               `toml:"fix"`
	UnsafeFixes          *bool               `toml:"unsafe-fixes"`
	FailOn               *string             `toml:"fail-on"`
	OutputFormat         *string             `toml:"output-format"`
	Baseline             *string             `toml:"baseline"`
	CacheDir             *string             `toml:"cache-dir"`
	Audit                AuditValues         `toml:"audit"`
}

// AuditValues are the settings of `rlvet audit`.
type AuditValues struct {
	Metrics map[string]string `toml:"metrics"`
}

// Layer is what one place says, least important first in Settings.Layers.
type Layer struct {
	Origin string // path of the file as the user would write it, or "command line"
	Dir    string // to which its relative paths and globs refer
	Values Values
	lines  map[string]int // of each key, and of each entry of a table
	bare   bool           // keys are named without --
	whole  bool           // it gives one setting, and its origin names it
	// besides are files with settings in the same folder, which do not count.
	besides []string
}

// at says where the layer gives a key: "PATH:LINE", or "--KEY".
func (l *Layer) at(key string) string {
	switch {
	case l.whole:
		return l.Origin
	case l.lines == nil && l.bare:
		return key
	case l.lines == nil:
		return "--" + key
	}
	if row := l.lines[key]; row > 0 {
		return position(l.Origin, row)
	}
	table, _, _ := strings.Cut(key, ".") // as in audit = { metrics = { ... } }
	return position(l.Origin, l.lines[table])
}

// atEntry says where a layer gives an entry of a table: at its own line, where it has one.
func (l *Layer) atEntry(key, entry string) string {
	if row := l.lines[key+"."+entry]; row > 0 {
		return position(l.Origin, row)
	}
	return l.at(key)
}

// Key explains one setting.
type Key struct {
	Name    string
	Type    string // as in a sentence: "a list of rules"
	Default string // as TOML
	Doc     string
	Example string // one line of TOML
}

// Keys lists all settings in the order in which they are shown.
var Keys = []Key{
	{"extend", "a path", `""`, "A settings file that this one builds on. What this file says wins; select, ignore and extend-select apply on top of what the other file chose.", `extend = "../rlvet.toml"`},
	{"required-version", "a version, or bounds on one", `""`, "The versions of rlvet that may check these files, so that all who work on them see the same findings. Any other version says so and ends with exit code 2.", `required-version = ">= 0.1, < 1"`},
	{"select", "a list of rules", `["ALL"]`, "The rules to run: a code (ADV009), a name (std-without-eps), a prefix (ADV), a family (advantage) or ALL. The more specific selector wins over ignore.", `select = ["ADV", "KL"]`},
	{"extend-select", "a list of rules", `[]`, "Rules to run in addition to those selected.", `extend-select = ["OBJ001"]`},
	{"ignore", "a list of rules", `[]`, "Rules not to run.", `ignore = ["KL"]`},
	{"per-file-ignores", "a table from globs to lists of rules", `{}`, "Rules not to report in files that match a glob. A glob without a slash matches the file's name; one that starts with ! matches all other files.", `per-file-ignores = { "tests/**" = ["ADV"] }`},
	{"extend-per-file-ignores", "a table from globs to lists of rules", `{}`, "As per-file-ignores, in addition to those of the file that this one extends.", `extend-per-file-ignores = { "scripts/**" = ["SEED"] }`},
	{"fixable", "a list of rules", `["ALL"]`, "The rules whose fixes --fix may apply.", `fixable = ["ADV"]`},
	{"extend-fixable", "a list of rules", `[]`, "Rules whose fixes --fix may apply, in addition to fixable.", `extend-fixable = ["OBJ020"]`},
	{"unfixable", "a list of rules", `[]`, "The rules whose fixes --fix must not apply.", `unfixable = ["OBJ020"]`},
	{"preview", "a boolean", `false`, "Whether to run rules that are in preview: their findings are not yet known to be right nine times in ten.", `preview = true`},
	{"explicit-preview-rules", "a boolean", `false`, "Whether preview only runs rules that are selected by their whole code or name: a family that is selected then brings no new rules with a new version.", `explicit-preview-rules = true`},
	{"show-hints", "a boolean", `false`, "Whether to show findings that rest on the name of a variable alone. `rlvet confirm` tests them in any case.", `show-hints = true`},
	{"include", "a list of globs", `["*.py", ...]`, "The files to check in folders. Replaces the default list, which names all that rlvet reads: Python, notebooks, YAML, TOML, JSON and shell scripts. Files that are named on the command line are always checked, and what they import or name is read in any case.", `include = ["*.py", "configs/**/*.yaml"]`},
	{"extend-include", "a list of globs", `[]`, "Files to check in folders, in addition to include.", `extend-include = ["launch/*.sh"]`},
	{"exclude", "a list of globs", `[".git", ".venv", ...]`, "Files and folders not to check. Replaces the default list, which names version control, virtual environments, build output and caches.", `exclude = ["third_party", "src/**/generated_*.py"]`},
	{"extend-exclude", "a list of globs", `[]`, "Files and folders not to check, in addition to exclude.", `extend-exclude = ["notebooks/old"]`},
	{"force-exclude", "a boolean", `false`, "Whether exclude also holds for files that are named on the command line, as pre-commit does.", `force-exclude = true`},
	{"respect-gitignore", "a boolean", `true`, "Whether to leave out files that git ignores. Files that are named on the command line are always checked.", `respect-gitignore = false`},
	{"target-torch", "a version", `""`, "The oldest version of torch that fixes must support. Without it, the version comes from pyproject.toml, requirements files or a lock file; without those, fixes support every version that rlvet does.", `target-torch = "2.1"`},
	{"fix", "a boolean", `false`, "Whether `rlvet check` applies safe fixes, as with --fix.", `fix = true`},
	{"unsafe-fixes", "a boolean", `false`, "Whether --fix also applies fixes that may change what the program computes beyond the mistake.", `unsafe-fixes = true`},
	{"fail-on", "one of " + strings.Join(Severities, ", "), `"warning"`, "The least severity of a finding that lets `rlvet check` exit with 1. Notes never do.", `fail-on = "error"`},
	{"output-format", "one of " + strings.Join(Formats, ", "), `"full"`, "How findings are printed.", `output-format = "concise"`},
	{"baseline", "a path", `""`, "A file of known findings, written by --write-baseline, that are not reported.", `baseline = "known.json"`},
	{"cache-dir", "a path", `""`, "The folder in which the results of checks are kept. Without it, a folder below the user's caches; RLVET_CACHE_DIR wins.", `cache-dir = ".rlvet-cache"`},
	{"audit.metrics", "a table from names of metrics to what they measure", `{}`, "How `rlvet audit` should read metrics whose names it does not know: QUANTITY or QUANTITY:UNIT. The quantities are " + strings.Join(quantities(), ", ") + ". The units are " + strings.Join(units(), ", ") + ".", `audit.metrics = { "my/judge" = "held_out:points" }`},
}

// Severities lists those that may let a check fail.
var Severities = []string{"error", "warning"}

// Formats lists the output formats.
var Formats = []string{"concise", "full", "grouped", "agent", "json", "json-lines", "sarif", "github", "gitlab", "azure", "junit", "pylint", "rdjson"}

// KeyNames returns the names of all settings.
func KeyNames() []string {
	var out []string
	for _, k := range Keys {
		out = append(out, k.Name)
	}
	return out
}

// KeyNamed returns the setting with this name.
func KeyNamed(name string) (Key, bool) {
	for _, k := range Keys {
		if k.Name == name {
			return k, true
		}
	}
	return Key{}, false
}
