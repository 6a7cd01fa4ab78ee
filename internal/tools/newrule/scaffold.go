package main

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/rlvet/rlvet/internal/rule"
)

//go:embed template
var templates embed.FS

// fields fill the templates.
type fields struct {
	Code, Name, Family string
	Package            string // the name without its hyphens
	Words              string // the name with spaces
	Class              string // of the probe
}

var (
	codeShape = regexp.MustCompile(`^[A-Z]{2,5}[0-9]{3}$`)
	nameShape = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
)

// scaffold writes the folder of a new rule below root and returns its path,
// slash separated and relative to root.
func scaffold(root, code, name string) (string, error) {
	family, err := familyOf(code)
	if err != nil {
		return "", err
	}
	if !nameShape.MatchString(name) {
		return "", fmt.Errorf("name %q is not lower-case words with hyphens; name the mistake, as std-without-eps does", name)
	}
	if err := unused(root, code); err != nil {
		return "", err
	}
	f := fields{code, name, family, strings.ReplaceAll(name, "-", ""), strings.ReplaceAll(name, "-", " "), class(name)}
	dir := "analyzers/" + f.Family + "/" + f.Package
	path := filepath.Join(root, filepath.FromSlash(dir))
	if _, err := os.Stat(path); err == nil {
		return "", fmt.Errorf("%s exists already", dir)
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return "", err
	}
	for source, target := range map[string]string{"rule.md": "rule.md", "rule.go": f.Package + ".go", "probe.py": "probe.py"} {
		text, err := fill(source, f)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(path, target), text, 0o644); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// class returns a rule's name as Python names classes.
func class(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "-") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// familyOf returns the family that a code's prefix belongs to.
func familyOf(code string) (string, error) {
	if !codeShape.MatchString(code) {
		return "", fmt.Errorf("code %q is not a prefix of capitals and three digits, as ADV021", code)
	}
	prefix := strings.TrimRight(code, "0123456789")
	var prefixes []string
	for _, f := range rule.Families {
		if f.Prefix == prefix {
			return f.Name, nil
		}
		prefixes = append(prefixes, f.Prefix)
	}
	return "", fmt.Errorf("no family has the prefix %s; the prefixes are %s", prefix, strings.Join(prefixes, ", "))
}

// unused fails where a rule has the code already.
func unused(root, code string) error {
	files, err := filepath.Glob(filepath.Join(root, "analyzers", "*", "*", "rule.md"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if bytes.Contains(text, []byte("\ncode: "+code+"\n")) {
			return fmt.Errorf("%s is the code of %s; codes are never used twice", code, filepath.ToSlash(file))
		}
	}
	return nil
}

// fill returns one of the templates with its fields filled in.
func fill(source string, f fields) ([]byte, error) {
	text, err := templates.ReadFile("template/" + source + ".tmpl")
	if err != nil {
		return nil, err
	}
	t, err := template.New(source).Parse(string(text))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, f)
	return b.Bytes(), err
}
