package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/words"
)

// Error is a mistake in a settings file or in an option. Its text is one line.
type Error struct {
	Where string // PATH:LINE, PATH, or --OPTION
	Msg   string
}

// Error returns "WHERE: what".
func (e *Error) Error() string { return e.Where + ": " + e.Msg }

func errorAt(where, format string, args ...any) error {
	return &Error{where, fmt.Sprintf(format, args...)}
}

func position(path string, line int) string {
	if line == 0 {
		return path
	}
	return fmt.Sprintf("%s:%d", path, line)
}

// pyprojectTable is where pyproject.toml has the settings.
const pyprojectTable = "tool.rlvet"

// readFile reads one settings file. present is false for a pyproject.toml
// without a [tool.rlvet] table.
func readFile(path string) (layer *Layer, present bool, err error) {
	shown := display(path)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, false, errorAt(shown, "cannot read settings: %v", source.Cause(err))
	}
	return parseLayer(shown, filepath.Dir(path), filepath.Base(path) == "pyproject.toml", data)
}

// parseLayer reads settings from TOML text. It is the whole way from foreign
// bytes to values, and so what the fuzzer calls.
func parseLayer(shown, dir string, pyproject bool, data []byte) (*Layer, bool, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	prefix := ""
	if pyproject {
		prefix = pyprojectTable + "."
	}
	layer := &Layer{Origin: shown, Dir: dir, lines: keyLines(data, prefix)}
	var doc struct {
		Tool struct {
			Rlvet *Values `toml:"rlvet"`
		} `toml:"tool"`
	}
	var target any = &layer.Values
	if pyproject {
		target = &doc
	}
	err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(target)
	if err = layer.mistake(err, prefix); err != nil {
		return nil, false, err
	}
	if !pyproject {
		return layer, true, nil
	}
	if doc.Tool.Rlvet == nil {
		return nil, false, nil
	}
	layer.Values = *doc.Tool.Rlvet
	return layer, true, nil
}

// mistake turns an error of the TOML library into one about a key of ours.
// Unknown keys outside our table are none of our business.
func (l *Layer) mistake(err error, prefix string) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) {
		for i := range strict.Errors {
			e := &strict.Errors[i]
			key, ours := strings.CutPrefix(strings.Join(e.Key(), "."), prefix)
			if row, _ := e.Position(); ours && prefix == "" && strings.HasPrefix(key+".", pyprojectTable+".") {
				return errorAt(position(l.Origin, row), "this file needs no heading [%s], which is for pyproject.toml; remove the heading", pyprojectTable)
			} else if ours {
				return unknownKey(position(l.Origin, row), key)
			}
		}
		return nil
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		row, _ := decode.Position()
		where := position(l.Origin, row)
		if k, ok := KeyNamed(l.keyBefore(row)); ok && strings.Contains(err.Error(), "cannot") {
			return errorAt(where, "%s must be %s, as in: %s", k.Name, k.Type, k.Example)
		}
		return errorAt(where, "not valid TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	if err != nil {
		return errorAt(l.Origin, "not valid TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	return nil
}

// keyBefore returns the key that is given on the row, or last before it.
func (l *Layer) keyBefore(row int) string {
	best, at := "", 0
	for key, line := range l.lines {
		if _, ok := KeyNamed(settingOf(key)); ok && line <= row && line > at {
			best, at = settingOf(key), line
		}
	}
	return best
}

func unknownKey(where, key string) error {
	if near := words.Nearest(key, KeyNames()); near != "" {
		return errorAt(where, "unknown setting %q; did you mean %q?", key, near)
	}
	return errorAt(where, "unknown setting %q; `rlvet config` lists all", key)
}

// keyLines returns the line of every key directly under prefix.
func keyLines(data []byte, prefix string) map[string]int {
	lines, table := map[string]int{}, ""
	p := &unstable.Parser{}
	p.Reset(data)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.KeyValue {
			continue
		}
		key, row := dotted(p, e)
		if e.Kind == unstable.Table {
			table = key + "."
		} else {
			key = table + key
		}
		if name, ours := strings.CutPrefix(key, prefix); ours && row > 0 {
			for _, name := range []string{name, settingOf(name)} {
				if _, seen := lines[name]; !seen {
					lines[name] = row
				}
			}
		}
	}
	return lines
}

// settingOf is the setting that a dotted key lies in: audit.metrics, and else its first
// part.
func settingOf(key string) string {
	for _, name := range KeyNames() {
		if strings.HasPrefix(key, name+".") {
			return name
		}
	}
	if first, rest, dotted := strings.Cut(key, "."); dotted && !isTable(first) {
		return first
	} else if dotted {
		second, _, _ := strings.Cut(rest, ".")
		return first + "." + second
	}
	return key
}

// isTable reports whether settings have names that start with this one.
func isTable(name string) bool {
	return slices.ContainsFunc(KeyNames(), func(k string) bool { return strings.HasPrefix(k, name+".") })
}

// dotted returns the key of an expression and its line.
func dotted(p *unstable.Parser, e *unstable.Node) (string, int) {
	var parts []string
	row := 0
	for it := e.Key(); it.Next(); {
		n := it.Node()
		parts = append(parts, string(n.Data))
		if row == 0 {
			row = p.Shape(n.Raw).Start.Line
		}
	}
	return strings.Join(parts, "."), row
}

// display returns a path as the user would write it: relative where it lies
// below the working directory, with slashes.
func display(path string) string {
	if wd, err := os.Getwd(); err == nil && filepath.IsAbs(path) {
		if rel, err := filepath.Rel(wd, path); err == nil && !strings.HasPrefix(rel, "..") {
			path = rel
		}
	}
	return filepath.ToSlash(path)
}
