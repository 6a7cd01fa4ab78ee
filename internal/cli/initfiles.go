package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/paths"
)

// preCommit is what a .pre-commit-config.yaml needs.
const preCommit = `repos:
  - repo: https://github.com/rlvet/rlvet
    rev: %s
    hooks:
      - id: rlvet
`

// workflow annotates the lines that a pull request brings.
const workflow = `name: rlvet

on:
  pull_request:

permissions:
  contents: read

jobs:
  rlvet:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
        with:
          fetch-depth: 0 # --new-from needs history
      - uses: rlvet/rlvet@%s
        with:
          args: --new-from origin/${{ github.base_ref }}
`

// pinned is the revision for files that are kept, with a warning where that is a branch.
func pinned() string {
	if r := revision(); r != "main" {
		return r
	}
	return "main # a branch, which moves: pin a tag"
}

// starts plan the parts of init.
var starts = map[string]func(named bool) (start, error){"settings": settingsStart, "hook": hookStart, "workflow": workflowStart}

// settingsStart plans a table at the end of pyproject.toml, or a file.
func settingsStart(bool) (start, error) {
	for _, name := range []string{".rlvet.toml", "rlvet.toml"} {
		if paths.Exist(name) {
			return start{alone: name + " exists already, and is left alone."}, nil
		}
	}
	old, err := os.ReadFile("pyproject.toml")
	switch {
	case err != nil && paths.Exist("pyproject.toml"):
		return start{}, fmt.Errorf("pyproject.toml cannot be read: %v", err)
	case err != nil:
		return start{path: "rlvet.toml", text: template("")}, nil
	case bytes.Contains(old, []byte("[tool.rlvet")):
		return start{alone: "pyproject.toml has a [tool.rlvet] table already, which is left alone."}, nil
	}
	text := "\n" + template("[tool.rlvet]\n")
	if len(old) > 0 && old[len(old)-1] != '\n' {
		text = "\n" + text
	}
	return start{path: "pyproject.toml", text: text, old: append([]byte{}, old...)}, nil
}

// hookStart plans the hook in a repository of git. A file that is there is YAML that
// somebody wrote: what to add to it is shown.
func hookStart(named bool) (start, error) {
	const path = ".pre-commit-config.yaml"
	text := fmt.Sprintf(preCommit, pinned())
	old, err := os.ReadFile(path)
	switch {
	case err == nil && bytes.Contains(old, []byte("rlvet")):
		return start{alone: path + " has rlvet already, and is left alone."}, nil
	case paths.Exist(path):
		return start{alone: path + " exists already, and is left alone. To check every commit, add below its repos:\n\n" + indent(strings.TrimPrefix(text, "repos:\n"))}, nil
	case !named && !paths.Exist(".git"):
		return start{alone: "No pre-commit hook: there is no .git here."}, nil
	}
	return start{path: path, text: text}, nil
}

// workflowStart plans the workflow where the project is on GitHub.
func workflowStart(named bool) (start, error) {
	path := filepath.ToSlash(filepath.Join(".github", "workflows", "rlvet.yml"))
	remotes, _ := os.ReadFile(filepath.Join(".git", "config"))
	switch {
	case paths.Exist(path):
		return start{alone: path + " exists already, and is left alone."}, nil
	case !named && !paths.Exist(".github") && !bytes.Contains(remotes, []byte("github.com")):
		return start{alone: "No GitHub workflow: there is no .github folder and no GitHub remote."}, nil
	}
	return start{path: path, text: fmt.Sprintf(workflow, pinned())}, nil
}

// often are the settings that people give most, with what they say in few words.
var often = []struct{ key, says string }{
	{"ignore", "rules not to run"},
	{"per-file-ignores", "rules not to report in some files"},
	{"extend-exclude", "files and folders not to check"},
	{"preview", "run rules that are in preview"},
	{"baseline", "findings that are known and not reported"},
	{"target-torch", "the oldest torch that fixes must support"},
}

// template is a settings file that sets nothing: what people give most stands in comments.
func template(table string) string {
	var b strings.Builder
	b.WriteString("# The defaults of rlvet are meant to be right. `rlvet config` lists all settings.\n")
	b.WriteString(table)
	for _, o := range often {
		k, _ := config.KeyNamed(o.key)
		fmt.Fprintf(&b, "# %-45s # %s\n", k.Example, o.says)
	}
	return b.String()
}
