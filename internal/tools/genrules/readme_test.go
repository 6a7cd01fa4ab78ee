package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rlvet/rlvet/internal/cli"
)

var update = flag.Bool("update", false, "rewrite the recorded output in README.md")

// session is a block of the README that shows a command and what it prints.
var session = regexp.MustCompile("(?s)(```console\n\\$ rlvet ([^\n]*)\n)(.*?)(```\n)")

// What the README shows is what the program prints.
func TestReadmeShowsTheTruth(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	old, err := os.ReadFile(readmeFile)
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	text := session.ReplaceAllStringFunc(string(old), func(block string) string {
		shown++
		parts := session.FindStringSubmatch(block)
		return parts[1] + output(t, strings.Fields(parts[2])) + parts[4]
	})
	if shown == 0 {
		t.Error("the README shows no session of rlvet")
	}
	if *update {
		if err := os.WriteFile(filepath.Join(root, readmeFile), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(old), text); diff != "" {
		t.Errorf("README.md is not current; run `go test ./internal/tools/genrules -update` (-shown +printed):\n%s", diff)
	}
}

// The settings that the README shows are understood, and its suppression hides a
// finding that is there without it.
func TestReadmeSettingsAndSuppression(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, readmeFile))
	if err != nil {
		t.Fatal(err)
	}
	settings, program := block(t, text, "toml"), block(t, text, "python")
	t.Chdir(t.TempDir())
	write(t, ".", "pyproject.toml", settings)
	write(t, ".", "suppressed.py", program)
	if got := output(t, []string{"check", "suppressed.py"}); got != "All checks passed!\n" {
		t.Errorf("with the comment:\n%s", got)
	}
	write(t, ".", "open.py", regexp.MustCompile(`  # rlvet:.*`).ReplaceAllString(program, ""))
	if got := output(t, []string{"check", "open.py"}); !strings.Contains(got, "ADV009") {
		t.Errorf("without the comment ADV009 is not found:\n%s", got)
	}
}

// block returns the text of the first block of a language.
func block(t *testing.T, text []byte, language string) string {
	t.Helper()
	found := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(text)
	if found == nil {
		t.Fatalf("the README has no %s block", language)
	}
	return string(found[1])
}

// output runs rlvet and returns what it prints.
func output(t *testing.T, args []string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := cli.Main(args, cli.Env{
		Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		Getenv: func(string) string { return "" }, IsTerminal: func(any) bool { return false },
	})
	if code == 2 || stderr.Len() > 0 {
		t.Errorf("rlvet %s: exit code %d: %s", strings.Join(args, " "), code, stderr.String())
	}
	return stdout.String()
}
