package lsp

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"regexp"

	"github.com/pelletier/go-toml/v2"
	"github.com/rlvet/rlvet/internal/lsp/protocol"

	"github.com/rlvet/rlvet/internal/config"
)

// clientSettings are the settings that come from the client: those of rlvet.toml by
// the same names, which win over files, and a few of the editor's own.
type clientSettings struct {
	layer      *config.Layer
	inlayHints bool
	noLenses   bool
	python     string // the interpreter that runs scripts, "" to look for one
}

// configure reads settings as the client sends them: the object itself, or one that
// has it under "settings" or "rlvet". A mistake is said, and the settings that held
// before stay.
func (s *server) configure(raw json.RawMessage) {
	values := unwrapped(raw)
	if values == nil {
		return
	}
	settings, err := readSettings(values)
	if err != nil {
		s.tell(protocol.MessageError, "%v", err)
		return
	}
	if s.client.refreshHints && settings.inlayHints != s.settings.inlayHints {
		go s.ask("workspace/inlayHint/refresh", nil)
	}
	if s.client.refreshLenses && settings.noLenses != s.settings.noLenses {
		go s.ask("workspace/codeLens/refresh", nil)
	}
	s.settings, s.resolver = settings, nil
}

// unwrapped returns the object that holds the settings, nil where there is none.
func unwrapped(raw json.RawMessage) map[string]any {
	var values map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&values) != nil {
		return nil
	}
	for _, key := range []string{"settings", "rlvet"} {
		if inner, ok := values[key].(map[string]any); ok {
			values = inner
		}
	}
	return values
}

// readSettings separates the editor's own settings from rlvet's.
func readSettings(values map[string]any) (clientSettings, error) {
	values = maps.Clone(values)
	var out clientSettings
	out.inlayHints, _ = values["inlayHints"].(bool)
	if lenses, given := values["codeLens"].(bool); given {
		out.noLenses = !lenses
	}
	out.python, _ = values["python"].(string)
	for _, key := range []string{"inlayHints", "codeLens", "python", "trace", "path", "enable"} { // the rest is of extensions
		delete(values, key)
	}
	maps.DeleteFunc(values, func(_ string, v any) bool { return v == nil })
	text, err := toml.Marshal(values)
	if err != nil {
		return out, err
	}
	if out.layer, err = config.ParseSettings("the editor's settings", text); err != nil {
		return out, errors.New(lineOfOurs.ReplaceAllString(err.Error(), "$1"))
	}
	return out, nil
}

// lineOfOurs is a line of a text that the user never saw.
var lineOfOurs = regexp.MustCompile(`^(the editor's settings):\d+`)

// hints is what the editor shows unless somebody says otherwise: findings that
// rest on names alone, which the command line hides.
func hints() *config.Layer {
	layer, _ := config.ParseSettings("the editor", []byte("show-hints = true"))
	return layer
}

// settingsResolver returns the resolver of settings, made anew after a change.
func (s *server) settingsResolver() *config.Resolver {
	if s.resolver == nil {
		s.resolver = s.newResolver()
		s.looks++
	}
	return s.resolver
}

// newResolver returns a resolver of the settings of the disk and of the editor.
func (s *server) newResolver() *config.Resolver {
	r := &config.Resolver{Rules: s.Rules, Version: s.Version, User: s.User, Inline: []*config.Layer{hints()}}
	if s.settings.layer != nil {
		r.Inline = append(r.Inline, s.settings.layer)
	}
	return r
}
