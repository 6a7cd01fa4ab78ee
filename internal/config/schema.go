package config

import (
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// Schema returns the settings as a JSON schema, draft 7, for editors that complete and
// check TOML: of rlvet.toml, and of the table [tool.rlvet].
func Schema() map[string]any {
	properties := map[string]any{}
	values := reflect.TypeFor[Values]()
	for i := range values.NumField() {
		field := values.Field(i)
		k, _ := KeyNamed(field.Tag.Get("toml"))
		properties[k.Name] = k.schema(field.Type)
	}
	return map[string]any{
		"$schema": "http://json-schema.org/draft-07/schema#", "title": "Settings of rlvet",
		"type": "object", "properties": properties, "additionalProperties": false,
	}
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
		out["examples"] = []any{doc[k.Name]}
	}
	switch k.Name {
	case "output-format":
		out["enum"] = Formats
	case "target-torch":
		out["pattern"] = strings.ReplaceAll(versionShape.String(), `\d`, "[0-9]")
	}
	return out
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
