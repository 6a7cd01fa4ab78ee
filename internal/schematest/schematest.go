// Package schematest holds the JSON that a command prints to its published schema.
//
// In goes a Go type and the file of its schema, out comes the compiled schema; a file that is
// not what the type implies fails the test, or is written anew if that is asked.
// Source: JSON Schema, draft 2020-12.
// Limits: a schema stands by itself; it refers to no other.
package schematest

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	generated "github.com/google/jsonschema-go/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// draft is the dialect of JSON Schema that is written.
const draft = "https://json-schema.org/draft/2020-12/schema"

// Of returns the schema that type T implies, with a title; types may say their schemas themselves.
func Of[T any](t *testing.T, title string, types map[reflect.Type]*generated.Schema) []byte {
	t.Helper()
	s, err := generated.For[T](&generated.ForOptions{TypeSchemas: types})
	if err != nil {
		t.Fatal(err)
	}
	s.Schema, s.Title = draft, title
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// Published compiles a schema and fails where the file does not hold just that; with update it
// is written first.
func Published(t *testing.T, file string, schema []byte, update bool) *jsonschema.Schema {
	t.Helper()
	if update {
		if err := os.WriteFile(file, schema, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(file); err != nil || !bytes.Equal(have, schema) {
		t.Errorf("%s is not that of the types (%v); go test -run TestSchema -update writes it", file, err)
	}
	return Compile(t, schema)
}

// Compile checks that a text is a schema, and compiles it.
func Compile(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// Holds fails where a text is not JSON that the schema allows; name says which text it is.
func Holds(t *testing.T, schema *jsonschema.Schema, name string, text []byte) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
}
