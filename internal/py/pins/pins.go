// Package pins reads which versions of a package a project asks for.
//
// Input: the name and the text of a file in which projects pin what they need: a lock file,
// pyproject.toml, setup.cfg, requirements. Output: versions. Limits: it searches texts, and resolves
// nothing; of several versions the oldest counts. Nothing is imported.
package pins

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Files are the names of files in a folder that can pin packages, most exact first. Requirements come behind them.
var Files = []string{"uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "pyproject.toml", "setup.cfg", "setup.py", "Pipfile", "environment.yml", "environment.yaml"}

// MaxFile bounds what is worth reading of one file; lock files are large.
const MaxFile = 16 << 20

// Pin is what a file says of a package.
type Pin struct {
	Version string // "" where it says nothing
	// Exact says that it is this version, and not the oldest that is allowed.
	Exact bool
}

// In returns the oldest version of a package that a file allows.
func In(name, text, pkg string) Pin {
	if !strings.Contains(text, pkg) {
		return Pin{}
	}
	p := patternsOf(pkg)
	switch path.Base(name) {
	case "uv.lock", "poetry.lock", "pdm.lock":
		return oldest(p.lock.FindAllStringSubmatch(text, -1), true)
	case "Pipfile.lock":
		return oldest(p.pipfileLock.FindAllStringSubmatch(text, -1), true)
	}
	return p.required(text)
}

// patterns find one package.
type patterns struct {
	name                           string
	lock, pipfileLock, requirement *regexp.Regexp
}

var known sync.Map // patterns by package

func patternsOf(pkg string) *patterns {
	if p, ok := known.Load(pkg); ok {
		return p.(*patterns)
	}
	q := regexp.QuoteMeta(pkg)
	p := &patterns{
		name:        pkg,
		lock:        regexp.MustCompile(`(?m)^name = "` + q + `"\r?\nversion = "(\d+(?:\.\d+)+)`),
		pipfileLock: regexp.MustCompile(`"` + q + `": \{[^}]*"version": "==(\d+(?:\.\d+)+)`),
		// A requirement: the package, perhaps extras, perhaps quotes and an equals sign as
		// in TOML tables, then version specifiers.
		requirement: regexp.MustCompile(`(?m)(?:^|["'\s,\[])` + q + `(?:\[[^\]]*\])?["']?\s*(?:=\s*["']|=\s*\{\s*version\s*=\s*["'])?\s*\(?((?:[<>=~!^]{0,3}\s*\d[\w.*+]*\s*,?\s*)+)`),
	}
	known.Store(pkg, p)
	return p
}

var lowerBound = regexp.MustCompile(`(===|==|>=|~=|\^|~|>|^\s*)\s*(\d+(?:\.\d+)*)`)

// required returns the lower bound that a text of requirements gives.
func (p *patterns) required(text string) Pin {
	var best Pin
	for line := range strings.SplitSeq(text, "\n") {
		if at := strings.Index(line, " #"); at >= 0 || strings.HasPrefix(line, "#") {
			line = line[:max(at, 0)]
		}
		if !strings.Contains(line, p.name) {
			continue
		}
		for _, m := range p.requirement.FindAllStringSubmatch(line, -1) {
			if b := lowerBound.FindStringSubmatch(m[1]); b != nil {
				best = older(best, Pin{b[2], strings.HasPrefix(b[1], "==")})
			}
		}
	}
	return best
}

// oldest returns the smallest of the versions, each the last submatch.
func oldest(matches [][]string, exact bool) Pin {
	var best Pin
	for _, m := range matches {
		best = older(best, Pin{m[len(m)-1], exact})
	}
	return best
}

func older(a, b Pin) Pin {
	if a.Version == "" || Compare(b.Version, a.Version) < 0 {
		return b
	}
	return a
}

// Compare compares two dotted numbers: negative where a is older. Missing parts count as 0.
func Compare(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		if d := part(as, i) - part(bs, i); d != 0 {
			return d
		}
	}
	return 0
}

func part(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, _ := strconv.Atoi(parts[i])
	return n
}
