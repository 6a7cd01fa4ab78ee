package rule

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/words"
)

// frontMatter reads the YAML between the two "---" lines at the top.
func (p *parser) frontMatter() (*Meta, error) {
	if text, _ := p.next(); text != "---" {
		return nil, p.errorf(1, `a rule.md starts with front matter: a line "---"`)
	}
	start := p.off
	for {
		end := p.off
		text, ok := p.next()
		if !ok {
			return nil, p.errorf(1, `the front matter is never closed; end it with a line "---"`)
		}
		if text == "---" {
			return p.meta(p.data[start:end])
		}
	}
}

func (p *parser) meta(text []byte) (*Meta, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, p.yamlError(err)
	}
	if len(root.Content) != 1 || root.Content[0].Kind != yaml.MappingNode {
		return nil, p.errorf(2, "front matter must be a list of KEY: VALUE lines")
	}
	m, pairs := &Meta{}, root.Content[0].Content
	seen := map[string]bool{}
	for i := 0; i+1 < len(pairs); i += 2 {
		key, value := pairs[i], pairs[i+1]
		if seen[key.Value] {
			return nil, p.errorf(key.Line+1, "front matter key %q stands twice", key.Value)
		}
		seen[key.Value] = true
		if err := p.field(m, key.Value, value); err != nil {
			return nil, err
		}
	}
	return m, p.complete(m, seen)
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

// yamlError gives the line of the file, not of the front matter.
func (p *parser) yamlError(err error) error {
	msg, line := err.Error(), 1
	if m := yamlLine.FindStringSubmatch(msg); m != nil {
		line, _ = strconv.Atoi(m[1])
		msg = msg[len(m[0]):]
	}
	return p.errorf(line+1, "front matter is not YAML: %s", strings.TrimPrefix(msg, "yaml: "))
}

// metaKeys lists the front matter keys, all of which are required but those of optional.
var (
	metaKeys = []string{"code", "name", "family", "severity", "status", "evidence", "fix", "watches", "about", "claims", "says", "since", "headline", "why", "help", "refs", "judged", "yields"}
	optional = map[string]bool{"watches": true, "about": true, "claims": true, "says": true, "refs": true, "judged": true, "yields": true}
)

// fieldShape says what each textual key accepts.
var fieldShape = map[string]*regexp.Regexp{
	"code":     regexp.MustCompile(`^[A-Z]{2,5}\d{3}$`),
	"name":     regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`),
	"family":   regexp.MustCompile(`^[a-z]+$`),
	"severity": regexp.MustCompile(`^(error|warning|note)$`),
	"status":   regexp.MustCompile(fmt.Sprintf("^(%s|%s)$", Preview, Stable)),
	"evidence": regexp.MustCompile(`^(table|derived|annotated|name)$`),
	"fix":      regexp.MustCompile(`^(safe|unsafe|none)$`),
	"claims":   regexp.MustCompile(`^found$`),
	"says":     regexp.MustCompile(`^missing$`),
	"since":    regexp.MustCompile(`^\d+\.\d+(\.\d+)?$`),
	"headline": regexp.MustCompile(`^.{8,71}[^.]$`),
	"why":      regexp.MustCompile(`^\S.*\S$`),
	"help":     regexp.MustCompile(`^\S.*\S$`),
	"judged":   regexp.MustCompile(`^\d{1,4}/\d{1,4}/\d{1,4}$`),
}

// field stores the value of one key.
func (p *parser) field(m *Meta, key string, value *yaml.Node) error {
	line := value.Line + 1
	if list := map[string]*[]string{"refs": &m.Refs, "watches": &m.Watches, "about": &m.About}[key]; list != nil {
		if err := value.Decode(list); err != nil {
			return p.errorf(line, "%s must be a list of texts", key)
		}
		return nil
	}
	if key == "yields" {
		return p.yields(m, value)
	}
	shape := fieldShape[key]
	if shape == nil {
		return p.errorf(line, "unknown front matter key %q; did you mean %q?", key, words.Nearest(key, metaKeys))
	}
	v := value.Value
	if value.Kind != yaml.ScalarNode || !shape.MatchString(v) {
		return p.errorf(line, "%s: %q does not match %s", key, v, shape)
	}
	switch key {
	case "code":
		m.Code = v
	case "name":
		m.Name = v
	case "family":
		m.Family = v
	case "severity":
		m.Severity = finding.Severity(v)
	case "status":
		m.Status = Status(v)
	case "evidence":
		m.Evidence = finding.Evidence(v)
	case "fix":
		m.Fix = FixLevel(v)
	case "claims":
		m.OnlyFound = true
	case "says":
		m.OfMissing = true
	case "since":
		m.Since = v
	case "headline":
		m.Headline = v
	case "why":
		m.Why = v
	case "help":
		m.Help = v
	case "judged":
		_, err := fmt.Sscanf(v, "%d/%d/%d", &m.Judged.Harmful, &m.Judged.Idle, &m.Judged.Wrong)
		return err
	}
	return nil
}

// yields stores to which rules the page's own yields.
func (p *parser) yields(m *Meta, value *yaml.Node) error {
	var list []string
	if err := value.Decode(&list); err != nil {
		return p.errorf(value.Line+1, "yields must be a list of texts")
	}
	for _, text := range list {
		y, ok := parseYield(text)
		if !ok {
			return p.errorf(value.Line+1, "yields: %q does not match %s", text, yieldShape)
		}
		m.Yields = append(m.Yields, y)
	}
	return nil
}

// complete checks that every required key was given and that code and family
// belong together.
func (p *parser) complete(m *Meta, seen map[string]bool) error {
	for _, key := range metaKeys {
		if !seen[key] && !optional[key] {
			return p.errorf(1, "front matter key %q is missing", key)
		}
	}
	f := familyNamed(m.Family)
	if f == nil {
		return p.errorf(1, "unknown family %q; did you mean %q?", m.Family, words.Nearest(m.Family, familyNames()))
	}
	if strings.TrimRight(m.Code, "0123456789") != f.Prefix {
		return p.errorf(1, "code %s does not belong to family %s, whose codes start with %s", m.Code, f.Name, f.Prefix)
	}
	return nil
}

func familyNames() []string {
	var out []string
	for _, f := range Families {
		out = append(out, f.Name)
	}
	return out
}
