package audit

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rlvet/rlvet/internal/audit/record"
	"github.com/rlvet/rlvet/internal/finding"
	"github.com/rlvet/rlvet/internal/schematest"
)

var update = flag.Bool("update", false, "write the schema of the result anew")

// TestSchema: the schema is that of the types, and holds of a result with something of
// everything, and of one with nothing.
func TestSchema(t *testing.T) {
	text := schematest.Of[Result](t, "What `rlvet audit --output-format json` prints", nil)
	schema := schematest.Published(t, "../../docs/audit.schema.json", text, *update)
	everything := Examine(spoiled(1, 1).run, Options{Rounds: 20, Texts: true})
	Explain(everything, []finding.Finding{{Code: "KL016"}})
	schematest.Holds(t, schema, "everything", encoded(t, everything))
	schematest.Holds(t, schema, "nothing", encoded(t, Examine(&record.Run{}, Options{})))
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
