package hunt

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	generated "github.com/google/jsonschema-go/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "write the schema of the result anew")

// schemaFile is the schema for those who read the JSON.
const schemaFile = "../../docs/hunt.schema.json"

// schemaOf is the schema that Go's types imply.
func schemaOf(t *testing.T) []byte {
	t.Helper()
	number := &generated.Schema{Types: []string{"number", "string"}, Pattern: "^(nan|-?inf)$"}
	list := func(n int) *generated.Schema {
		return &generated.Schema{Type: "array", MinItems: &n, MaxItems: &n, Items: number}
	}
	s, err := generated.For[Result](&generated.ForOptions{TypeSchemas: map[reflect.Type]*generated.Schema{
		reflect.TypeFor[Float](): number, reflect.TypeFor[Loss](): list(3), reflect.TypeFor[Norm](): list(2),
	}})
	if err != nil {
		t.Fatal(err)
	}
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", "What `rlvet hunt --output-format json` prints"
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
		t.Errorf("%s is not that of the types (%v); go test ./internal/hunt -run TestSchema -update writes it", schemaFile, err)
	}
	schema := compiled(t, want)
	for name, r := range map[string]*Result{"everything": everything(), "nothing": newResult(&Job{})} {
		var b bytes.Buffer
		if err := WriteJSON(&b, r); err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(&b)
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if schema.Validate(map[string]any{"script": 7}) == nil {
		t.Error("the schema holds of anything")
	}
}

func compiled(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("hunt.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("hunt.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
