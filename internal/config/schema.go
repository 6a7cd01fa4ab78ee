package config

import (
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/rlvet/rlvet/internal/rule"
)

// Schema returns the settings as a JSON schema, draft 7, for editors that complete and
// check TOML: of rlvet.toml, and of the table [tool.rlvet].
func Schema(rules *rule.Registry) map[string]any {
	out := table(reflect.TypeFor[Values](), "")
	out["definitions"] = map[string]any{"rule": selectors(rules)}
	out["$schema"], out["title"] = "http://json-schema.org/draft-07/schema#", "Settings of rlvet"
	return out
}

// table is the schema of settings whose names start with a prefix.
func table(values reflect.Type, prefix string) map[string]any {
	properties := map[string]any{}
	for i := range values.NumField() {
		field := values.Field(i)
		name := field.Tag.Get("toml")
		if field.Type.Kind() == reflect.Struct {
			properties[name] = table(field.Type, name+".")
			continue
		}
		k, _ := KeyNamed(prefix + name)
		properties[name] = k.schema(field.Type)
	}
	return map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
}

// selectors is the schema of what names rules: an editor offers codes, names and families,
// and takes the beginning of a code too.
func selectors(rules *rule.Registry) map[string]any {
	names := []string{"ALL"}
	for _, f := range rule.Families {
		names = append(names, f.Prefix, f.Name)
	}
	for _, e := range rules.Entries() {
		names = append(names, e.Doc.Code, e.Doc.Name)
	}
	return map[string]any{"anyOf": []any{
		map[string]any{"enum": names},
		map[string]any{"type": "string", "pattern": "^[A-Z]+[0-9]+$"},
	}}
}

// schema is that of one setting.
func (k Key) schema(t reflect.Type) map[string]any {
	out := shape(t)
	out["description"] = k.Doc
	var doc map[string]any
	if toml.Unmarshal([]byte("default = "+k.Default), &doc) == nil && k.Default != `""` {
		out["default"] = doc["default"]
	}
	if toml.Unmarshal([]byte(k.Example), &doc) == nil {
		out["examples"] = []any{inside(doc, k.Name)}
	}
	rules := map[string]any{"$ref": "#/definitions/rule"}
	switch k.Type {
	case "a list of rules":
		out["items"] = rules
	case "a table from globs to lists of rules":
		out["additionalProperties"] = map[string]any{"type": "array", "items": rules}
	}
	switch k.Name {
	case "fail-on":
		out["enum"] = Severities
	case "output-format":
		out["enum"] = Formats
	case "audit.metrics":
		out["additionalProperties"] = map[string]any{"type": "string", "pattern": "^ *(" + strings.Join(quantities(), "|") + ") *(:.+)?$"}
	case "target-torch":
		out["pattern"] = strings.ReplaceAll(versionShape.String(), `\d`, "[0-9]")
	}
	return out
}

// inside returns what a dotted key leads to.
func inside(doc map[string]any, key string) any {
	for first, rest, more := strings.Cut(key, "."); more; first, rest, more = strings.Cut(rest, ".") {
		inner, _ := doc[first].(map[string]any)
		doc, key = inner, rest
	}
	return doc[key]
}

// shape is the schema of a Go type of Values.
func shape(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return shape(t.Elem())
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": shape(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": shape(t.Elem())}
	}
	return map[string]any{"type": "string"}
}
