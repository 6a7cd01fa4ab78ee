package config

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/rlvet/rlvet/internal/schematest"
)

// An editor that has the schema accepts what rlvet accepts, and refuses what it refuses.
func TestSchema(t *testing.T) {
	data, err := json.Marshal(Schema(registry(t)))
	if err != nil {
		t.Fatal(err)
	}
	schema := schematest.Compile(t, data) // which checks it against draft 7
	cases := map[string]bool{
		"": true, "select = 'ADV'": false, "slect = ['ADV']": false, "fix = 'yes'": false, "output-format = 'xml'": false,
		"target-torch = 'new'": false, "target-torch = '2.1.0'": true, "per-file-ignores = { 'a.py' = 'ADV' }": false, "ignore = [1]": false, "ignore = ['ADV00', 'kl', 'log-ratio-as-ratio']": true, "ignore = ['std-with-eps']": false,
		"extend-per-file-ignores = { 'a.py' = ['nope'] }": false,
	}
	for _, k := range Keys {
		cases[strings.ReplaceAll(k.Example, "OBJ020", "OBJ001")] = true // a rule that these tests have
	}
	for text, want := range cases {
		layer, _, err := parseLayer("rlvet.toml", ".", false, []byte(text))
		if err == nil {
			err = checkLayer(layer, registry(t))
		}
		if (err == nil) != want {
			t.Errorf("%s: rlvet says %v", text, err)
		}
		if err := schema.Validate(settingsOf(t, text)); (err == nil) != want {
			t.Errorf("%s: the schema says %v", text, err)
		}
	}
	if n := len(Schema(registry(t))["properties"].(map[string]any)); n != len(Keys) {
		t.Errorf("%d settings in the schema, and %d keys", n, len(Keys))
	}
}

// settingsOf returns a TOML text as a reader of JSON sees it.
func settingsOf(t *testing.T, text string) any {
	t.Helper()
	doc := map[string]any{}
	if err := toml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
