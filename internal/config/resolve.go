package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rlvet/rlvet/internal/py/project"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/source"
)

// fileNames are looked for in every folder, the first that has settings wins.
var fileNames = []string{".rlvet.toml", "rlvet.toml", "pyproject.toml"}

// Resolver finds the settings for files and remembers them by folder. It is not
// safe for concurrent use.
type Resolver struct {
	Rules    *rule.Registry
	Version  string   // of rlvet, which required-version is about; "" for none
	User     string   // the folder of the user's own settings, "" for none
	Isolated bool     // look at no settings file
	File     string   // use this file for everything, if set
	Inline   []*Layer // on top of files
	Override Values   // on top of all: the command line
	Bare     bool     // what Override holds is an argument of a call: errors name it without --

	folders map[string]*Settings // by absolute folder
	chains  map[string][]*Layer  // by absolute folder; nil where none above has settings
	built   map[[2]string]*Settings
}

// For returns the settings for a file or a folder. The path need not exist.
func (r *Resolver) For(path string) (*Settings, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, errorAt(path, "%v", err)
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		abs = filepath.Dir(abs)
	}
	return r.folder(abs)
}

// folder returns the settings for the files of an absolute folder.
func (r *Resolver) folder(dir string) (*Settings, error) {
	if s := r.folders[dir]; s != nil {
		return s, nil
	}
	layers, err := r.layers(dir)
	if err != nil {
		return nil, err
	}
	s, err := r.settings(project.Root(project.OS{}, dir), layers)
	if err != nil {
		return nil, err
	}
	if r.folders == nil {
		r.folders = map[string]*Settings{}
	}
	r.folders[dir] = s
	return s, nil
}

// layers returns the layers of the settings file for a folder, the files that it
// extends included: of one in the folder, else those of the folder above.
func (r *Resolver) layers(dir string) (layers []*Layer, err error) {
	if layers, known := r.chains[dir]; known {
		return layers, nil
	}
	switch {
	case r.File != "":
		layers, err = r.load(r.File)
	case r.Isolated:
	default:
		layers, err = r.within(dir)
		switch parent := filepath.Dir(dir); {
		case err != nil || layers != nil:
		case parent != dir:
			layers, err = r.layers(parent)
		case r.User != "":
			layers, err = r.within(r.User)
		}
	}
	if err != nil {
		return nil, err
	}
	if r.chains == nil {
		r.chains = map[string][]*Layer{}
	}
	r.chains[dir] = layers
	return layers, nil
}

// within returns the layers of the settings file in a folder, nil for none.
func (r *Resolver) within(dir string) ([]*Layer, error) {
	for i, name := range fileNames {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			continue
		}
		layers, err := r.load(path)
		if layers != nil {
			layers[len(layers)-1].besides = others(dir, fileNames[i+1:])
		}
		if err != nil || layers != nil {
			return layers, err
		}
	}
	return nil, nil
}

// others are the files of a folder that have settings too, which do not count.
func others(dir string, names []string) (out []string) {
	for _, name := range names {
		path := filepath.Join(dir, name)
		if _, present, err := readFile(path); err == nil && present {
			out = append(out, display(path))
		}
	}
	return out
}

// load reads a settings file and the files that it extends, deepest first. It
// returns nil for a pyproject.toml without our table.
func (r *Resolver) load(path string) ([]*Layer, error) {
	var chain []*Layer
	seen := map[string]bool{}
	for next, from := path, ""; next != ""; {
		if seen[next] {
			return nil, errorAt(from, "extend leads back to %s; remove one extend", display(next))
		}
		seen[next] = true
		layer, present, err := readFile(next)
		if err != nil {
			return nil, extendError(from, err)
		}
		if !present && (from != "" || r.File != "") {
			return nil, errorAt(display(next), "there is no [%s] table in this file", pyprojectTable)
		}
		if !present {
			return nil, nil
		}
		chain = append([]*Layer{layer}, chain...)
		next, from = layer.extends(), layer.at("extend")
	}
	return chain, nil
}

// extendError says which file asked for the one that cannot be read.
func extendError(from string, err error) error {
	var e *Error
	if from != "" && errors.As(err, &e) && strings.HasPrefix(e.Msg, "cannot read") {
		return errorAt(from, "extend: %s", err)
	}
	return err
}

// extends returns the absolute path of the file that the layer builds on.
func (l *Layer) extends() string {
	if l.Values.Extend == nil || *l.Values.Extend == "" {
		return ""
	}
	path := *l.Values.Extend
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(path, "~/") {
		path = filepath.Join(home, path[2:])
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.Dir, path)
	}
	return filepath.Clean(path)
}

// settings builds the settings for a file's layers and a project, once. Globs of
// the files refer to their folders; torch is looked for from the project's root.
func (r *Resolver) settings(root string, layers []*Layer) (*Settings, error) {
	key := [2]string{root, ""}
	if n := len(layers); n > 0 {
		key[1] = layers[n-1].Origin
	}
	if s := r.built[key]; s != nil {
		return s, nil
	}
	all := append(append([]*Layer(nil), layers...), r.Inline...)
	all = append(all, &Layer{Origin: "command line", Dir: workingDir(), Values: r.Override, bare: r.Bare})
	for _, l := range all {
		if err := l.requires(r.Version); err != nil {
			return nil, err
		}
	}
	s, err := build(root, all, r.Rules)
	if err != nil {
		return nil, err
	}
	if n := len(layers); n > 0 && r.File == "" && layers[n-1].Dir != r.User {
		s.Root = layers[n-1].Dir
	}
	if n := len(layers); n > 0 && layers[n-1].besides != nil {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s counts, and the settings in %s beside it do not; keep one of them", layers[n-1].Origin, strings.Join(layers[n-1].besides, " and ")))
	}
	if s.TargetTorch == "" && !r.Isolated {
		if s.TargetTorch, s.TorchFrom = findTorch(root); s.TargetTorch != "" {
			s.origins["target-torch"] = s.TorchFrom
		}
	}
	if r.built == nil {
		r.built = map[[2]string]*Settings{}
	}
	r.built[key] = s
	return s, nil
}

// ParseInline reads settings given as TOML on the command line:
// --config 'ignore = ["KL"]'.
func ParseInline(text string) (*Layer, error) {
	layer, _, err := parseLayer("--config", workingDir(), false, []byte(text))
	return layer, err
}

// ParseSettings reads settings that neither a file nor the command line gives;
// origin says in messages where they come from. Their paths are relative to the
// working directory.
func ParseSettings(origin string, text []byte) (*Layer, error) {
	layer, _, err := parseLayer(origin, workingDir(), false, text)
	return layer, err
}

// Variable is the layer of settings that a variable of the environment gives.
func Variable(name string, v Values) *Layer {
	return &Layer{Origin: name, Dir: workingDir(), Values: v, whole: true}
}

// Fresh returns a resolver that reads all settings files again.
func (r *Resolver) Fresh() *Resolver {
	return &Resolver{Rules: r.Rules, Version: r.Version, User: r.User, Isolated: r.Isolated, File: r.File, Override: r.Override, Inline: r.Inline, Bare: r.Bare}
}

// Concerns reports whether a change of the file can change findings: it is
// Python, a notebook, what may configure a run, or a settings file.
func Concerns(path string) bool {
	return source.LanguageOf(path) != source.Other || has(fileNames, filepath.Base(path))
}
