package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// The packages of npm, by exact version.
const (
	ruffPackage    = "@astral-sh/ruff-wasm-nodejs"
	ruffVersion    = "0.17.3"
	astGrepPackage = "@ast-grep/cli"
	astGrepVersion = "0.51.1"
)

//go:embed ruff.js
var ruffScript []byte

//go:embed astparse.py
var astParseScript []byte

// prepare builds rlvet and this program, and finds or installs the others. Dir
// is temporary; peers is kept from run to run. Only rlvet must be there.
func prepare(ctx context.Context, dir, peers string) ([]tool, error) {
	rlvet := filepath.Join(dir, "rlvet")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", rlvet, "./cmd/rlvet").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build ./cmd/rlvet: %w\n%s", err, out)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	peers, err = filepath.Abs(peers)
	if err != nil {
		return nil, err
	}
	npmProblem := installPackages(ctx, peers)
	cores := fmt.Sprint(runtime.NumCPU())
	return []tool{
		{name: "rlvet check, 1 worker", version: revision(ctx), command: []string{rlvet, "check", "--isolated", "--exit-zero", "--no-cache", "--jobs", "1", "TREE"}, partly: 2},
		{name: "rlvet check, " + cores + " workers", version: revision(ctx), command: []string{rlvet, "check", "--isolated", "--exit-zero", "--no-cache", "--jobs", cores, "TREE"}, partly: 2},
		{name: bareParse, version: bindingVersion(), command: []string{self, "-tree", "TREE", "-parse", "1"}},
		{name: "bare tree-sitter parse, " + cores + " workers", version: bindingVersion(), command: []string{self, "-tree", "TREE", "-parse", cores}},
		script(dir, "CPython ast.parse", "python3", "astparse.py", astParseScript, version(ctx, "python3", "--version")),
		ruff(dir, peers, npmProblem),
		astGrep(peers, npmProblem),
		debian(ctx, "flake8", "--isolated", "--exit-zero", "TREE"),
		debian(ctx, "pylint", "--rcfile=/dev/null", "--exit-zero", "--recursive=y", "-j0", "TREE"),
	}, nil
}

// installPackages installs npm's packages where they are not there yet, and
// returns why they are not, or "".
func installPackages(ctx context.Context, peers string) string {
	if packageVersion(peers, ruffPackage) == ruffVersion && packageVersion(peers, astGrepPackage) == astGrepVersion {
		return ""
	}
	if _, err := exec.LookPath("npm"); err != nil {
		return "missing: needs node and npm"
	}
	fmt.Fprintln(os.Stderr, "installing npm packages into", peers)
	if err := os.MkdirAll(peers, 0o755); err != nil {
		return "missing: " + err.Error()
	}
	cmd := exec.CommandContext(ctx, "npm", "install", "--prefix", peers, "--no-audit", "--no-fund", "--loglevel=error",
		ruffPackage+"@"+ruffVersion, astGrepPackage+"@"+astGrepVersion)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "missing: npm install failed: " + firstLine(string(out))
	}
	return ""
}

// packageVersion returns the version of an installed npm package, or "".
func packageVersion(peers, name string) string {
	text, err := os.ReadFile(filepath.Join(peers, "node_modules", name, "package.json"))
	if err != nil {
		return ""
	}
	var manifest struct{ Version string }
	if json.Unmarshal(text, &manifest) != nil {
		return ""
	}
	return manifest.Version
}

func ruff(dir, peers, problem string) tool {
	t := script(dir, "ruff (wasm in node)", "node", "ruff.js", ruffScript, packageVersion(peers, ruffPackage))
	t.command = append(t.command, filepath.Join(peers, "node_modules", ruffPackage))
	if problem != "" {
		t.missing = problem
	}
	return t
}

func astGrep(peers, problem string) tool {
	return tool{
		name:    "ast-grep, one pattern",
		version: packageVersion(peers, astGrepPackage),
		missing: problem,
		command: []string{filepath.Join(peers, "node_modules", ".bin", "ast-grep"), "run", "--lang", "python", "--pattern", "$X.std($$$) + $Y", "TREE"},
	}
}

// script is a tool that is a script of ours run by an interpreter.
func script(dir, name, interpreter, file string, text []byte, version string) tool {
	t := tool{name: name, version: version, command: []string{interpreter, filepath.Join(dir, file), "TREE"}}
	if _, err := exec.LookPath(interpreter); err != nil {
		t.missing = "missing: needs " + interpreter
	} else if err := os.WriteFile(filepath.Join(dir, file), text, 0o644); err != nil {
		t.missing = err.Error()
	}
	return t
}

// debian is a tool that the system's package of the same name provides.
func debian(ctx context.Context, name string, args ...string) tool {
	t := tool{name: name, version: version(ctx, name, "--version"), command: append([]string{name}, args...)}
	if _, err := exec.LookPath(name); err != nil {
		t.missing = "missing: apt-get install " + name
	}
	return t
}

// version returns the first number of the first line that a command prints.
func version(ctx context.Context, command ...string) string {
	out, err := exec.CommandContext(ctx, command[0], command[1:]...).Output()
	if err != nil {
		return ""
	}
	for _, word := range strings.Fields(firstLine(string(out))) {
		if word[0] >= '0' && word[0] <= '9' {
			return word
		}
	}
	return ""
}

// revision names the commit of rlvet that is measured.
func revision(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "this tree"
	}
	return firstLine(string(out))
}

// bindingVersion is the version of the tree-sitter binding that this program
// is linked with.
func bindingVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, dep := range info.Deps {
		if dep.Path == "github.com/smacker/go-tree-sitter" {
			return dep.Version[strings.LastIndexByte(dep.Version, '-')+1:]
		}
	}
	return ""
}
