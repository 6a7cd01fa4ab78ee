// Package schematest holds the JSON that a command prints to its published schema.
//
// In goes a Go type and the file of its schema, out comes the compiled schema; a file that is
// not what the type implies fails the test, or is written anew if that is asked.
// Source: JSON Schema, draft 2020-12; SARIF's own schema is that of OASIS (2.1.0, errata 01)
// without its descriptions.
// Limits: a schema stands by itself; it refers to no other.
package schematest

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// draft is the dialect of JSON Schema that is written.
const draft = "https://json-schema.org/draft/2020-12/schema"

// Of returns the schema that type T implies, with a title; types may say their schemas themselves.
func Of[T any](t *testing.T, title string, types map[reflect.Type]*jsonschema.Schema) []byte {
	t.Helper()
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: types})
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
func Published(t *testing.T, file string, schema []byte, update bool) *jsonschema.Resolved {
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

// Compile checks that a text is a schema, with its defaults, and compiles it.
func Compile(t *testing.T, text []byte) *jsonschema.Resolved {
	t.Helper()
	return compile(t, text, true)
}

func compile(t *testing.T, text []byte, defaults bool) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	schema, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: defaults})
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

//go:embed sarif-2.1.0.json
var sarifSchema []byte

// SARIF is the schema of SARIF 2.1.0. It is written in draft 4; what it uses of that means
// the same in draft 7, but for the name of its own identifier.
func SARIF(t *testing.T) *jsonschema.Resolved {
	t.Helper()
	text := bytes.Replace(sarifSchema, []byte("draft-04/schema#"), []byte("draft-07/schema#"), 1)
	return compile(t, bytes.Replace(text, []byte(`"id":"https:`), []byte(`"$id":"https:`), 1), false) // one of its defaults is not of its type
}

// Holds fails where a text is not JSON that the schema allows; name says which text it is.
func Holds(t *testing.T, schema *jsonschema.Resolved, name string, text []byte) {
	t.Helper()
	var value any
	err := json.Unmarshal(text, &value)
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
}
