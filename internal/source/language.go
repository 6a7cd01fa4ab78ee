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
	}
	return Other
}

// Configures reports whether files of a language say how a program is run, and are none.
func (l Language) Configures() bool { return l == YAML || l == JSON || l == Shell }
