// Package protocol is what rlvet and the Python side of a run tell each other.
//
// Purpose: one definition. protocol.json, a JSON Schema, names the version, every event that
// Python sends and the request that Go writes, with types, units and what is required. Every
// event is held to it when it is read, and tests hold the types of this package and the Python
// code to it.
//
// Input: the pipe of a run. Output: typed events, by [Read]. An event says what was counted
// and seen; what that means is decided by package harness.
//
// Limits: the reader trusts nothing. The first line that is not of the protocol ends the
// reading, and is said as a [Fault].
package protocol

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// Version is the protocol's. It is raised with every change that the other side would not
// understand.
const Version = 1

//go:embed protocol.json
var schemaText []byte

// Schema returns the definition: a JSON Schema, draft 2020-12.
//
//unused:keep tests of both sides hold their types to it
func Schema() []byte { return slices.Clone(schemaText) }

// definitions are the schemas by name: those of the events, "request", what goes to the server
// of forks and comes from it, and those of files as "file guards".
var definitions = sync.OnceValue(func() map[string]*jsonschema.Resolved {
	whole := wholeSchema()
	out := map[string]*jsonschema.Resolved{}
	for _, name := range []string{"request", "fork_request", "server_message"} {
		out[name] = resolved(whole, name)
	}
	for name := range whole.Defs["event"].Defs {
		out[name] = resolved(whole, "event/$defs/"+name)
	}
	for name := range whole.Defs["file"].Defs {
		out["file "+name] = resolved(whole, "file/$defs/"+name)
	}
	return out
})

func wholeSchema() *jsonschema.Schema {
	s := &jsonschema.Schema{}
	if err := json.Unmarshal(schemaText, s); err != nil {
		panic(err) // the file is embedded: a mistake in the program, which every test meets
	}
	return s
}

func resolved(whole *jsonschema.Schema, name string) *jsonschema.Resolved {
	r, err := (&jsonschema.Schema{Ref: "#/$defs/" + name, Defs: whole.Defs}).Resolve(nil)
	if err != nil {
		panic(err) // as above
	}
	return r
}

// Names are the names of the events, sorted.
//
//unused:keep tests of both sides go through all events
func Names() []string { return slices.Sorted(maps.Keys(newEvent)) }

// ReadMessage reads what the server of forks answers into a value of Go.
func ReadMessage(text []byte, into any) error {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	if err := validate("server_message", value); err != nil {
		return fmt.Errorf("no message of the server (%s)", brief(err))
	}
	return json.Unmarshal(text, into)
}

// ReadFile reads what an instrument wrote at the end of a run into a value of Go; name is the
// instrument's, such as hunt.guards.
func ReadFile(name string, text []byte, into any) error {
	_, file, _ := strings.Cut(name, ".")
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return fmt.Errorf("what %s wrote is not JSON: %v", name, err)
	}
	if err := validate("file "+file, value); err != nil {
		return fmt.Errorf("what %s wrote is not valid (%s)", name, brief(err))
	}
	return json.Unmarshal(text, into)
}

// validate holds a value of JSON to one of the definitions.
func validate(name string, value any) error {
	s, known := definitions()[name]
	if !known {
		return fmt.Errorf("the protocol defines no %s", name)
	}
	return s.Validate(value)
}
