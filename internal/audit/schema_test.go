package audit

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	generated "github.com/google/jsonschema-go/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/finding"
)

var update = flag.Bool("update", false, "write the schema of the result anew")

// schemaFile is the schema for those who read the JSON.
const schemaFile = "../../docs/audit.schema.json"

// schemaOf is the schema that Go's types imply.
func schemaOf(t *testing.T) []byte {
	t.Helper()
	s, err := generated.For[Result](nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", "What `rlvet audit --output-format json` prints"
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// TestSchema: the schema is that of the types, and holds of a result with something of
// everything, and of one with nothing.
func TestSchema(t *testing.T) {
	want := schemaOf(t)
	if *update {
		if err := os.WriteFile(schemaFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(schemaFile); err != nil || !bytes.Equal(have, want) {
		t.Errorf("%s is not that of the types (%v); go test ./internal/audit -run TestSchema -update writes it", schemaFile, err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(want))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("audit.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("audit.json")
	if err != nil {
		t.Fatal(err)
	}
	everything := Examine(spoiled(1, 1).run, Options{Rounds: 20})
	Explain(everything, []finding.Finding{{Code: "KL016"}})
	for name, r := range map[string]*Result{"everything": everything, "nothing": Examine(&record.Run{}, Options{})} {
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(encoded(t, r)))
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if schema.Validate(map[string]any{"run": 7}) == nil {
		t.Error("the schema holds of anything")
	}
}

// TestCauses: what the table of causes names there is: rules, or families, and signals.
func TestCauses(t *testing.T) {
	documents, err := filepath.Glob("../../analyzers/*/*/rule.md")
	if err != nil || len(documents) == 0 {
		t.Fatalf("no rules (%v)", err)
	}
	var codes []string
	for _, path := range documents {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		codes = append(codes, regexp.MustCompile(`(?m)^code: (\w+)$`).FindStringSubmatch(string(text))[1])
	}
	for code, signals := range causes {
		family := strings.TrimRight(code, "0123456789")
		if family != code && !slices.Contains(codes, code) {
			t.Errorf("there is no rule %s", code)
		}
		for _, name := range signals {
			if !slices.ContainsFunc(table, func(r row) bool { return r.name == name }) {
				t.Errorf("%s: there is no signal %s", code, name)
			}
		}
	}
}
