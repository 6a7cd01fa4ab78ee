// Command licenses writes THIRD_PARTY_LICENSES: the notices of all that a program of a release
// holds, which archives and packages carry. With -check it only says whether the file is current.
//
// Which Go modules those are the go command says, for every platform of a release; their notices
// are files of the modules. What came in as C says nothing to the go command, and its notices
// are in the folder notices, each with its name in the first line.
package main

import (
	"bytes"
	"embed"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	file   = "THIRD_PARTY_LICENSES"
	update = "go run ./internal/tools/licenses writes it anew"
)

var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}

//go:embed notices/*.txt
var notices embed.FS

func main() {
	check := flag.Bool("check", false, "write nothing; exit with 1 where the file is not current")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	parts, err := foreign()
	if err != nil {
		return err
	}
	folders, err := modules()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		text, err := noticesIn(folders[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		parts = append(parts, part{name, text})
	}
	text := join(parts)
	old, err := os.ReadFile(file)
	switch {
	case err == nil && bytes.Equal(old, text):
		return nil
	case check:
		return fmt.Errorf("%s is not what the programs hold: %s", file, update)
	}
	return os.WriteFile(file, text, 0o644)
}

// part is what stands in the program, and what its authors want to be said of it.
type part struct{ name, text string }

// join writes each notice once, below the names of all to which it applies.
func join(parts []part) []byte {
	var b bytes.Buffer
	b.WriteString("The programs of rlvet hold the work of others, whose notices follow. The source of a Go module is\nwhere its name leads.\n")
	for i, p := range parts {
		if slices.ContainsFunc(parts[:i], func(before part) bool { return before.text == p.text }) {
			continue
		}
		b.WriteString("\n" + strings.Repeat("=", 80) + "\n")
		for _, same := range parts[i:] {
			if same.text == p.text {
				b.WriteString(same.name + "\n")
			}
		}
		b.WriteString(strings.Repeat("-", 80) + "\n\n" + p.text)
	}
	return b.Bytes()
}

// foreign are the parts that are no Go modules.
func foreign() (parts []part, err error) {
	list, err := notices.ReadDir("notices")
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		text, err := notices.ReadFile("notices/" + f.Name())
		if err != nil {
			return nil, err
		}
		name, notice, _ := strings.Cut(string(text), "\n\n")
		parts = append(parts, part{name, clean(notice)})
	}
	return parts, nil
}

// modules are the modules of which packages are linked, Go itself among them, by where they are.
func modules() (map[string]string, error) {
	root, err := output("go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	folders := map[string]string{"Go": strings.TrimSpace(root)}
	for _, platform := range platforms {
		system, machine, _ := strings.Cut(platform, "/")
		list, err := output("env", "GOOS="+system, "GOARCH="+machine, "CGO_ENABLED=1",
			"go", "list", "-deps", "-f", "{{with .Module}}{{if .Version}}{{.Path}}\t{{.Dir}}{{end}}{{end}}", "./cmd/rlvet")
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(list) {
			if path, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				folders[path] = dir
			}
		}
	}
	return folders, nil
}

func output(command ...string) (string, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w", strings.Join(command, " "), err)
	}
	return string(out), err
}

var noticeName = regexp.MustCompile(`(?i)^((un)?licen[cs]e|copying|notice|patents)`)

// noticesIn are the notices of a module, which lie at its top.
func noticesIn(dir string) (string, error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, f := range list {
		if !f.Type().IsRegular() || !noticeName.MatchString(f.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return "", err
		}
		texts = append(texts, clean(string(text)))
	}
	if len(texts) == 0 {
		return "", errors.New("it has no license")
	}
	return strings.Join(texts, "\n"), nil
}

// clean takes away what differs between systems and says nothing.
func clean(text string) string {
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\f")
	}
	return strings.Join(lines, "\n") + "\n"
}
