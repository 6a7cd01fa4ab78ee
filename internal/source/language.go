package source

import (
	"path/filepath"
	"strings"
)

// Language is what a file is written in.
type Language uint8

// The languages.
const (
	Other  Language = iota
	Python          // notebooks too
	YAML
	JSON
	Shell
	TOML
)

// LanguageOf tells by its name what a file is written in.
func LanguageOf(path string) Language {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".py", ".pyw", ".ipynb":
		return Python
	case ".yaml", ".yml":
		return YAML
	case ".json":
		return JSON
	case ".sh", ".bash", ".slurm", ".sbatch":
		return Shell
	case ".toml":
		return TOML
	}
	return Other
}

// Configures reports whether files of a language say how a program is run, and are none.
func (l Language) Configures() bool { return l >= YAML }

// OfTools reports whether a file, by its name, is known to configure tools and no run.
func OfTools(path string) bool {
	switch strings.ToLower(filepath.Base(path)) {
	case "pyproject.toml", "rlvet.toml", ".rlvet.toml", "ruff.toml", ".ruff.toml", "cargo.toml":
		return true
	}
	return false
}
