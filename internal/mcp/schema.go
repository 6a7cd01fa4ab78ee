package mcp

import (
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemaOf is the schema of a tool's arguments, with one type for each. The schema
// that Go's types give lets lists be null, and so gives them two; some agents' own
// readers of schemas do not understand that, and send a list as a string.
func schemaOf[In any]() *jsonschema.Schema {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(fmt.Sprintf("the arguments of a tool have no schema: %v", err)) // a mistake that every test finds
	}
	for _, property := range schema.Properties {
		if i := slices.Index(property.Types, "null"); i >= 0 && len(property.Types) == 2 {
			property.Type, property.Types = property.Types[1-i], nil
		}
	}
	return schema
}
