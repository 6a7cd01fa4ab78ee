package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rlvet/rlvet/internal/config"
)

// settingsFlags are the flags that `check` and `config` share: each overrides a
// setting.
type settingsFlags struct {
	values         config.Values
	config         []string
	isolated       bool
	perFileIgnores []string
	bools          []switchFlag
	texts          map[string]**string
	text           map[string]*string
}

// switchFlag is a pair --x and --no-x for one boolean setting.
type switchFlag struct {
	name    string
	on, off bool
	target  **bool
}

// register adds the flags.
func (s *settingsFlags) register(f *pflag.FlagSet) {
	list := func(to *[]string, name, usage string) { f.StringSliceVar(to, name, nil, usage) }
	s.registerSelection(f)
	list(&s.values.Fixable, "fixable", "`RULES` whose fixes may be applied")
	list(&s.values.ExtendFixable, "extend-fixable", "`RULES` whose fixes may be applied, in addition to those of --fixable")
	list(&s.values.Unfixable, "unfixable", "`RULES` whose fixes must not be applied")
	list(&s.perFileIgnores, "per-file-ignores", "rules to ignore in files, as `GLOB:RULE`, comma separated")
	list(&s.values.Include, "include", "`GLOBS` of the files to check in folders, instead of all that can be read")
	list(&s.values.ExtendInclude, "extend-include", "`GLOBS` of files to check in folders, in addition to those included")
	list(&s.values.Exclude, "exclude", "`GLOBS` of files and folders not to check, instead of the default list")
	list(&s.values.ExtendExclude, "extend-exclude", "`GLOBS` of files and folders not to check, in addition to those excluded")
	s.texts, s.text = map[string]**string{}, map[string]*string{}
	text := func(to **string, name, usage string) {
		s.texts[name] = to
		s.text[name] = f.String(name, "", usage)
	}
	text(&s.values.TargetTorch, "target-torch", "oldest `VERSION` of torch that fixes must support")
	text(&s.values.FailOn, "fail-on", "exit with 1 only for findings of this `SEVERITY` and above: "+strings.Join(config.Severities, ", "))
	text(&s.values.OutputFormat, "output-format", "print as `FORMAT`: "+strings.Join(config.Formats, ", "))
	text(&s.values.Baseline, "baseline", "`FILE` of known findings, which are not reported")
	text(&s.values.CacheDir, "cache-dir", "`FOLDER` in which the results of checks are kept")
	s.switches(f)
	s.registerFiles(f)
}

// registerRules adds the flags of commands that check but neither fix nor report as check
// does.
func (s *settingsFlags) registerRules(f *pflag.FlagSet) {
	s.registerSelection(f)
	s.switches(f, "preview", "show-hints")
	s.registerFiles(f)
}

func (s *settingsFlags) registerSelection(f *pflag.FlagSet) {
	f.StringSliceVar(&s.values.Select, "select", nil, "`RULES` to run: codes, names, prefixes, families or ALL")
	f.StringSliceVar(&s.values.ExtendSelect, "extend-select", nil, "`RULES` to run in addition to those selected")
	f.StringSliceVar(&s.values.Ignore, "ignore", nil, "`RULES` not to run")
}

func (s *settingsFlags) registerFiles(f *pflag.FlagSet) {
	f.StringArrayVar(&s.config, "config", nil, "settings `FILE` to use instead of searching for one, or a single setting as TOML")
	f.BoolVar(&s.isolated, "isolated", false, "ignore all settings files")
}

// switches adds the pairs of boolean flags, or those of some names.
func (s *settingsFlags) switches(f *pflag.FlagSet, only ...string) {
	s.bools = []switchFlag{
		{name: "preview", target: &s.values.Preview}, {name: "show-hints", target: &s.values.ShowHints},
		{name: "fix", target: &s.values.Fix}, {name: "unsafe-fixes", target: &s.values.UnsafeFixes},
		{name: "force-exclude", target: &s.values.ForceExclude}, {name: "respect-gitignore", target: &s.values.RespectGitignore},
	}
	usage := map[string]string{
		"preview": "run rules that are in preview", "show-hints": "show findings that rest on variable names alone",
		"fix": "apply safe fixes", "unsafe-fixes": "let --fix apply unsafe fixes too",
		"force-exclude": "exclude files even if they are named on the command line", "respect-gitignore": "leave out files that git ignores (the default)",
	}
	if only != nil {
		s.bools = slices.DeleteFunc(s.bools, func(b switchFlag) bool { return !slices.Contains(only, b.name) })
	}
	for i := range s.bools {
		b := &s.bools[i]
		f.BoolVar(&b.on, b.name, false, usage[b.name])
		f.BoolVar(&b.off, "no-"+b.name, false, "switch --"+b.name+" off")
		f.Lookup("no-" + b.name).Hidden = true
	}
}

// resolver turns the flags into the resolver of settings.
func (s *settingsFlags) resolver(a *app, cmd *cobra.Command) (*config.Resolver, error) {
	flags := cmd.Flags()
	for i := range s.bools {
		b := &s.bools[i]
		switch on, off := flags.Changed(b.name), flags.Changed("no-"+b.name); {
		case on && off:
			return nil, fmt.Errorf("--%s and --no-%s contradict each other; give one of them", b.name, b.name)
		case on:
			value := b.on
			*b.target = &value
		case off:
			value := !b.off
			*b.target = &value
		}
	}
	for name, to := range s.texts {
		if flags.Changed(name) {
			*to = s.text[name]
		}
	}
	ignores, err := readPerFileIgnores(s.perFileIgnores)
	if err != nil {
		return nil, err
	}
	s.values.PerFileIgnores = ignores
	r := a.resolver()
	r.Isolated, r.Override = s.isolated, s.values
	if format := a.Getenv("RLVET_OUTPUT_FORMAT"); format != "" {
		r.Inline = append(r.Inline, config.Variable("RLVET_OUTPUT_FORMAT", config.Values{OutputFormat: &format}))
	}
	given := s.config
	if file := a.Getenv("RLVET_CONFIG"); file != "" && len(given) == 0 && !r.Isolated {
		given = []string{file}
	}
	return r, readConfig(r, given)
}

// resolver returns a resolver of settings without any of the command line.
func (a *app) resolver() *config.Resolver {
	return &config.Resolver{Rules: a.rules, Version: version(), User: a.userSettings()}
}

// userSettings is the folder of the user's own settings, "" where there is none.
func (a *app) userSettings() string {
	if a.Getenv("HOME") == "" && a.Getenv("XDG_CONFIG_HOME") == "" && a.Getenv("AppData") == "" {
		return ""
	}
	base, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(base, "rlvet")
}

// readConfig reads --config: a file, or settings as TOML.
func readConfig(r *config.Resolver, given []string) error {
	for _, c := range given {
		if _, err := os.Stat(c); err != nil && strings.Contains(c, "=") {
			layer, err := config.ParseInline(c)
			if err != nil {
				return err
			}
			r.Inline = append(r.Inline, layer)
			continue
		}
		switch {
		case r.File != "":
			return fmt.Errorf("--config names two files, %s and %s; give one", r.File, c)
		case r.Isolated:
			return fmt.Errorf("--isolated and --config %s contradict each other; give one of them", c)
		}
		r.File = c
	}
	return nil
}

// readPerFileIgnores reads GLOB:RULE pairs. A rule has no colon, a glob may.
func readPerFileIgnores(pairs []string) (map[string][]string, error) {
	var out map[string][]string
	for _, pair := range pairs {
		at := strings.LastIndex(pair, ":")
		if at <= 0 || at == len(pair)-1 {
			return nil, fmt.Errorf("--per-file-ignores: %q is not GLOB:RULE, as in tests/*.py:SEED", pair)
		}
		if out == nil {
			out = map[string][]string{}
		}
		out[pair[:at]] = append(out[pair[:at]], pair[at+1:])
	}
	return out, nil
}

// explainFreely lets rules explain that are in preview or rest on names, unless the command
// line says otherwise: what they say is shown only beside what went wrong.
func (s *settingsFlags) explainFreely() {
	preview := true
	s.values.Preview = &preview
	s.takeHints()
}

// takeHints takes up findings that rest on names too, unless the command line says otherwise.
func (s *settingsFlags) takeHints() {
	hints := true
	s.values.ShowHints = &hints
}

// contradictions lists pairs of flags that cannot both hold.
var contradictions = [][2]string{
	{"exit-zero", "exit-non-zero-on-fix"}, {"diff", "statistics"}, {"diff", "watch"}, {"diff", "show-files"},
	{"fix-only", "statistics"}, {"no-fix", "fix-only"}, {"no-fix", "diff"}, {"watch", "output-file"}, {"watch", "show-files"},
	{"watch", "stdin-filename"}, {"watch", "write-baseline"}, {"baseline", "write-baseline"}, {"fix", "write-baseline"},
	{"fix-only", "write-baseline"}, {"diff", "write-baseline"}, {"show-files", "fix"}, {"show-files", "statistics"},
	{"output", "output-format"}, {"output", "output-file"}, {"output", "diff"}, {"output", "fix-only"}, {"output", "watch"}, {"output", "write-baseline"}, {"output", "show-files"},
	{"add-ignore", "show-fixes"}, {"add-ignore", "fix"}, {"add-ignore", "fix-only"}, {"add-ignore", "unsafe-fixes"}, {"add-ignore", "write-baseline"}, {"add-ignore", "statistics"}, {"add-ignore", "watch"}, {"add-ignore", "show-files"},
	{"show-settings", "show-files"}, {"show-settings", "fix"}, {"show-settings", "watch"}, {"show-settings", "write-baseline"},
	{"new-from", "write-baseline"}, {"new-from", "show-files"},
}

// contradict reports the first pair of contradicting flags.
func contradict(cmd *cobra.Command) error {
	given := func(name string) bool {
		f := cmd.Flags().Lookup(name)
		return f != nil && f.Changed && f.Value.String() != "false"
	}
	for _, pair := range contradictions {
		if given(pair[0]) && given(pair[1]) {
			return fmt.Errorf("--%s and --%s contradict each other; give one of them", pair[0], pair[1])
		}
	}
	return nil
}
