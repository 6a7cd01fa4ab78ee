package hunt

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/rlvet/rlvet/internal/harness/protocol"
)

// added are fields that Go fills in: Python knows nothing of the cells of notebooks, nor of
// where in a line an operation ends.
var added = []string{"cell", "saved_cell", "end_column", "statistics"}

// TestFilesOfInstruments: what Go reads of the files that instruments write is what the protocol
// says that they hold.
func TestFilesOfInstruments(t *testing.T) {
	whole := &jsonschema.Schema{}
	if err := json.Unmarshal(protocol.Schema(), whole); err != nil {
		t.Fatal(err)
	}
	for name, typ := range map[string]reflect.Type{
		"guards": reflect.TypeFor[guarded](), "localise": reflect.TypeFor[localised](),
		"derivatives": reflect.TypeFor[struct {
			Functions []Gradient `json:"functions"`
		}](),
		"inplace": reflect.TypeFor[struct {
			Changed []Changed `json:"changed"`
		}](),
	} {
		s := whole.Defs["file"].Defs[name]
		if s == nil {
			t.Errorf("the protocol knows no file of %s", name)
			continue
		}
		inSchema(t, whole, name, typ, s)
	}
}

// inSchema fails where a type of Go reads what the schema does not have.
func inSchema(t *testing.T, whole *jsonschema.Schema, name string, typ reflect.Type, s *jsonschema.Schema) {
	t.Helper()
	for s.Ref != "" || s.AnyOf != nil && s.AnyOf[0].Type == "null" {
		if s.Ref == "" {
			s = s.AnyOf[1]
			continue
		}
		s = whole.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
	}
	if reflect.PointerTo(typ).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return // Float, Loss and Norm, which have tests of their own
	}
	kinds := append([]string{s.Type}, s.Types...)
	want := map[reflect.Kind]string{reflect.Int: "integer", reflect.Int64: "integer", reflect.Bool: "boolean", reflect.String: "string", reflect.Slice: "array", reflect.Array: "array", reflect.Struct: "object", reflect.Map: "object"}
	switch kind := typ.Kind(); kind {
	case reflect.Pointer:
		inSchema(t, whole, name, typ.Elem(), s)
	case reflect.Slice, reflect.Array:
		if s.Items == nil {
			t.Errorf("%s is no array in the schema", name)
			return
		}
		inSchema(t, whole, name+"[]", typ.Elem(), s.Items)
	case reflect.Struct:
		for _, f := range reflect.VisibleFields(typ) {
			tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if tag == "" || tag == "-" || slices.Contains(added, tag) {
				continue
			}
			if s.Properties[tag] == nil {
				t.Errorf("%s: the schema has no %q", name, tag)
				continue
			}
			inSchema(t, whole, name+"."+tag, f.Type, s.Properties[tag])
		}
	default:
		if s.Enum == nil && !slices.Contains(kinds, want[kind]) {
			t.Errorf("%s is %s in Go, and %v in the schema", name, typ, kinds)
		}
	}
}

// TestFilesThatDoNotFit: what an instrument writes and the protocol does not know is an error of
// one line, not a guess.
func TestFilesThatDoNotFit(t *testing.T) {
	for text, want := range map[string]string{
		`{"lines": [{"file": "a.py", "row": 1, "end_row": 1, "hits": 1}]}`:   "",
		`{"lines": [{"file": "a.py", "row": 1, "end_row": 1, "hits": "1"}]}`: `what hunt.reached wrote is not valid (hits: type: 1 has type "string"`,
		`{"lines": [{"file": "a.py", "row": 1, "end_row": 1}]}`:              "what hunt.reached wrote is not valid (lines: required: ",
		`{"lines": NaN}`: "what hunt.reached wrote is not JSON: ",
		`{"lines": [`:    "what hunt.reached wrote is not JSON: ",
		"":               "what hunt.reached wrote is not JSON: ",
	} {
		var into any
		err := protocol.ReadFile("hunt.reached", []byte(text), &into)
		if (err == nil) != (want == "") || err != nil && (!strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
