package protocol

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// TestVersion: the schema, Go and Python name the same version.
func TestVersion(t *testing.T) {
	whole := wholeSchema()
	for name, s := range map[string]*jsonschema.Schema{"hello": whole.Defs["event"].Defs["hello"], "request": whole.Defs["request"]} {
		if got := s.Properties["protocol"].Const; got == nil || (*got) != float64(Version) {
			t.Errorf("%s is of version %v in the schema, and of version %d in Go", name, *got, Version)
		}
	}
	python, err := os.ReadFile("../py/rlvet_harness/events.py")
	if err != nil {
		t.Fatal(err)
	}
	if m := regexp.MustCompile(`(?m)^VERSION = (\d+)`).FindSubmatch(python); m == nil || string(m[1]) != strconv.Itoa(Version) {
		t.Errorf("Python says %q, Go %d", m, Version)
	}
}

// TestTypes: each event of the schema has a Go type with the same fields of the same types, and
// each Go type is in the schema; so it is with the request.
func TestTypes(t *testing.T) {
	whole := wholeSchema()
	events := whole.Defs["event"].Defs
	for name, s := range events {
		if newEvent[name] == nil {
			t.Errorf("Go knows no event %q", name)
			continue
		}
		if c := s.Properties["event"].Const; c == nil || *c != name {
			t.Errorf("%s: its field event is %v", name, c)
		}
		sameFields(t, whole, name, reflect.TypeOf(newEvent[name]()).Elem(), s, "event")
	}
	for _, name := range Names() {
		if events[name] == nil {
			t.Errorf("the schema knows no event %q", name)
		}
	}
	sameFields(t, whole, "request", reflect.TypeFor[Request](), whole.Defs["request"])
}

// sameFields compares a struct with the schema of an object, both ways, but for the fields given.
func sameFields(t *testing.T, whole *jsonschema.Schema, name string, typ reflect.Type, s *jsonschema.Schema, but ...string) {
	t.Helper()
	if s.AdditionalProperties == nil {
		t.Errorf("%s: the schema allows fields that it does not name", name)
	}
	inGo := map[string]bool{}
	for _, f := range reflect.VisibleFields(typ) {
		if f.Anonymous {
			continue
		}
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		inGo[tag] = true
		p := s.Properties[tag]
		if p == nil {
			t.Errorf("%s: the schema has no %q", name, tag)
			continue
		}
		if optional := options == "omitempty"; optional == slices.Contains(s.Required, tag) {
			t.Errorf("%s.%s: optional in Go is %v, which the schema does not say", name, tag, optional)
		}
		sameType(t, whole, name+"."+tag, f.Type, p)
	}
	for property := range s.Properties {
		if !inGo[property] && !slices.Contains(but, property) {
			t.Errorf("%s: Go has no %q", name, property)
		}
	}
}

// sameType compares a field's type with its schema.
func sameType(t *testing.T, whole *jsonschema.Schema, name string, typ reflect.Type, s *jsonschema.Schema) {
	t.Helper()
	for s.Ref != "" {
		s = whole.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
	}
	nullable := slices.Contains(s.Types, "null")
	if len(s.AnyOf) == 2 { // null, or an object
		nullable, s = true, s.AnyOf[1]
		for s.Ref != "" {
			s = whole.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
		}
	}
	if typ.Kind() == reflect.Pointer {
		if typ = typ.Elem(); !nullable {
			t.Errorf("%s can be nil in Go, and is never null in the schema", name)
		}
		nullable = false
	}
	want := map[reflect.Kind]string{
		reflect.Int: "integer", reflect.Int64: "integer", reflect.Float64: "number", reflect.String: "string", reflect.Bool: "boolean", reflect.Slice: "array",
		reflect.Struct: "object", reflect.Map: "object",
	}[typ.Kind()]
	if typ == reflect.TypeFor[json.RawMessage]() {
		want = "object"
	}
	got := s.Type
	for _, other := range s.Types {
		if other != "null" {
			got = other
		}
	}
	switch {
	case s.Enum != nil:
		got = "string"
	case s.Const != nil:
		got = "integer"
	}
	if got != want {
		t.Errorf("%s is %s in Go, and %q in the schema", name, typ, got)
	}
	if nullable && typ.Kind() != reflect.Map {
		t.Errorf("%s can be null, which %s cannot hold", name, typ)
	}
	switch {
	case typ.Kind() == reflect.Slice && want == "array":
		sameType(t, whole, name+"[]", typ.Elem(), s.Items)
	case typ.Kind() == reflect.Struct:
		sameFields(t, whole, name, typ, s)
	}
}

// TestUnits: every number of the protocol has a unit, and everything is described.
func TestUnits(t *testing.T) {
	var whole any
	if err := json.Unmarshal(Schema(), &whole); err != nil {
		t.Fatal(err)
	}
	seen := 0
	var walk func(path string, v any)
	walk = func(path string, v any) {
		m, ok := v.(map[string]any)
		if !ok {
			return
		}
		if kind, _ := m["type"].(string); kind == "integer" || kind == "number" {
			if seen++; m["unit"] == nil {
				t.Errorf("%s has no unit", path)
			}
		}
		properties, _ := m["properties"].(map[string]any)
		for name, p := range properties {
			p := p.(map[string]any)
			if p["description"] == nil && p["$ref"] == nil && name != "event" {
				t.Errorf("%s.%s is not described", path, name)
			}
		}
		for key, child := range m {
			walk(path+"/"+key, child)
		}
	}
	walk("", whole)
	if seen < 20 {
		t.Errorf("only %d numbers were looked at", seen)
	}
}

// TestRequest: what Go writes is valid, and of the version.
func TestRequest(t *testing.T) {
	full := Request{
		Root: "/p", Script: "/p/train.py", Argv: []string{"--lr", "1"}, Seed: 3, MaxHits: 10, Kept: "/k",
		Targets: []TargetRequest{
			{ID: 0, Code: "ADV009", File: "/p/train.py", Start: 3, End: 9, Row: 1, EndRow: 1, Text: "x.std()", Wider: &Span{1, 2, "x"}, Probe: "/q"},
			{ID: 1, Code: "ADV019", File: "/p/train.py", Start: 3, End: 9, Row: 1, EndRow: 1, Text: "x.std()", Probe: "/q"},
		},
		Instruments: []Instrument{{Name: "hunt.guards"}, {Name: "hunt.localise", Settings: map[string]any{"from": 1}}},
	}
	for _, r := range []Request{full, {Module: "a.b", Argv: []string{}, Targets: []TargetRequest{}, Instruments: []Instrument{}}} {
		text, err := r.Text()
		if err != nil {
			t.Fatal(err)
		}
		var value map[string]any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		if err := validate("request", value); err != nil {
			t.Errorf("%v: %s", err, text)
		}
		value["more"] = 1
		if validate("request", value) == nil {
			t.Error("a field that the schema does not name is accepted")
		}
	}
}
