package hunt

import (
	"bytes"
	"flag"
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/rlvet/rlvet/internal/schematest"
)

var update = flag.Bool("update", false, "write the schema of the result anew")

// schemaOf is the schema that Go's types imply, with numbers that JSON lacks as strings.
func schemaOf(t *testing.T) []byte {
	t.Helper()
	number := &jsonschema.Schema{Types: []string{"number", "string"}, Pattern: "^(nan|-?inf)$"}
	list := func(n int) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "array", MinItems: &n, MaxItems: &n, Items: number}
	}
	return schematest.Of[Result](t, "What `rlvet hunt --output-format json` prints", map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[Float](): number, reflect.TypeFor[Loss](): list(3), reflect.TypeFor[Norm](): list(2),
	})
}

// TestSchema: the schema is that of the types, and holds of a result with something of
// everything, and of one with nothing.
func TestSchema(t *testing.T) {
	schema := schematest.Published(t, "../../docs/hunt.schema.json", schemaOf(t), *update)
	for name, r := range map[string]*Result{"everything": everything(), "nothing": newResult(&Job{})} {
		var b bytes.Buffer
		if err := WriteJSON(&b, r); err != nil {
			t.Fatal(err)
		}
		schematest.Holds(t, schema, name, b.Bytes())
	}
	if schema.Validate(map[string]any{"script": 7}) == nil {
		t.Error("the schema holds of anything")
	}
}
