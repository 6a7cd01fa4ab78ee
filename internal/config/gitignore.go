package config

import (
	"os"
	"path/filepath"
	"strings"

	ignore "github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

// gitignore knows what git ignores below the root of a repository. Files are
// read as folders are entered, outermost first, since later ones win.
type gitignore struct {
	root     string // of the repository, "" outside of one
	patterns []ignore.Pattern
	matcher  ignore.Matcher
}

// newGitignore reads the ignore files of a repository down to the parent of an
// absolute folder; the walk reads the rest.
func newGitignore(dir string) *gitignore {
	g := &gitignore{root: repository(dir)}
	if g.root == "" {
		return g
	}
	g.add(filepath.Join(g.root, ".git", "info", "exclude"), nil)
	for at := g.root; at != dir; {
		g.read(at)
		rel, _ := filepath.Rel(at, dir)
		at = filepath.Join(at, strings.Split(filepath.ToSlash(rel), "/")[0])
	}
	return g
}

// repository returns the nearest folder upward with a .git, or "".
func repository(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		if exists(filepath.Join(dir, ".git")) {
			return dir
		}
		if filepath.Dir(dir) == dir {
			return ""
		}
	}
}

// read adds the .gitignore of a folder.
func (g *gitignore) read(dir string) {
	if g.root != "" {
		g.add(filepath.Join(dir, ".gitignore"), g.parts(dir))
	}
}

func (g *gitignore) add(file string, domain []string) {
	data, err := os.ReadFile(file)
	if err != nil {
		return // most folders have none
	}
	for _, line := range strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n") {
		if line != "" && !strings.HasPrefix(line, "#") {
			g.patterns = append(g.patterns, ignore.ParsePattern(trailing(line), domain))
			g.matcher = nil
		}
	}
}

// trailing drops trailing blanks, which git does unless they are quoted.
func trailing(line string) string {
	if strings.HasSuffix(line, `\ `) {
		return line
	}
	return strings.TrimRight(line, " ")
}

// parts returns the path of a file or folder from the repository's root.
func (g *gitignore) parts(abs string) []string {
	rel, err := filepath.Rel(g.root, abs)
	if err != nil || rel == "." {
		return nil
	}
	return strings.Split(filepath.ToSlash(rel), "/")
}

func (g *gitignore) file(abs string) bool   { return g.match(abs, false) }
func (g *gitignore) folder(abs string) bool { return g.match(abs, true) }

func (g *gitignore) match(abs string, isDir bool) bool {
	if len(g.patterns) == 0 {
		return false
	}
	if g.matcher == nil {
		g.matcher = ignore.NewMatcher(g.patterns)
	}
	return g.matcher.Match(g.parts(abs), isDir)
}
