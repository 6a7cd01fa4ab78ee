package cli

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rlvet/rlvet/internal/config"
	"github.com/rlvet/rlvet/internal/paths"
	"github.com/rlvet/rlvet/internal/rule"
	"github.com/rlvet/rlvet/internal/source"
	"github.com/rlvet/rlvet/internal/words"
)

func (a *app) configCommand() *cobra.Command {
	flags := &settingsFlags{}
	var path string
	var schema bool
	cmd := &cobra.Command{
		Use: "config [KEY]", Short: "Show the settings in effect, or explain one",
		Example:   "  rlvet config\n  rlvet config select\n  rlvet config --for src/train.py",
		ValidArgs: config.KeyNames(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if schema {
				return a.printJSON(config.Schema(a.rules))
			}
			r, err := flags.resolver(a, cmd)
			if err != nil {
				return err
			}
			info, err := os.Stat(path)
			if err != nil {
				return fmt.Errorf("--for: %s: %w", path, source.Cause(err))
			}
			s, err := r.For(path)
			if err != nil {
				return err
			}
			switch format := cmd.Flags().Lookup("output-format"); {
			case !format.Changed:
			case format.Value.String() == "json":
				return a.printSettings(s, args)
			case format.Value.String() != "full":
				return fmt.Errorf("--output-format %s: settings are shown as full or json", format.Value)
			}
			switch len(args) {
			case 0:
				if info.IsDir() {
					return a.showBelow(s)
				}
				return a.showSettings(s, path, s.EnabledFor(path))
			case 1:
				return a.explainKey(s, args[0])
			}
			return fmt.Errorf("`rlvet config` explains one setting at a time")
		},
	}
	flags.register(cmd.Flags())
	cmd.Flags().Lookup("output-format").Usage = "show the settings as `FORMAT`: full, json"
	cmd.Flags().BoolVar(&schema, "schema", false, "print a JSON schema of the settings, for editors")
	cmd.Flags().StringVar(&path, "for", ".", "show the settings for the file or folder at this `PATH`")
	return cmd
}

// showAllSettings prints the settings of all inputs, each once.
func (s *session) showAllSettings() error {
	shown := map[*config.Settings]bool{}
	for _, in := range s.files.Inputs {
		if shown[in.Settings] {
			continue
		}
		if len(shown) > 0 {
			fmt.Fprintln(s.Stdout)
		}
		shown[in.Settings] = true
		if err := s.showBelow(in.Settings); err != nil {
			return err
		}
	}
	if len(shown) == 0 {
		return s.showBelow(s.settings)
	}
	return nil
}

// showBelow shows the settings of a folder.
func (a *app) showBelow(s *config.Settings) error {
	return a.showSettings(s, "files below "+paths.From(".", s.Root), s.Enabled)
}

// showSettings prints all settings as TOML, each with where it comes from, and the rules that
// are on.
func (a *app) showSettings(s *config.Settings, whose string, enabled rule.Set) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Settings for %s\n", whose)
	lines := make([][2]string, 0, len(config.Keys))
	width := 0
	for _, k := range config.Keys {
		line := [2]string{k.Name + " = " + s.Value(k.Name), s.Origin(k.Name)}
		lines = append(lines, line)
		if len(line[0]) <= 60 {
			width = max(width, len(line[0]))
		}
	}
	for _, l := range lines {
		fmt.Fprintf(&b, "%-*s  # %s\n", width, l[0], l[1])
	}
	codes := slices.Sorted(maps.Keys(enabled))
	fmt.Fprintf(&b, "# %d of %s on%s: %s\n", len(codes), words.Count(len(a.rules.Entries()), "rule"), a.previewOff(enabled), strings.Join(codes, " "))
	_, err := io.WriteString(a.Stdout, b.String())
	return err
}

// previewOff says how many rules are off because they are in preview.
func (a *app) previewOff(enabled rule.Set) string {
	off := 0
	for _, e := range a.rules.Entries() {
		if e.Doc.Status == rule.Preview && !enabled[e.Doc.Code] {
			off++
		}
	}
	if off == 0 {
		return ""
	}
	return fmt.Sprintf(" (off: %d in preview)", off)
}

// shownSetting is one setting as JSON has it.
type shownSetting struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Value   any    `json:"value"`
	Default any    `json:"default"`
	Origin  string `json:"origin"` // default, PATH:LINE, a variable of the environment or --FLAG
	Doc     string `json:"doc"`
}

// printSettings prints all settings as JSON, or those of some names.
func (a *app) printSettings(s *config.Settings, names []string) error {
	out := []shownSetting{}
	for _, k := range config.Keys {
		if len(names) == 0 || slices.Contains(names, k.Name) {
			out = append(out, shownSetting{k.Name, k.Type, config.Decoded(s.Value(k.Name)), config.Decoded(k.Default), s.Origin(k.Name), k.Doc})
		}
	}
	for _, name := range names {
		if _, ok := config.KeyNamed(name); !ok {
			return unknownSetting(name)
		}
	}
	return a.printJSON(out)
}

func unknownSetting(name string) error {
	if near := words.Nearest(name, config.KeyNames()); near != "" {
		return fmt.Errorf("unknown setting %q; did you mean %q?", name, near)
	}
	return fmt.Errorf("unknown setting %q; `rlvet config` lists all", name)
}

// explainKey prints what a setting does and what it is.
func (a *app) explainKey(s *config.Settings, name string) error {
	k, ok := config.KeyNamed(name)
	if !ok {
		return unknownSetting(name)
	}
	_, err := fmt.Fprintf(a.Stdout, "%s: %s\n\n%s\n\nDefault: %s\nHere:    %s (%s)\nExample:\n\n  [tool.rlvet]\n  %s\n",
		k.Name, k.Type, k.Doc, k.Default, s.Value(k.Name), s.Origin(k.Name), k.Example)
	return err
}
