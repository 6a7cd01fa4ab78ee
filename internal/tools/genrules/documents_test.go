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

// elided is a line that stands for others.
var elided = regexp.MustCompile(`(?m)^\\\.\\\.\\\.$\n`)

// What the pages for beginners show of check is what it prints of their examples, but for what
// they leave out.
func TestStartShowsTheTruth(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"notebook", "trainer", "llm"} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, "docs/start", name+".md"))
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(filepath.Join(root, "docs/start/examples", name))
			shown := 0
			for _, m := range session.FindAllStringSubmatch(string(text), -1) {
				if !strings.HasPrefix(m[2], "check ") {
					continue
				}
				shown++
				want := elided.ReplaceAllString(regexp.QuoteMeta(m[3]), "(?s:.*)")
				if got := output(t, strings.Fields(m[2])); !regexp.MustCompile("^" + want + "$").MatchString(got) {
					t.Errorf("rlvet %s prints:\n%s\nand the page shows:\n%s", m[2], got, m[3])
				}
			}
			if shown == 0 {
				t.Error("the page shows no session of rlvet check")
			}
		})
	}
}

// The settings that documents show are understood, and the suppressions hide a
// finding that is there without them.
func TestSettingsAndSuppressionsShown(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []struct{ settings, program string }{{readmeFile, readmeFile}, {"docs/settings.md", "docs/suppressing.md"}} {
		t.Run(shown.settings, func(t *testing.T) {
			settings, program := block(t, root, shown.settings, "toml"), block(t, root, shown.program, "python")
			t.Chdir(t.TempDir())
			write(t, ".", "pyproject.toml", settings)
			write(t, ".", "empty.py", "") // for the baseline that settings may name
			output(t, []string{"check", "--quiet", "--isolated", "--write-baseline", "known.json", "empty.py"})
			write(t, ".", "suppressed.py", program)
			if got := output(t, []string{"check", "suppressed.py"}); !strings.HasPrefix(got, "All checks passed!\n") {
				t.Errorf("with the comment:\n%s", got)
			}
			write(t, ".", "open.py", regexp.MustCompile(`  # rlvet:.*`).ReplaceAllString(program, ""))
			if got := output(t, []string{"check", "open.py"}); !strings.Contains(got, "ADV009") {
				t.Errorf("without the comment ADV009 is not found:\n%s", got)
			}
		})
	}
}

// link is a link or a picture of Markdown, and its target without an anchor.
var link = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)

// fenced is a block of code.
var fenced = regexp.MustCompile("(?ms)^```.*?^```")

// Every link of a document into the repository leads to a file that is there.
func TestLinks(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	var documents []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, found...)
	}
	links := 0
	for _, document := range documents {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllSubmatch(fenced.ReplaceAll(text, nil), -1) {
			target := string(m[1])
			if strings.Contains(target, "://") {
				continue
			}
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(document), filepath.FromSlash(target))); err != nil {
				t.Errorf("%s: a link to %s, which is not there", document, target)
			}
		}
	}
	if links < 50 {
		t.Errorf("%d links in %d documents: the pattern finds too few", links, len(documents))
	}
}

// A page of the site is called by what it says, not by its file, and its headings skip no level.
func TestPages(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	file := regexp.MustCompile(`\[[\w./-]+\.md\]\(`)
	heading := regexp.MustCompile(`(?m)^(#+) (.*)$`)
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		documents, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(documents) == 0 {
			t.Fatalf("%s: no documents, %v", pattern, err)
		}
		for _, document := range documents {
			text, err := os.ReadFile(document)
			if err != nil {
				t.Fatal(err)
			}
			text = fenced.ReplaceAll(text, nil)
			for _, m := range file.FindAll(text, -1) {
				t.Errorf("%s: a link reads %s", document, m)
			}
			level := 0
			for _, m := range heading.FindAllSubmatch(text, -1) {
				if next := len(m[1]); next > level+1 {
					t.Errorf("%s: %q is a heading of level %d below one of level %d", document, m[2], next, level)
				}
				level = len(m[1])
			}
		}
	}
}

// maxReadme is the longest README, in lines: what a newcomer reads before the first run.
const maxReadme = 200

func TestReadmeIsShort(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, readmeFile))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte("\n")); n > maxReadme {
		t.Errorf("the README has %d lines, more than %d: what is about one command belongs into docs", n, maxReadme)
	}
}

// block returns the text of the first block of a language in a document.
func block(t *testing.T, root, document, language string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, document))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(text)
	if found == nil {
		t.Fatalf("%s has no %s block", document, language)
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
